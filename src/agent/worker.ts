// What is to be done for one stack, one thing after the other: undo that was cut short, the newest run, a retry, a look for drift.
import type { Clock } from '../model/clock.js'
import { describeError, Rejected, Stopped, SyncError, Unavailable } from '../model/errors.js'
import { sameRevision } from '../model/revision.js'
import type { Phase, Run } from '../model/run.js'
import type { Failure, Stack } from '../model/stack.js'
import { checkDrift, isDesired } from '../stacks/check-drift.js'
import { fetchRevision } from '../stacks/load-package.js'
import { syncStack, undoStack, uninstallStack, type SyncDeps, type SyncOutcome } from '../stacks/sync.js'
import { backoffMs, jittered } from './backoff.js'
import { Corrections } from './corrections.js'
import { failureOfError, problemsOf } from './failure-of.js'
import type { Log } from './log.js'
import type { Semaphore } from './semaphore.js'

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
  readonly #corrections = new Corrections()
  #inHand: InHand | undefined

  constructor(stack: string, deps: WorkerDeps) {
    this.#stack = stack
    this.#deps = deps
  }

  get inHand(): { readonly run: Run; readonly phase: Phase } | undefined {
    return this.#inHand
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
    const stack = await sync.store.stacks.get(this.#stack)
    if (stack === undefined || stopping()) return false
    if (stack.suspended !== null) return this.#endSuspension(stack)
    const runs = await sync.store.runs.unfinished(stack.id)
    const newest = runs.at(-1)
    if (newest !== undefined) return this.#doRun(stack, newest, runs.slice(0, -1))
    if (await this.#isBehind(stack)) return this.#addRun(stack, { kind: 'schedule', note: 'a newer revision was seen before the last run' })
    if (isRetryDue(stack, clock)) return this.#retry(stack)
    if (await this.#driftIsDue(stack)) return this.#lookForDrift(stack)
    return false
  }

  /** When the stack has something to do without anybody asking. undefined: never. */
  async dueAt(): Promise<number | undefined> {
    const { sync } = this.#deps
    const stack = await sync.store.stacks.get(this.#stack)
    if (stack === undefined) return undefined
    if (stack.suspended !== null) return stack.suspended.until ?? undefined
    const [run] = (await sync.store.runs.unfinished(stack.id)).slice(-1)
    if (run !== undefined) return run.phase === 'undoing' ? (stack.retryAt ?? undefined) : undefined
    const retryAt = stack.failure?.retry === 'soon' ? stack.retryAt : null
    const driftAt = (await this.#isSettled(stack)) ? this.#driftDueAt(stack) : null
    const times = [retryAt, driftAt].filter((at): at is number => at !== null)
    return times.length === 0 ? undefined : Math.min(...times)
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
    if (run.intent === 'uninstall' || run.phase === 'undoing') return
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
    this.#inHand = { run, phase: run.phase, controller }
    const began = clock.now()
    try {
      await this.#fetch(stack, run, controller.signal)
      const outcome = await this.#deps.places.run(() => this.#carryOut(stack, run, controller.signal))
      await this.#after(stack, run, outcome, controller.signal, began)
    } catch (error) {
      await this.#failed(stack, run, error, controller.signal)
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
    if (run.intent === 'uninstall') return uninstallStack(stack, run, sync, signal)
    return syncStack(stack, run, sync, signal)
  }

  async #after(stack: Stack, run: Run, outcome: SyncOutcome, signal: AbortSignal, began: number): Promise<void> {
    const { log, clock } = this.#deps
    if (outcome === 'stopped') return this.#stopped(stack, run, signal.reason)
    log.info('run ended', { stack: stack.spec.name, run: run.id, revision: run.revision, outcome, ms: clock.now() - began })
    if (outcome === 'undoing') return this.#tryLater(stack)
    if (run.intent === 'uninstall' && run.cause.kind === 'recovery' && outcome !== 'undone' && outcome !== 'failed' && outcome !== 'held')
      return this.#deps.sync.store.stacks.delete(stack.id)
    if (outcome === 'undone' || outcome === 'failed') {
      const { failure } = (await this.#deps.sync.store.stacks.get(stack.id)) ?? stack
      if (failure?.retry === 'soon') await this.#tryLater(stack)
    }
  }

  async #failed(stack: Stack, run: Run, error: unknown, signal: AbortSignal): Promise<void> {
    const { log, sync } = this.#deps
    if (signal.aborted && !(error instanceof SyncError && !(error instanceof Stopped))) return this.#stopped(stack, run, signal.reason)
    const failure = failureOfError(error)
    log.warn('run failed', { stack: stack.spec.name, run: run.id, revision: run.revision, code: failure.code, error: describeError(error) })
    if (!(error instanceof SyncError))
      log.error('unexpected error', {
        stack: stack.spec.name,
        run: run.id,
        detail: error instanceof Error ? (error.stack ?? '') : String(error),
      })
    const stale = failure.code === 'plan/stale'
    const open = (await sync.store.journal.open(stack.id)).length > 0
    if (open && failure.retry !== 'soon') return this.#undoWhatIsOpen(stack, run, error, failure)
    await sync.store.runs.finish(run.id, { outcome: 'failed', problems: problemsOf(error), ...(stale ? {} : { failure }) })
    if (stale) await this.#afterStale(stack)
    if (failure.retry === 'soon') await this.#tryLater(stack)
  }

  /** Nothing was consented to after all; where a plan waited for a person, the one that would be carried out now waits instead. */
  async #afterStale(stack: Stack): Promise<void> {
    const { store } = this.#deps.sync
    await store.stacks.change(stack.id, { consent: null })
    const [, before] = await store.runs.list(stack.id, { limit: 2 })
    if (before?.outcome === 'held')
      await store.runs.add({ stack: stack.id, revision: before.revision, cause: { kind: 'retry', note: 'the plan that waited was stale' } })
  }

  /** A run that cannot even plan must not leave behind what the one before it left half-done. */
  async #undoWhatIsOpen(stack: Stack, run: Run, error: unknown, failure: Failure): Promise<void> {
    const { sync } = this.#deps
    const failed = { ...stack, failure }
    try {
      const outcome = await undoStack(failed, { ...run, problems: problemsOf(error) }, sync, new AbortController().signal)
      if (outcome === 'undoing') await this.#tryLater(stack)
    } catch (unreached) {
      if (unreached instanceof Rejected && unreached.code === 'store/run-finished') return // a newer run is there, and plans from what is
      if (!(unreached instanceof Unavailable)) throw unreached
      await sync.store.runs.finish(run.id, { outcome: 'failed', problems: problemsOf(error), failure: failureOfError(unreached) })
      await this.#tryLater(stack)
    }
  }

  async #stopped(stack: Stack, run: Run, reason: unknown): Promise<void> {
    const { sync, log } = this.#deps
    const why = reason instanceof Stopped ? reason.why : 'cancelled'
    log.info('run stopped', { stack: stack.spec.name, run: run.id, why })
    if ((why === 'suspended' || why === 'shutdown') && this.#inHand?.phase === 'undoing') return
    if (why === 'superseded') return sync.store.runs.finish(run.id, { outcome: 'superseded' })
    if (why === 'shutdown') {
      const begun = (await sync.store.journal.open(stack.id)).length > 0
      return begun ? sync.store.runs.finish(run.id, { outcome: 'interrupted' }) : sync.store.runs.requeue(run.id)
    }
    if (why === 'timeout') {
      await sync.store.runs.finish(run.id, { outcome: 'interrupted', problems: problemsOf(reason), failure: failureOfError(reason) })
      return this.#tryLater(stack)
    }
    const failure: Failure = {
      reason: 'Cancelled',
      code: 'run/cancelled',
      message: describeError(reason),
      retry: 'change',
      hint: `It waits for a new revision or \`gitmoor sync ${stack.spec.name}\`.`,
    }
    return sync.store.runs.finish(run.id, { outcome: 'cancelled', failure })
  }

  async #tryLater(stack: Stack): Promise<void> {
    const { sync, clock, random } = this.#deps
    const retries = ((await sync.store.stacks.get(stack.id))?.retries ?? 0) + 1
    await sync.store.stacks.change(stack.id, { retries, retryAt: clock.now() + backoffMs(retries, random()) })
  }

  async #retry(stack: Stack): Promise<boolean> {
    const open = (await this.#deps.sync.store.journal.open(stack.id)).length > 0
    await this.#deps.sync.store.stacks.change(stack.id, { retryAt: null })
    const note = stack.failure === null ? undefined : stack.failure.message
    return this.#addRun(stack, { kind: open ? 'recovery' : 'retry', ...(note === undefined ? {} : { note }) })
  }

  /** The last run was for another revision than the stack shall be at: a plan that a person asked for took the place of the newest run. */
  async #isBehind({ id, pinned, observed }: Stack): Promise<boolean> {
    const last = (await this.#deps.sync.store.runs.last([id])).get(id)
    const revision = pinned?.revision ?? observed?.revision
    if (last === undefined || last.revision === '' || last.intent !== 'sync' || revision === undefined) return false
    return !sameRevision(last.revision, revision)
  }

  async #addRun(stack: Stack, cause: Run['cause']): Promise<boolean> {
    const revision = stack.pinned?.revision ?? stack.observed?.revision
    if (revision === undefined) return false
    await this.#deps.sync.store.runs.add({ stack: stack.id, revision, cause })
    return true
  }

  #driftDueAt(stack: Stack): number | null {
    if (stack.spec.drift === 'ignore' || stack.applied === null || stack.failure !== null) return null
    return (stack.checkedAt ?? 0) + jittered(stack.spec.driftIntervalMs, this.#deps.random())
  }

  async #driftIsDue(stack: Stack): Promise<boolean> {
    const at = this.#driftDueAt(stack)
    if (at === null || (stack.checkedAt ?? 0) + stack.spec.driftIntervalMs * 0.9 > this.#deps.clock.now()) return false
    return this.#isSettled(stack)
  }

  /** Nothing is half-done, and no plan waits for a person. */
  async #isSettled({ id }: Stack): Promise<boolean> {
    const { store } = this.#deps.sync
    const last = (await store.runs.last([id])).get(id)
    return last?.outcome !== 'held' && (await store.journal.open(id)).length === 0
  }

  async #lookForDrift(stack: Stack): Promise<boolean> {
    const { sync, clock } = this.#deps
    try {
      const fields = await this.#deps.places.run(() => checkDrift(stack, sync, clock, AbortSignal.timeout(this.#deps.runMs)))
      return fields.length > 0 && stack.spec.drift === 'correct' && isDesired(stack) && (await this.#correct(stack, fields))
    } catch (error) {
      await sync.store.stacks.change(stack.id, { checkedAt: clock.now(), failure: failureOfError(error) })
      await this.#tryLater(stack)
      return false
    }
  }

  /** A run that puts it right, unless somebody keeps putting it wrong again. */
  async #correct(stack: Stack, fields: readonly string[]): Promise<boolean> {
    const { sync, clock, random } = this.#deps
    const fought = this.#corrections.note(fields, clock.now())
    if (fought !== undefined) {
      const message = `${fought} was corrected 5 times in 10 minutes: something else keeps changing it.`
      const hint = `Find out what writes it, or take it out of the package; \`gitmoor stack set ${stack.spec.name} --drift report\` stops the corrections.`
      const failure: Failure = { reason: 'Fighting', code: 'agent/fighting', message, hint, retry: 'soon' }
      await sync.store.stacks.change(stack.id, { failure, retryAt: clock.now() + jittered(600_000, random()) })
      return false
    }
    const note = `${fields.length} ${fields.length === 1 ? 'field differs' : 'fields differ'} from what ${stack.applied!.revision} declares`
    await sync.store.runs.add({ stack: stack.id, revision: stack.applied!.revision, cause: { kind: 'drift', note } })
    return true
  }
}

/** Without a time, the agent ended before it could write one down. */
function isRetryDue({ failure, retryAt }: Stack, clock: Clock): boolean {
  return failure?.retry === 'soon' && (retryAt === null || isDue(retryAt, clock))
}

function isDue(at: number | null, clock: Clock): boolean {
  return at !== null && at <= clock.now()
}
