// What is to be done for one stack, one thing after the other: undo that was cut short, the newest run, a retry, a look
// for drift.
import type { Clock } from '../../lib/clock.js'
import { Stopped } from '../../model/errors.js'
import type { Phase, Run } from '../../model/run.js'
import { sameRevision } from '../../model/revision.js'
import type { Stack } from '../../model/stack.js'
import type { Blocker } from '../../model/blocker.js'
import { fetchRevision } from '../../stacks/load-package/load-package.js'
import { refuseVetoed } from '../../stacks/pins/vetoes.js'
import { syncStack, undoStack, uninstallStack, type SyncDeps, type SyncOutcome } from '../../stacks/sync.js'
import { DriftChecks } from './drift-checks.js'
import {
  withPlausibleTimes,
  dueAt,
  earliest,
  isBehind,
  isCorrectable,
  isDriftDue,
  mayBeBlocked,
  isRetryDue,
  isScheduleDue,
  isSettled,
} from './due.js'
import type { Blockers } from './blockers.js'
import type { Log } from '../watch/log.js'
import { RunEnd } from './run-end.js'
import type { Semaphore } from '../../lib/semaphore.js'

export interface WorkerDeps {
  readonly sync: SyncDeps
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  /** Of one run. */
  readonly runMs: number
  /** Runs in hand at once. */
  readonly slots: Semaphore
  readonly stopping: () => boolean
  readonly blockers: Blockers
  /** Looks at what the stack follows, now. */
  readonly poll: (stack: Stack) => void
  /** Told of every run that ended. */
  readonly onRunEnd: (stack: string, run: string) => Promise<void>
}

interface RunInProgress {
  readonly run: Run
  phase: Phase
  readonly controller: AbortController
}

export class Worker {
  readonly #stack: string
  readonly #deps: WorkerDeps
  readonly #ends: RunEnd
  readonly #drift: DriftChecks
  #inProgress: RunInProgress | undefined
  #name: string | undefined
  /** As the last step found them. */
  #blockers: readonly Blocker[] = []

  constructor(stack: string, deps: WorkerDeps) {
    this.#stack = stack
    this.#deps = deps
    this.#ends = new RunEnd(deps)
    this.#drift = new DriftChecks(deps, this.#ends)
  }

  get inProgress(): { readonly run: Run; readonly phase: Phase } | undefined {
    return this.#inProgress
  }

  /** Of the stack, for the log; its id until it was read once. */
  get name(): string {
    return this.#name ?? this.#stack
  }

