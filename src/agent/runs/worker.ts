// The work of one stack, one step after the other: an interrupted undo, the newest run, a scheduled run, a retry, a
// drift check.
import type { Clock } from '../../lib/clock.js'
import { Stopped } from '../../model/errors.js'
import type { LeasedRun, Run } from '../../model/stacks/run.js'
import { isOlderId } from '../../model/id.js'
import { sameRevision } from '../../model/sources/revision.js'
import { suspends, type Stack } from '../../model/stacks/stack.js'
import { fleetOf } from '../../model/stacks/stack-owner.js'
import type { RunBlocker } from '../../model/stacks/blocker.js'
import { fetchRevision } from '../../stacks/load-package/load-package.js'
import { refuseVetoed } from '../../stacks/pins/vetoes.js'
import { syncStack, undoStack, uninstallStack, type SyncDeps, type SyncOutcome } from '../../stacks/sync.js'
import { AutomaticRuns } from './automatic-runs.js'
import { DriftChecks } from './drift-checks.js'
import {
  withPlausibleTimes,
  dueAt,
  earliest,
  isBehind,
  isCorrectable,
  isDriftDue,
  isWatched,
  mayBeBlocked,
  isRetryDue,
  isScheduleDue,
  isSettled,
} from './due.js'
import type { Blockers } from './blockers.js'
import type { Watches } from './watches.js'
import type { Changes } from '../watch/changes.js'
import type { Live } from '../watch/live.js'
import type { Log } from '../watch/log.js'
import type { Timers } from '../schedule/schedule.js'
import type { ClaimedStacks } from './claimed-stacks.js'
import { RunEnd } from './run-end.js'
import type { Semaphore } from '../../lib/async/semaphore.js'
import type { StackWithRuns } from '../../store/stack-table.js'

export interface WorkerDeps {
  readonly sync: SyncDeps
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  readonly timers: Timers
  readonly live: Live
  readonly changes: Changes
  /** The time limit of a run. */
  readonly runMs: number
  /** Limits the runs in progress. */
  readonly slots: Semaphore
  readonly blockers: Blockers
  readonly claimed: ClaimedStacks
  readonly watches: Pick<Watches, 'isWoken' | 'beginCheck'>
  /** Resolves when the fleet is listed at what the last poll found; undefined: it is. */
  readonly listing: (fleet: string) => Promise<void> | undefined
  /** Wakes the worker after this. */
  readonly wakeAfter: (work: Promise<void>) => void
  /** Why gitmoor does nothing for a stack; undefined: it does. */
  readonly refusal: ((stack: Stack) => Error | undefined) | undefined
  /** The agent stops. */
  readonly stop: AbortSignal
  /** Called at the end of each run. */
  readonly onRunEnd: (stack: string, run: string) => Promise<void>
}

interface RunInProgress {
  readonly run: Run
  readonly controller: AbortController
}

export class Worker {
  readonly #stack: string
  readonly #deps: WorkerDeps
  readonly #ends: RunEnd
  readonly #drift: DriftChecks
  readonly #automatic: AutomaticRuns
  #inProgress: RunInProgress | undefined
  #name: string | undefined
  /** As the last step found them. */
  #blockers: readonly RunBlocker[] = []

  constructor(stack: string, deps: WorkerDeps) {
    this.#stack = stack
    this.#deps = deps
    this.#ends = new RunEnd(deps)
    this.#drift = new DriftChecks(deps, this.#ends)
    this.#automatic = new AutomaticRuns(deps)
  }

  get inProgress(): Run | undefined {
    return this.#inProgress?.run
  }

  /** The stack's name, for the log; its id until the stack was read. */
  get name(): string {
    return this.#name ?? this.#stack
  }

