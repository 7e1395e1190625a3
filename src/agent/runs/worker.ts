// What is to be done for one stack, one thing after the other: undo that was cut short, the newest run, a retry, a look for drift.
import type { Clock } from '../../model/clock.js'
import { Stopped } from '../../model/errors.js'
import type { Phase, Run } from '../../model/run.js'
import type { Stack } from '../../model/stack.js'
import { fetchRevision } from '../../stacks/load-package.js'
import { syncStack, undoStack, uninstallStack, type SyncDeps, type SyncOutcome } from '../../stacks/sync.js'
import { DriftWatch } from './drift-watch.js'
import { believed, dueAt, isBehind, isDriftDue, isRetryDue, isSettled } from './due.js'
import type { Log } from '../log.js'
import { RunEnd } from './run-end.js'
import type { Semaphore } from '../../model/semaphore.js'

export interface WorkerDeps {
  readonly sync: SyncDeps
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  /** Of one run. */
  readonly runMs: number
  /** Runs in hand at once. */
  readonly places: Semaphore
  readonly stopping: () => boolean
  /** Told of every run that ended. */
  readonly onRunEnd: (stack: string, run: string) => Promise<void>
}

interface InHand {
  readonly run: Run
  phase: Phase
  readonly controller: AbortController
}

export class Worker {
  readonly #stack: string
  readonly #deps: WorkerDeps
  readonly #ends: RunEnd
  readonly #drift: DriftWatch
  #inHand: InHand | undefined
  #name: string | undefined

  constructor(stack: string, deps: WorkerDeps) {
    this.#stack = stack
    this.#deps = deps
    this.#ends = new RunEnd(deps)
    this.#drift = new DriftWatch(deps, this.#ends)
  }

  get inHand(): { readonly run: Run; readonly phase: Phase } | undefined {
    return this.#inHand
  }

  /** Of the stack, for the log; its id until it was read once. */
  get name(): string {
    return this.#name ?? this.#stack
  }

