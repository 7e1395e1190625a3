// The end of a run: stores the outcome, undoes what a failed apply left, and schedules retries.
import type { Clock } from '../../lib/clock.js'
import { withoutUndefined } from '../../lib/without-undefined.js'
import { describeError, LeaseLost, Stopped, SyncError, Unavailable } from '../../model/errors.js'
import { sameRevision } from '../../model/sources/revision.js'
import type { Lease, LeasedRun, Run } from '../../model/stacks/run.js'
import type { Failure, Stack } from '../../model/stacks/stack.js'
import { cancelledFailure } from '../../status/axes.js'
import type { NewRun } from '../../store/run-table.js'
import { undoStack, type SyncDeps, type SyncOutcome } from '../../stacks/sync.js'
import { backoffMs } from '../schedule/backoff.js'
import { claimedCount, repeatedFailure, toFailure, toProblems } from '../failure.js'
import type { Log } from '../watch/log.js'
import type { ClaimedStacks } from './claimed-stacks.js'
import { runBefore } from './run-before.js'

export interface RunEndDeps {
  readonly sync: SyncDeps
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  readonly claimed: ClaimedStacks
}

/** `began`: by `Clock.elapsed`; `undoing`: the run was undoing changes when it ended. */
export interface EndedRun {
  readonly signal: AbortSignal
  readonly undoing: boolean
  readonly began: number
}

export class RunEnd {
  readonly #deps: RunEndDeps

  constructor(deps: RunEndDeps) {
    this.#deps = deps
  }