  setPhase(phase: Phase): void {
    if (this.#inProgress !== undefined) this.#inProgress.phase = phase
  }

  /** Ends the run in hand. An undo is not cancelled: it brings things to where they were. Suspending ends it, too. */
  stop(why: Stopped): void {
    if (why.why === 'cancelled' && this.#inProgress?.phase === 'undoing') return
    this.#inProgress?.controller.abort(why)
  }

  /** Does one thing. True: look again at once. */
  async step(): Promise<boolean> {
    const { sync, clock, stopping } = this.#deps
    // Read first: a run that a poll adds meanwhile is then unfinished, and not taken for one that ended at another
    // revision.
    const last = await this.#lastRun()
    const stack = await this.#read()
    if (stack === undefined || stopping()) return false
    if (stack.suspended !== null) {
      this.#deps.blockers.set(stack.id, [])
      return this.#endSuspension(stack)
    }
    const runs = await sync.store.runs.unfinished(stack.id)
    if (await this.#settlesFirst(stack, runs)) return true
    this.#blockers = await this.#findBlockers(stack, runs)
    const going = this.#blockers.length === 0 ? runs.at(-1) : runs.find(({ phase }) => phase === 'undoing')
    if (going !== undefined) return this.#doRun(stack, going, runs.slice(0, runs.indexOf(going)))
    if (runs.length === 0) {
      if (isBehind(stack, last))
        return this.#addRun(stack, { kind: 'schedule', note: 'a newer revision was seen before the last run' })
      if (isScheduleDue({ stack, last }, clock.now())) return this.#beginScheduled(stack)
      if (isRetryDue(stack, clock.now())) return this.#retry(stack)
    }
    const mayCorrect = runs.length === 0 && this.#blockers.length === 0
    const isDue = isDriftDue(stack, clock.now()) || (mayCorrect && this.#drift.isCorrectionPending(stack))
    const looks = isDue && isSettled({ last, isOpen: await this.#isOpen() })
    return looks && this.#drift.check(stack, mayCorrect)
  }

  /**
   * What a run left half-done is settled at the revision that it was for, where a window keeps a newer one from
   * beginning.
   */
  async #settlesFirst(stack: Stack, runs: readonly Run[]): Promise<boolean> {
    const newest = runs.at(-1)
    const revision = stack.attempted?.revision
    if (stack.spec.windows.length === 0 || newest === undefined || revision === undefined) return false
    if (
      sameRevision(newest.revision, revision) ||
      newest.intent !== 'sync' ||
      runs.some(({ phase }) => phase === 'undoing')
    )
      return false
    const waits = await this.#deps.blockers.find(stack, newest, false)
    if (!waits.some(({ reason }) => reason === 'Window') || !(await this.#isOpen())) return false
    await this.#deps.sync.store.runs.add({
      stack: stack.id,
      revision,
      cause: { kind: 'recovery', note: 'a window keeps the newer revision waiting' },
    })
    return true
  }

  /**
   * What the newest run waits for, or what is done without one. What was left half-done goes on: by its undo if that is
   * under way, else by the newest run.
   */
  async #findBlockers(stack: Stack, runs: readonly Run[]): Promise<readonly Blocker[]> {
    const { blockers } = this.#deps
    const isHalfDone = async (): Promise<boolean> =>
      !runs.some(({ phase }) => phase === 'undoing') && (await this.#isOpen())
    const waits = mayBeBlocked(stack.spec) ? await blockers.find(stack, runs.at(-1), await isHalfDone()) : []
    if (waits.length === 0) blockers.set(stack.id, [])
    return waits
  }

  /** A newer run is there: what is in hand for an older one ends, unless the newer one has to wait. */
  async yieldTo(newer: Run): Promise<void> {
    const stack = await this.#read()
    const waits =
      stack === undefined || !mayBeBlocked(stack.spec) ? [] : await this.#deps.blockers.find(stack, newer, false)
    const isOlder = Number(this.#inProgress?.run.id ?? newer.id) < Number(newer.id)
    if (waits.length === 0 && isOlder) this.stop(new Stopped('superseded', 'A newer revision is there.'))
  }

  /**
   * When the stack has something to do without anybody asking; why what it has to do waits is noted. undefined: never.
   */
  async dueAt(): Promise<number | undefined> {
    const { store } = this.#deps.sync
    const stack = await this.#read()
    if (stack === undefined) return undefined
    if (stack.suspended !== null) return stack.suspended.until ?? undefined
    const runs = await store.runs.unfinished(stack.id)
    const undoAt = runs.some(({ phase }) => phase === 'undoing') ? stack.retryAt : null
    if (runs.length > 0 && this.#blockers.length === 0) return undoAt ?? undefined
    const last = await this.#lastRun()
    const waits = runs.length > 0 || isCorrectable(stack) ? this.#blockers : []
    this.#deps.blockers.set(stack.id, waits)
    return earliest([
      undoAt,
      ...waits.map(({ until }) => until),
      dueAt({ stack, last, isOpen: await this.#isOpen() }, this.#deps.random()),
    ])
  }

  async #read(): Promise<Stack | undefined> {
    const stack = await this.#deps.sync.store.stacks.get(this.#stack)
    this.#name = stack?.spec.name ?? this.#name
    return stack && withPlausibleTimes(stack, this.#deps.clock.now())
  }

  async #lastRun(): Promise<Run | undefined> {
    return (await this.#deps.sync.store.runs.last([this.#stack])).get(this.#stack)
  }

  async #isOpen(): Promise<boolean> {
    return (await this.#deps.sync.store.journal.openEntries(this.#stack)).length > 0
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
    await refuseVetoed(stack, run, this.#deps.sync)
    this.#deps.sync.onPhase(run, 'fetching')
    await fetchRevision(stack, run.revision, this.#deps.sync.source, signal)
  }

  async #perform(stack: Stack, run: Run): Promise<boolean> {
    const { clock, sync, runMs } = this.#deps
    const controller = new AbortController()
    const timer = setTimeout(
      () =>
        controller.abort(new Stopped('timeout', `The run did not end within ${runMs / 60_000} minutes (limits.run).`)),
      runMs,
    )
    const inHand: RunInProgress = { run, phase: run.phase, controller }
    this.#inProgress = inHand
    const began = clock.elapsed()
    try {
      await this.#fetch(stack, run, controller.signal)
      const outcome = await this.#deps.slots.run(() => this.#carryOut(stack, run, controller.signal))
      await this.#ends.after(stack, run, outcome, { signal: controller.signal, undoing: isUndoing(inHand), began })
    } catch (error) {
      await this.#ends.failed(stack, run, error, { signal: controller.signal, undoing: isUndoing(inHand), began })
    } finally {
      clearTimeout(timer)
      this.#inProgress = undefined
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

  /** The source is looked at, too: the run begins with what is seen then. */
  async #beginScheduled(stack: Stack): Promise<boolean> {
    const cause = { kind: 'schedule', note: stack.spec.schedule } as const
    if (stack.pinned !== null) return this.#addRun(stack, cause)
    await this.#deps.sync.store.runs.add({ stack: stack.id, revision: '', cause })
    this.#deps.poll(stack)
    return false
  }

  async #retry(stack: Stack): Promise<boolean> {
    const open = (await this.#deps.sync.store.journal.openEntries(stack.id)).length > 0
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

function isUndoing({ phase }: RunInProgress): boolean {
  return phase === 'undoing'
}

function isDue(at: number | null, clock: Clock): boolean {
  return at !== null && at <= clock.now()
}