  setPhase(phase: Phase): void {
    if (this.#inHand !== undefined) this.#inHand.phase = phase
  }

  /** Ends the run in hand. An undo is not cancelled: it brings things to where they were. Suspending ends it, too. */
  stop(why: Stopped): void {
    if (why.why === 'cancelled' && this.#inHand?.phase === 'undoing') return
    this.#inHand?.controller.abort(why)
  }

  /** Does one thing. True: look again at once. */
  async step(): Promise<boolean> {
    const { sync, clock, stopping } = this.#deps
    const stack = await this.#read()
    if (stack === undefined || stopping()) return false
    if (stack.suspended !== null) return this.#endSuspension(stack)
    const runs = await sync.store.runs.unfinished(stack.id)
    const newest = runs.at(-1)
    if (newest !== undefined) return this.#doRun(stack, newest, runs.slice(0, -1))
    const last = (await sync.store.runs.last([stack.id])).get(stack.id)
    if (isBehind(stack, last)) return this.#addRun(stack, { kind: 'schedule', note: 'a newer revision was seen before the last run' })
    if (isRetryDue(stack, clock.now())) return this.#retry(stack)
    const looks = isDriftDue(stack, clock.now()) && isSettled({ last, isOpen: await this.#isOpen() })
    return looks && this.#drift.look(stack)
  }

  /** When the stack has something to do without anybody asking. undefined: never. */
  async dueAt(): Promise<number | undefined> {
    const { store } = this.#deps.sync
    const stack = await this.#read()
    if (stack === undefined) return undefined
    if (stack.suspended !== null) return stack.suspended.until ?? undefined
    const run = (await store.runs.unfinished(stack.id)).at(-1)
    if (run !== undefined) return run.phase === 'undoing' ? (stack.retryAt ?? undefined) : undefined
    const last = (await store.runs.last([stack.id])).get(stack.id)
    return dueAt({ stack, last, isOpen: await this.#isOpen() }, this.#deps.random())
  }

  async #read(): Promise<Stack | undefined> {
    const stack = await this.#deps.sync.store.stacks.get(this.#stack)
    this.#name = stack?.spec.name ?? this.#name
    return stack && believed(stack, this.#deps.clock.now())
  }

  async #isOpen(): Promise<boolean> {
    return (await this.#deps.sync.store.journal.open(this.#stack)).length > 0
  }

  async #endSuspension(stack: Stack): Promise<boolean> {
    const { until } = stack.suspended!
    if (!isDue(until, this.#deps.clock)) return false
    await this.#deps.sync.store.stacks.change(stack.id, { suspended: null })
    await this.#addRun(stack, { kind: 'schedule', note: 'the suspension ended' })
    return true
  }

  async #doRun(stack: Stack, run: Run, older: readonly Run[]): Promise<boolean> {
    const { store } = this.#deps.sync
    for (const one of older) await store.runs.finish(one.id, { outcome: 'superseded' })
    if (run.revision === '') return false
    if (run.phase === 'undoing' && stack.retryAt !== null && !isDue(stack.retryAt, this.#deps.clock)) return false
    return this.#perform(stack, run)
  }

  /** Before it takes a place, so that a remote that hangs takes none. */
  async #fetch(stack: Stack, run: Run, signal: AbortSignal): Promise<void> {
    if (run.intent !== 'sync' || run.phase === 'undoing') return
    this.#deps.sync.onPhase(run, 'fetching')
    await fetchRevision(stack, run.revision, this.#deps.sync.source, signal)
  }

  async #perform(stack: Stack, run: Run): Promise<boolean> {
    const { clock, sync, runMs } = this.#deps
    const controller = new AbortController()
    const timer = setTimeout(
      () => controller.abort(new Stopped('timeout', `The run did not end within ${runMs / 60_000} minutes (limits.run).`)),
      runMs,
    )
    const inHand: InHand = { run, phase: run.phase, controller }
    this.#inHand = inHand
    const began = clock.elapsed()
    try {
      await this.#fetch(stack, run, controller.signal)
      const outcome = await this.#deps.places.run(() => this.#carryOut(stack, run, controller.signal))
      await this.#ends.after(stack, run, outcome, { signal: controller.signal, undoing: isUndoing(inHand), began })
    } catch (error) {
      await this.#ends.failed(stack, run, error, { signal: controller.signal, undoing: isUndoing(inHand), began })
    } finally {
      clearTimeout(timer)
      this.#inHand = undefined
    }
    await this.#deps.onRunEnd(stack.id, run.id)
    return (await sync.store.runs.unfinished(stack.id)).some((one) => one.id !== run.id)
  }

  #carryOut(stack: Stack, run: Run, signal: AbortSignal): Promise<SyncOutcome> {
    const { sync } = this.#deps
    if (run.phase === 'undoing') return undoStack(stack, run, sync, signal)
    if (run.intent !== 'sync') return uninstallStack(stack, run, sync, signal)
    return syncStack(stack, run, sync, signal)
  }

  async #retry(stack: Stack): Promise<boolean> {
    const open = (await this.#deps.sync.store.journal.open(stack.id)).length > 0
    await this.#deps.sync.store.stacks.change(stack.id, { retryAt: null })
    const note = stack.failure === null ? undefined : stack.failure.message
    return this.#addRun(stack, { kind: open ? 'recovery' : 'retry', ...(note === undefined ? {} : { note }) })
  }

  async #addRun(stack: Stack, cause: Run['cause']): Promise<boolean> {
    const revision = stack.pinned?.revision ?? stack.observed?.revision
    if (revision === undefined) return false
    await this.#deps.sync.store.runs.add({ stack: stack.id, revision, cause })
    return true
  }
}

function isUndoing({ phase }: InHand): boolean {
  return phase === 'undoing'
}

function isDue(at: number | null, clock: Clock): boolean {
  return at !== null && at <= clock.now()
}