  /** The run ended with an outcome. */
  async after(stack: Stack, run: LeasedRun, outcome: SyncOutcome, ended: EndedRun): Promise<void> {
    const { log, clock } = this.#deps
    if (outcome === 'stopped') return this.#stopped(stack, run, ended)
    if (outcome === 'blocked') {
      log.info('run queued again', {
        stack: stack.spec.name,
        run: run.id,
        why: 'a window closed before its first write',
      })
      return this.#deps.sync.store.runs.requeue(run.lease)
    }
    log.info('run ended', {
      stack: stack.spec.name,
      run: run.id,
      revision: run.revision,
      outcome,
      ms: Math.round(clock.elapsed() - ended.began),
    })
    if (outcome === 'undoing') return this.scheduleRetry(run.lease)
    if (outcome !== 'unchanged' && outcome !== 'needs-approval') await this.#deps.claimed.changed(stack)
    const done = outcome === 'applied' || outcome === 'unchanged'
    // No request waits for it, or the request ended with the last process.
    const isUnattended = run.cause.kind === 'recovery' || run.cause.unattended === true
    if (done && run.intent === 'delete' && isUnattended)
      return this.#deps.sync.store.stacks.delete(stack.id, undefined, run.cause.by)
    if (outcome === 'undone' || outcome === 'failed') {
      const { failure } = (await this.#deps.sync.store.stacks.get(stack.id)) ?? stack
      if (failure?.retry === 'soon') await this.scheduleRetry(run.lease)
    }
  }

  /** The run ended with an error: of the source, the package, the target before any write, or the database. */
  async failed(stack: Stack, run: LeasedRun, error: unknown, ended: EndedRun): Promise<void> {
    try {
      await this.#failed(stack, run, error, ended)
    } catch (thrown) {
      if (!(thrown instanceof LeaseLost)) throw thrown
      this.#deps.log.info('run stopped', { stack: stack.spec.name, run: run.id, why: 'superseded' })
    }
  }

  async #failed(stack: Stack, run: LeasedRun, error: unknown, ended: EndedRun): Promise<void> {
    const { log, sync } = this.#deps
    if (error instanceof LeaseLost) throw error
    if (ended.signal.aborted && !(error instanceof SyncError && !(error instanceof Stopped)))
      return this.#stopped(stack, run, ended)
    const failure = repeatedFailure(toFailure(error), stack.failure, sync.clock.now())
    // A target that stays unreachable is one line, however often gitmoor retries.
    const isRepeated = failure.retry === 'soon' && stack.failure?.code === failure.code
    log[isRepeated ? 'debug' : 'warn']('run failed', {
      stack: stack.spec.name,
      run: run.id,
      revision: run.revision,
      code: failure.code,
      error: describeError(error),
    })
    if (!(error instanceof SyncError))
      log.error('unexpected error', {
        stack: stack.spec.name,
        run: run.id,
        detail: error instanceof Error ? (error.stack ?? '') : String(error),
      })
    // The retry continues the undo of this run.
    if (run.phase === 'undoing' && failure.retry === 'soon') return this.scheduleRetry(run.lease)
    const stale = failure.code === 'plan/stale'
    const open = await sync.store.journal.isOpen(stack.id)
    if (open && failure.retry !== 'soon') {
      await this.#undoWhatIsOpen(stack, run, error, failure)
      await this.#deps.claimed.changed(stack)
      return this.#deps.claimed.failed(stack, failure, ended.began)
    }
    if (stale) await sync.store.stacks.change(run.lease, { consent: null })
    await sync.store.runs.finish(run.lease, {
      outcome: 'failed',
      problems: toProblems(error, stack),
      ...(stale ? withoutUndefined({ next: await this.#replaced(run) }) : { failure }),
    })
    await this.#storeClaimed(stack, run, error)
    await this.#deps.claimed.failed(stack, failure, ended.began)
    if (failure.retry === 'soon') await this.scheduleRetry(run.lease, retryAfterMs(error))
  }

  /** Another stack took over resources: the applied state has drifted. */
  async #storeClaimed({ applied }: Stack, { revision, lease }: LeasedRun, error: unknown): Promise<void> {
    const drifted = claimedCount(error)
    if (drifted > 0 && sameRevision(applied?.revision, revision))
      await this.#deps.sync.store.stacks.change(lease, { drifted })
  }

  /** What a stale plan kept from its turn: a run that it superseded, or whose plan needed approval. */
  async #replaced(run: Run): Promise<NewRun | undefined> {
    const before = await runBefore(this.#deps.sync.store, run)
    const isReplaced =
      before?.outcome === 'needs-approval' || (before?.outcome === 'superseded' && before.intent === 'sync')
    if (!isReplaced) return undefined
    return {
      stack: run.stack,
      revision: before.revision,
      orNewer: true,
      cause: { kind: 'retry', note: 'the plan in its place was stale' },
    }
  }

  /** A run that cannot plan undoes the interrupted apply of an earlier run. */
  async #undoWhatIsOpen(stack: Stack, run: LeasedRun, error: unknown, failure: Failure): Promise<void> {
    const { sync } = this.#deps
    const failed = { ...stack, failure }
    try {
      const outcome = await undoStack(
        failed,
        { ...run, problems: toProblems(error, stack) },
        sync,
        new AbortController().signal,
      )
      if (outcome === 'undoing') await this.scheduleRetry(run.lease)
    } catch (undoError) {
      if (!(undoError instanceof Unavailable)) throw undoError
      await sync.store.runs.finish(run.lease, {
        outcome: 'failed',
        problems: toProblems(error, stack),
        failure: toFailure(undoError),
      })
      await this.scheduleRetry(run.lease)
    }
  }

  async #stopped(stack: Stack, run: LeasedRun, { signal, undoing }: EndedRun): Promise<void> {
    const { sync, log } = this.#deps
    const reason: unknown = signal.reason
    const why = reason instanceof Stopped ? reason.why : 'cancelled'
    log.info('run stopped', { stack: stack.spec.name, run: run.id, why })
    if ((why === 'suspended' || why === 'shutdown') && undoing) return
    if (why === 'superseded') return sync.store.runs.finish(run.lease, { outcome: 'superseded' })
    if (why === 'shutdown') {
      const begun = await sync.store.journal.isOpen(stack.id)
      return begun ? sync.store.runs.finish(run.lease, { outcome: 'interrupted' }) : sync.store.runs.requeue(run.lease)
    }
    if (why === 'timeout') {
      await sync.store.runs.finish(run.lease, {
        outcome: 'interrupted',
        problems: toProblems(reason, stack),
        failure: toFailure(reason),
      })
      return this.scheduleRetry(run.lease)
    }
    return sync.store.runs.finish(run.lease, {
      outcome: 'cancelled',
      failure: cancelledFailure(stack, describeError(reason)),
    })
  }

  /** Of a stack, or of a run's stack: with backoff by the failures in a row, and not before the Retry-After. */
  async scheduleRetry(of: string | Lease, retryAfter = 0): Promise<void> {
    const { sync, clock, random } = this.#deps
    const id = typeof of === 'string' ? of : of.stack
    const retries = ((await sync.store.stacks.get(id))?.retries ?? 0) + 1
    await sync.store.stacks.change(of, {
      retries,
      retryAt: clock.now() + Math.max(retryAfter, backoffMs(retries, random())),
    })
  }
}

/** The Retry-After of an error. */
function retryAfterMs(error: unknown): number {
  return error instanceof Unavailable ? (error.retryAfterMs ?? 0) : 0
}
