// One worker for each stack, woken when something may be due for it, and the lock that makes it the only writer.
import { describeError, Stopped } from '../../model/errors.js'
import { Lock } from '../../lib/lock.js'
import type { Phase, Run } from '../../model/run.js'
import type { Failure, Stack } from '../../model/stack.js'
import { jittered } from '../schedule/backoff.js'
import {
  withPlausibleTimes,
  dueAt,
  isBehind,
  isCorrectable,
  mayBeBlocked,
  isRetryDue,
  isScheduleDue,
  overdueCheckAt,
} from './due.js'
import { Blockers, type BlockersDeps } from './blockers.js'
import { toFailure } from '../failure.js'
import type { Timers } from '../schedule/schedule.js'
import { Worker, type WorkerDeps } from './worker.js'

export interface WorkersDeps extends Omit<WorkerDeps, 'stopping' | 'blockers'>, Pick<BlockersDeps, 'pollFailure'> {
  readonly timetable: Timers
  /** The agent stops. */
  readonly stop: AbortSignal
  /** Told when something about a stack changed. */
  readonly onChanged: (stack: string) => void
  /** Told of work that is under way. */
  readonly keep: (work: Promise<unknown>) => void
}

interface WorkerEntry {
  readonly worker: Worker
  readonly lock: Lock
  busy: boolean
  again: boolean
}

const leastPauseMs = 1_000

export class Workers {
  readonly #deps: WorkersDeps
  readonly #entries = new Map<string, WorkerEntry>()
  readonly blockers: Blockers
  /** Looks at the target that were overdue at the start. */
  #overdue = 0
  /** What kept a stack from writing anything down, and so is known only here. */
  readonly stuck = new Map<string, Failure>()

  constructor(deps: WorkersDeps) {
    this.#deps = deps
    this.blockers = new Blockers({ ...deps, store: deps.sync.store, wake: (stack) => this.wake(stack) })
  }

  /** Something may be due for the stack. */
  wake(stack: string): void {
    if (this.#deps.stop.aborted) return
    const entry = this.#entry(stack)
    if (entry.busy) {
      entry.again = true
      return
    }
    entry.busy = true
    this.#deps.keep(this.#work(stack, entry))
  }

  /**
   * After a start. Where nothing is to be done now, it is noted when something is, and nobody is woken. `isBusy`:
   * something of it was left unfinished.
   */
  plan(known: Stack, { last, isBusy }: { readonly last: Run | undefined; readonly isBusy: boolean }): void {
    const { clock, random, timetable } = this.#deps
    const now = clock.now()
    const stack = withPlausibleTimes(known, now)
    const isHeldBack = mayBeBlocked(stack.spec) && isCorrectable(stack)
    if (isBusy || isHeldBack || isBehind(stack, last) || isScheduleDue({ stack, last }, now) || isRetryDue(stack, now))
      return this.wake(stack.id)
    const due = dueAt({ stack, last, isOpen: false }, random())
    if (due === undefined) return
    const isOverdueLook = due <= now && stack.suspended === null
    timetable.set(`stack ${stack.id}`, isOverdueLook ? overdueCheckAt(now, stack.spec, this.#overdue++) : due)
  }

  /** Ends the run in hand, if there is one; resolves when it has ended. */
  async stop(stack: string, why: Stopped): Promise<void> {
    const entry = this.#entries.get(stack)
    if (entry === undefined) return
    entry.worker.stop(why)
    await entry.lock.run(new AbortController().signal, async () => {})
  }

  stopAll(why: Stopped): void {
    for (const { worker } of this.#entries.values()) worker.stop(why)
  }

  /** Nothing runs for the stack meanwhile. */
  exclusively<T>(stack: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#entry(stack).lock.run(signal, work)
  }

  /** A newer revision is there. The new run itself, or a later one, may be in hand by now. */
  supersede(run: Run): void {
    const worker = this.#entries.get(run.stack)?.worker
    if (worker?.inProgress !== undefined) this.#deps.keep(worker.yieldTo(run))
    this.wake(run.stack)
  }

  setPhase(stack: string, phase: Phase): void {
    this.#entries.get(stack)?.worker.setPhase(phase)
  }

  phaseOf({ id, stack }: Pick<Run, 'id' | 'stack'>): Phase | undefined {
    const inProgress = this.#entries.get(stack)?.worker.inProgress
    return inProgress?.run.id === id ? inProgress.phase : undefined
  }

  /** Phases of the runs in hand, by run. */
  get inProgress(): ReadonlyMap<string, Phase> {
    const inHand = [...this.#entries.values()].flatMap(({ worker }) => worker.inProgress ?? [])
    return new Map(inHand.map(({ run, phase }) => [run.id, phase]))
  }

  remove(stack: string): void {
    this.#entries.delete(stack)
    this.blockers.remove(stack)
    this.#deps.timetable.delete(`stack ${stack}`)
  }

  #entry(stack: string): WorkerEntry {
    let entry = this.#entries.get(stack)
    if (entry === undefined) {
      const { stop } = this.#deps
      const worker = new Worker(stack, { ...this.#deps, blockers: this.blockers, stopping: () => stop.aborted })
      this.#entries.set(stack, (entry = { worker, lock: new Lock(), busy: false, again: false }))
    }
    return entry
  }

  async #work(stack: string, entry: WorkerEntry): Promise<void> {
    const { stop, timetable, clock, onChanged } = this.#deps
    let lookedAt = 0
    try {
      do {
        entry.again = false
        lookedAt = clock.now()
        while (await entry.lock.run(stop, () => entry.worker.step())) onChanged(stack)
      } while (entry.again && !stop.aborted)
      this.stuck.delete(stack)
      const due = await entry.worker.dueAt()
      if (due === undefined) timetable.delete(`stack ${stack}`)
      // What was due by then was looked at: never at once again.
      else timetable.set(`stack ${stack}`, due > lookedAt ? due : clock.now() + leastPauseMs)
    } catch (error) {
      if (!stop.aborted) this.#stuck(stack, error)
    } finally {
      entry.busy = false
      onChanged(stack)
    }
    if (entry.again) this.wake(stack)
  }

  /** The database itself failed: nothing can be written down, so it is tried again from what is written. */
  #stuck(stack: string, error: unknown): void {
    const { log, timetable, clock, random } = this.#deps
    log.error('stack is stuck', { stack: this.#entry(stack).worker.name, error: describeError(error) })
    this.stuck.set(stack, toFailure(error))
    timetable.set(`stack ${stack}`, clock.now() + jittered(5_000, random()))
  }
}
