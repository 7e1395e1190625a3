// Runs of stacks: one worker for each stack, woken when something may be due, and a lock that makes it the only writer.
import { describeError, Stopped } from '../../model/errors.js'
import { lockNames, withLock } from '../../lib/async/locks.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { RunQueue } from '../../stacks/scheduler.js'
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
import { Blockers } from './blockers.js'
import { ClaimedStacks } from './claimed-stacks.js'
import { toFailure } from '../failure.js'
import type { Tasks } from '../schedule/tasks.js'
import type { Changes } from '../watch/changes.js'
import { Worker, type WorkerDeps } from './worker.js'

export interface RunsDeps extends Omit<WorkerDeps, 'blockers' | 'claimed' | 'wakeAfter'> {
  readonly tasks: Tasks
  readonly changes: Changes
}

interface WorkerEntry {
  readonly worker: Worker
  busy: boolean
  again: boolean
}

const leastPauseMs = 1_000

export class Runs implements RunQueue {
  readonly #deps: RunsDeps
  readonly #entries = new Map<string, WorkerEntry>()
  readonly blockers: Blockers
  readonly claimed: ClaimedStacks
  /** Drift checks that were overdue at the start. */
  #overdue = 0

  constructor(deps: RunsDeps) {
    this.#deps = deps
    this.blockers = new Blockers({ ...deps, store: deps.sync.store, wake: (stack) => this.wake(stack) })
    this.claimed = new ClaimedStacks({ ...deps, wake: (stack) => this.wake(stack) })
  }

  wake(stack: string): void {
    if (this.#deps.stop.aborted) return
    const entry = this.#entry(stack)
    if (entry.busy) {
      entry.again = true
      return
    }
    entry.busy = true
    void this.#deps.tasks.keep(this.#work(stack, entry))
  }

  /**
   * After a start: wakes the stack if something is due now, else sets its timer. `isBusy`: the last process left work
   * unfinished.
   */
  plan(known: Stack, { last, isBusy }: { readonly last: Run | undefined; readonly isBusy: boolean }): void {
    const { clock, random, timers } = this.#deps
    const now = clock.now()
    const stack = withPlausibleTimes(known, now)
    const isPending = mayBeBlocked(stack.spec) && isCorrectable(stack)
    if (isBusy || isPending || isBehind(stack, last) || isScheduleDue({ stack, last }, now) || isRetryDue(stack, now))
      return this.wake(stack.id)
    const due = dueAt({ stack, last, isOpen: false }, random())
    if (due === undefined) return
    const isOverdueCheck = due <= now && stack.suspended === null
    timers.set(`stack ${stack.id}`, isOverdueCheck ? overdueCheckAt(now, stack.spec, this.#overdue++) : due)
  }

  async stop(stack: string, why: Stopped): Promise<void> {
    const entry = this.#entries.get(stack)
    if (entry === undefined) return
    entry.worker.stop(why)
    await this.exclusively(stack, new AbortController().signal, async () => {})
  }

  stopAll(why: Stopped): void {
    for (const { worker } of this.#entries.values()) worker.stop(why)
  }

  exclusively<T>(stack: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return withLock(this.#deps.sync.locks, lockNames.stack(stack), signal, work)
  }

  ownershipChanged(stack: Stack): Promise<void> {
    return this.claimed.changed(stack)
  }

  nextAt(stack: string): number | null {
    return this.#deps.timers.get(`stack ${stack}`) ?? null
  }

  add(run: Run): void {
    const worker = this.#entries.get(run.stack)?.worker
    if (worker?.inProgress !== undefined) void this.#deps.tasks.keep(worker.yieldTo(run))
    this.wake(run.stack)
  }

  /** Something is done for the stack, or begins. */
  isBusy(stack: string): boolean {
    return this.#entries.get(stack)?.busy === true || this.#deps.sync.locks.isHeld(lockNames.stack(stack))
  }

  /** The stack was deleted. */
  remove(stack: string): void {
    this.#entries.delete(stack)
    this.blockers.remove(stack)
    this.claimed.remove(stack)
    this.#deps.timers.delete(`stack ${stack}`)
    this.#deps.timers.delete(`poll ${stack}`)
  }

  #entry(stack: string): WorkerEntry {
    let entry = this.#entries.get(stack)
    if (entry === undefined) {
      const { tasks } = this.#deps
      const wakeAfter = (work: Promise<void>): void => void tasks.keep(work.then(() => this.wake(stack)))
      const worker = new Worker(stack, { ...this.#deps, blockers: this.blockers, claimed: this.claimed, wakeAfter })
      this.#entries.set(stack, (entry = { worker, busy: false, again: false }))
    }
    return entry
  }

  async #work(stack: string, entry: WorkerEntry): Promise<void> {
    const { stop, timers, clock, changes, live } = this.#deps
    let checkedAt = 0
    try {
      do {
        entry.again = false
        checkedAt = clock.now()
        while (await this.exclusively(stack, stop, () => entry.worker.step())) changes.notify(stack)
      } while (entry.again && !stop.aborted)
      live.stuck.delete(stack)
      const due = await entry.worker.dueAt()
      if (due === undefined) timers.delete(`stack ${stack}`)
      // The worker has just done what was due: the next step is never at once.
      else timers.set(`stack ${stack}`, due > checkedAt ? due : clock.now() + leastPauseMs)
    } catch (error) {
      if (!stop.aborted) this.#stuck(stack, error)
    } finally {
      entry.busy = false
      changes.notify(stack)
    }
    if (entry.again) this.wake(stack)
  }

  /** The database failed. Nothing can be stored, so the worker starts again from what is stored. */
  #stuck(stack: string, error: unknown): void {
    const { log, timers, clock, random, live } = this.#deps
    log.error('stack is stuck', { stack: this.#entry(stack).worker.name, error: describeError(error) })
    live.stuck.set(stack, toFailure(error))
    timers.set(`stack ${stack}`, clock.now() + jittered(5_000, random()))
  }
}