  /** Stops the run in progress. Cancelling does not stop an undo, which restores the former state. */
  stop(why: Stopped): void {
    if (this.#inProgress === undefined) return
    if (why.why === 'cancelled' && this.#isUndoing(this.#inProgress.run)) return
    this.#inProgress.controller.abort(why)
  }

  /** Does one step. True: another one may be due. */
  async step(): Promise<boolean> {
    const { clock, stop, live } = this.#deps
    const read = await this.#read()
    if (read === undefined || stop.aborted || this.#isLeftAlone(read.stack)) return false
    const { stack, last, unfinished: runs } = read
    const listing = this.#listing(stack)
    if (suspends(stack, runs.at(-1)?.intent)) {
      live.setBlockers(stack.id, [])
      return this.#automatic.endSuspension(stack)
    }
    if (await this.#settlesFirst(stack, runs)) return true
    this.#blockers = await this.#findBlockers(stack, runs)
    const next = this.#blockers.length === 0 ? runs.at(-1) : runs.find(({ phase }) => phase === 'undoing')
    if (next !== undefined && (await this.#drift.drop(stack, next))) return true
    if (listing !== undefined && next?.intent === 'sync' && next.phase === 'queued') {
      this.#deps.wakeAfter(listing)
      return false
    }
    if (next !== undefined) return this.#doRun(stack, next, runs.slice(0, runs.indexOf(next)))
    if (runs.length === 0) {
      if (isBehind(stack, last)) return this.#automatic.catchUp(stack, last!)
      if (isScheduleDue({ stack, last }, clock.now())) return this.#automatic.schedule(stack)
      if (isRetryDue(stack, clock.now())) return this.#automatic.retry(stack)
    }
    const mayCorrect = runs.length === 0 && this.#blockers.length === 0
    const isDue = this.#isCheckDue(stack) || (mayCorrect && this.#drift.isCorrectionPending(stack))
    if (!isDue || !isSettled({ stack, last, isOpen: await this.#isOpen() })) return false
    this.#deps.watches.beginCheck(stack.id)
    return this.#drift.check(stack, { last, mayCorrect })
  }

  /** By its interval, or because the target reported a change. */
  #isCheckDue(stack: Stack): boolean {
    const { clock, watches } = this.#deps
    return isDriftDue(stack, clock.now()) || (watches.isWoken(stack.id) && isWatched(stack))
  }

  /**
   * If a closed window blocks the newest run, an interrupted apply is completed at its own revision. True: a run for it
   * was queued.
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
    const blockers = await this.#deps.blockers.find(stack, newest, false)
    if (!blockers.some(({ reason }) => reason === 'Window') || !(await this.#isOpen())) return false
    await this.#deps.sync.store.runs.add({
      stack: stack.id,
      revision,
      cause: { kind: 'recovery', note: 'a window keeps the newer revision waiting' },
    })
    return true
  }

  /**
   * The blockers of the newest run, or of anything that is done without one. They do not block an interrupted apply:
   * its undo goes on, or else the newest run.
   */
  async #findBlockers(stack: Stack, runs: readonly Run[]): Promise<readonly RunBlocker[]> {
    const { blockers, live } = this.#deps
    const isHalfDone = async (): Promise<boolean> =>
      !runs.some(({ phase }) => phase === 'undoing') && (await this.#isOpen())
    const found = mayBeBlocked(stack.spec) ? await blockers.find(stack, runs.at(-1), await isHalfDone()) : []
    if (found.length === 0) live.setBlockers(stack.id, [])
    return found
  }

  /** A newer run was queued: it supersedes the run in progress, unless it is blocked itself. */
  async yieldTo(newer: Run): Promise<void> {
    const stack = (await this.#read())?.stack
    const found =
      stack === undefined || !mayBeBlocked(stack.spec) ? [] : await this.#deps.blockers.find(stack, newer, false)
    const { inProgress } = this
    const isOlder = inProgress !== undefined && isOlderId(inProgress.id, newer.id)
    if (found.length === 0 && isOlder) this.stop(new Stopped('superseded', 'A newer revision is there.'))
  }

  /**
   * When the stack's next automatic step is due; undefined: never. Publishes the blockers of what is due already.
   */
  async dueAt(): Promise<number | undefined> {
    const read = await this.#read()
    if (read === undefined || this.#isLeftAlone(read.stack)) return undefined
    const { stack, last, unfinished: runs } = read
    if (suspends(stack, runs.at(-1)?.intent)) return stack.suspended?.until ?? undefined
    const undoAt = runs.some(({ phase }) => phase === 'undoing') ? stack.retryAt : null
    if (runs.length > 0 && this.#blockers.length === 0) return undoAt ?? undefined
    const blockers = runs.length > 0 || isCorrectable(stack) ? this.#blockers : []
    this.#deps.live.setBlockers(stack.id, blockers)
    return earliest([
      undoAt,
      ...blockers.map(({ until }) => until),
      dueAt({ stack, last, isOpen: await this.#isOpen() }, this.#deps.random()),
    ])
  }

  /** In progress: if the directory of the stack vanished, it suspends the stack, and no run fails. */
  #listing({ managedBy }: Stack): Promise<void> | undefined {
    const fleet = fleetOf(managedBy)
    return fleet === undefined ? undefined : this.#deps.listing(fleet)
  }

  #isLeftAlone(stack: Stack): boolean {
    return this.#deps.refusal?.(stack) !== undefined
  }

  #isUndoing(run: Run): boolean {
    return this.#deps.live.phaseOf(run) === 'undoing'
  }

  /** Of one moment: a run that is queued with a pin or new settings never comes without them. */
  async #read(): Promise<StackWithRuns | undefined> {
    const read = await this.#deps.sync.store.stacks.withRuns(this.#stack)
    if (read === undefined) return undefined
    this.#name = read.stack.spec.name
    return { ...read, stack: withPlausibleTimes(read.stack, this.#deps.clock.now()) }
  }

  #isOpen(): Promise<boolean> {
    return this.#deps.sync.store.journal.isOpen(this.#stack)
  }

  async #doRun(stack: Stack, run: Run, older: readonly Run[]): Promise<boolean> {
    const { store } = this.#deps.sync
    for (const one of older) await store.runs.finish((await store.runs.takeLease(one)).lease, { outcome: 'superseded' })
    if (run.revision === '') return false
    if (run.phase === 'undoing' && stack.retryAt !== null && stack.retryAt > this.#deps.clock.now()) return false
    return this.#perform(stack, await store.runs.takeLease(run))
  }

  /** Before the run takes a slot, so that a remote that hangs blocks no other run. */
  async #fetch(stack: Stack, run: Run, signal: AbortSignal): Promise<void> {
    if (run.intent !== 'sync' || run.phase === 'undoing') return
    await refuseVetoed(stack, run, this.#deps.sync)
    this.#deps.sync.onPhase(run, 'fetching')
    await fetchRevision(stack, run.revision, this.#deps.sync, signal)
  }

  async #perform(stack: Stack, run: LeasedRun): Promise<boolean> {
    const { clock, sync, live, runMs, stop } = this.#deps
    if (stop.aborted) return false // `stop` was called while it was not in progress yet
    const controller = new AbortController()
    const timer = setTimeout(
      () =>
        controller.abort(new Stopped('timeout', `The run did not end within ${runMs / 60_000} minutes (limits.run).`)),
      runMs,
    )
    this.#inProgress = { run, controller }
    live.inProgress.set(run.id, run.phase)
    const began = clock.elapsed()
    let outcome: SyncOutcome | undefined
    try {
      await this.#fetch(stack, run, controller.signal)
      outcome = await this.#deps.slots.run(() => this.#carryOut(stack, run, controller.signal))
      await this.#ends.after(stack, run, outcome, { signal: controller.signal, undoing: this.#isUndoing(run), began })
    } catch (error) {
      await this.#ends.failed(stack, run, error, { signal: controller.signal, undoing: this.#isUndoing(run), began })
    } finally {
      clearTimeout(timer)
      this.#inProgress = undefined
      live.inProgress.delete(run.id)
    }
    await this.#deps.onRunEnd(stack.id, run.id)
    // A correction while a plan needed approval: the stack is behind that plan's revision again.
    const mayBeBehind = run.cause.kind === 'drift'
    return (
      outcome === 'blocked' ||
      mayBeBehind ||
      (await sync.store.runs.unfinished(stack.id)).some((one) => one.id !== run.id)
    )
  }

  #carryOut(stack: Stack, run: LeasedRun, signal: AbortSignal): Promise<SyncOutcome> {
    const sync = { ...this.#deps.sync, targets: this.#deps.sync.targets.snapshot() }
    if (run.phase === 'undoing') return undoStack(stack, run, sync, signal)
    if (run.intent !== 'sync') return uninstallStack(stack, run, sync, signal)
    return syncStack(stack, run, sync, signal)
  }
}
