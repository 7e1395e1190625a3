// engine: a plan → its result on the target.
// Takes a plan and a connection to a target; gives the outcome. Journals every step, undoes on failure, and finds
// resources whose creation was not confirmed.
// Promises: apply is safe to repeat; a crash at any point leaves no duplicates and no orphans, without manual work.
import type { Address } from '../model/address.js'
import { inSlices, Slices } from '../lib/async/steps.js'
import type { Change, Plan } from '../model/resources/change.js'
import { Ambiguous, conflictReason, InvalidPackage, isConflict, Rejected } from '../model/errors.js'
import type { KindNamed } from '../model/resources/kind.js'
import { countProblems, isUndoProblem, type Problem } from '../model/problem.js'
import type { Observed, Owned, Resource } from '../model/resources/resource.js'
import type { Lease, RunLease } from '../model/stacks/run.js'
import type { AppliedPackage, Failure, IgnoreRule } from '../model/stacks/stack.js'
import { countSharedDrift } from '../plan/counts.js'
import { findUnhealthy } from '../plan/unhealthy.js'
import type { CallContext } from '../platform/call-driver.js'
import type { Connection } from '../platform/platform.js'
import { confirmChanges, type ReadTarget } from './confirm-changes.js'
import { changeFailures, improperPartial, neverBegan, partialUnsettled } from './engine-problems.js'
import { dropUnwrittenClaims } from './claims.js'
import type { JournalEntry, Journal, Sealer, Settlement, UndoCause } from './journal.js'
import { resolveTraces } from './resolve-traces.js'
import { runChanges } from './run-changes.js'
import { RunJournal } from './run-journal.js'
import { performStep } from './step.js'
import { undoEntries } from './undo.js'

/** The run, by its lease, and the connection to the target of its stack. */
export interface RunContext {
  readonly lease: RunLease
  readonly connection: Connection
  readonly calling: CallContext
  readonly kindNamed: KindNamed
  /** Ignored fields. */
  readonly ignore?: readonly IgnoreRule[]
  /** Called when the run begins to undo. */
  readonly onUndo?: () => void
}

/** A lease without a run, too, recovers. */
type Recovery = Omit<RunContext, 'lease'> & { readonly lease: Lease }

export interface ApplyInput extends RunContext {
  readonly plan: Plan
  readonly byAddress: ReadonlyMap<Address, Resource>
  readonly owned: ReadonlyMap<Address, Owned>
  readonly observed: Map<Address, Observed>
  readonly onFailure: 'undo' | 'continue'
  /** Warnings of the package, stored with the run. */
  readonly problems: readonly Problem[]
  /** The applied package after success; null after an uninstall. */
  readonly applied: AppliedPackage | null
}

/**
 * `stopped`: superseded, cancelled or shutting down; the journal stays open. `undoing`: the target is unreachable; undo
 * continues later.
 */
export type ApplyOutcome = 'applied' | 'unchanged' | 'undone' | 'failed' | 'stopped' | 'undoing'

export class Engine {
  readonly #journal: Journal
  readonly #sealer: Sealer

  constructor({ journal, sealer }: { readonly journal: Journal; readonly sealer: Sealer }) {
    this.#journal = journal
    this.#sealer = sealer
  }

  /** The journal's entries after unconfirmed creations were resolved. Call it before every plan. */
  recover(context: Recovery, signal: AbortSignal): Promise<readonly JournalEntry[]> {
    return resolveTraces({ ...context, journal: this.#journal, sealer: this.#sealer }, signal)
  }

  /** Records which changes of earlier runs the target made. `open`: what `recover` returned; `read`: of the plan. */
  confirm(acting: RunContext, open: readonly JournalEntry[], read: ReadTarget): Promise<void> {
    return confirmChanges(open, read, { ...acting, journal: this.#journal, sealer: this.#sealer })
  }

  /** Carries out a plan that needs no approval. Does not throw errors of the target. */
  async apply(apply: ApplyInput, signal: AbortSignal): Promise<ApplyOutcome> {
    const { lease, plan } = apply
    const open = await this.#journal.openEntries(lease.stack)
    if (plan.partial === true) refuseImproper(plan.changes, open)
    const journal = new RunJournal(this.#journal, lease)
    const deps = { ...apply, journal, sealer: this.#sealer }
    const groupOf = ({ kind, address }: Change): number | undefined => apply.kindNamed(kind, address)?.grouping?.group
    const pace = { concurrency: apply.connection.concurrency, onFailure: apply.onFailure, groupOf, signal }
    await new Slices().afterStep() // queueing 20,000 changes takes a slice of its own
    const { failures, begun } = await runChanges(
      plan.changes,
      (change) => journal.during(() => performStep(change, deps)),
      pace,
    )
    const isComplete = failures.size === 0 && begun === plan.changes.length
    const all = isComplete ? failures : allFailures(await journal.flush(), failures)
    if (all.size > 0) return this.#failed(apply, all, signal)
    if (!isComplete && !signal.aborted) throw neverBegan(plan.changes.length - begun)
    if (!isComplete) return 'stopped'
    const outcome = plan.changes.length === 0 && open.length === 0 ? 'unchanged' : 'applied'
    return this.#settle(apply, { outcome, journal }, signal)
  }

  /** Settles with the last marks in one commit. A mark that the store refuses is a failure of its step. */
  async #settle(
    apply: ApplyInput,
    { outcome, journal }: { readonly outcome: 'applied' | 'unchanged'; readonly journal: RunJournal },
    signal: AbortSignal,
  ): Promise<ApplyOutcome> {
    const { lease, applied, problems, plan } = apply
    try {
      const whole = plan.partial === true ? ({ partial: true } as const) : { applied, ...(await foundAfter(apply)) }
      await this.#journal.settle(lease, { outcome, problems, failure: null, ...whole })
      return outcome
    } catch (error) {
      const failures = await journal.flush()
      if (!(error instanceof Rejected) || failures.size === 0) throw error
      return this.#failed(apply, failures, signal)
    }
  }

  /** Undoes the journal's entries; the run then ends `undone`. `why`: the problems and the failure that began it. */
  async undo(context: RunContext, why: UndoCause, signal: AbortSignal): Promise<'undone' | 'undoing'> {
    const { lease, connection, calling, kindNamed, ignore = [] } = context
    context.onUndo?.()
    await this.#journal.startUndo(lease, why)
    let cause = why
    const onGivenUp = async (problem: Problem): Promise<void> => {
      cause = incomplete(cause, problem)
      await this.#journal.startUndo(lease, cause)
    }
    const deps = {
      lease,
      journal: this.#journal,
      sealer: this.#sealer,
      connection,
      calling,
      kindNamed,
      ignore,
      onGivenUp,
    }
    const isComplete = await undoEntries(await this.#journal.openEntries(lease.stack), deps, signal)
    if (!isComplete) return 'undoing'
    await this.#journal.settle(lease, { outcome: 'undone', ...cause })
    return 'undone'
  }

  /** Keeps completed steps; the run ends `failed`. Unconfirmed creations must be resolved before. */
  async keepCompleted({ lease }: Pick<RunContext, 'lease'>, why: UndoCause): Promise<'failed'> {
    await dropUnwrittenClaims(await this.#journal.openEntries(lease.stack), { lease, journal: this.#journal })
    await this.#journal.settle(lease, { outcome: 'failed', ...why })
    return 'failed'
  }

  async #failed(
    apply: ApplyInput,
    failures: ReadonlyMap<Address, unknown>,
    signal: AbortSignal,
  ): Promise<ApplyOutcome> {
    const errors = [...failures].flatMap(([address, error]) => changeFailures(address, error))
    const problems = [...errors, ...apply.problems]
    const failure = runFailure([...failures.values()], errors, apply.onFailure === 'undo' ? 'Undone' : 'ApplyFailed')
    if (apply.onFailure === 'undo') return this.undo(apply, { problems, failure }, signal)
    await this.recover(apply, signal)
    return this.keepCompleted(apply, { problems, failure })
  }
}

/** What differs, and what does not work: as the plan read it, and written resources as their driver returned them. */
async function foundAfter(apply: ApplyInput): Promise<Pick<Settlement, 'drifted' | 'unhealthy'>> {
  return {
    drifted: countSharedDrift(apply.plan),
    unhealthy: await inSlices(findUnhealthy(resourcesAfter(apply), apply)),
  }
}

/** The declared resources, and those that stay although they are not declared. */
function* resourcesAfter({ plan, byAddress, owned }: ApplyInput): Iterable<Pick<Owned, 'address' | 'kind'>> {
  for (const { address, kind } of byAddress.values()) yield { address, kind: kind.kind }
  const left = new Set(
    plan.changes.flatMap(({ action, address, from }) =>
      action === 'remove' || action === 'untrack' ? address : (from ?? []),
    ),
  )
  for (const one of owned.values()) if (!byAddress.has(one.address) && !left.has(one.address)) yield one
}

/** A partial plan adopts, moves and removes nothing, and does not settle what a whole plan began. */
function refuseImproper(changes: readonly Change[], open: readonly JournalEntry[]): void {
  if (open.length > 0) throw partialUnsettled()
  const improper = changes.find(
    ({ action, adopts, shares, takesFrom, from }) =>
      (action !== 'create' && action !== 'update') ||
      adopts === true ||
      shares === true ||
      takesFrom !== undefined ||
      from !== undefined,
  )
  if (improper !== undefined) throw improperPartial(improper.address)
}

/** Failures of marks first: other steps may have failed because of them. */
function allFailures(
  marks: ReadonlyMap<Address, unknown>,
  steps: ReadonlyMap<Address, unknown>,
): ReadonlyMap<Address, unknown> {
  const causes = new Set(marks.values())
  return new Map([...marks, ...[...steps].filter(([, error]) => !causes.has(error))])
}

/** The failure of several errors. It is retried soon only if all may pass. `reason`: unless all are conflicts. */
export function runFailure(errors: readonly unknown[], problems: readonly Problem[], reason: string): Failure {
  const first = problems[0]
  const count = countProblems(problems)
  const more = count > 1 ? ` (and ${count - 1} more)` : ''
  return {
    reason: errors.length > 0 && errors.every(isConflict) ? conflictReason : reason,
    code: first?.code ?? 'engine/failed',
    message: `${first?.message ?? 'The run failed.'}${more}`,
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
    retry: retryAfter(errors),
  }
}

function retryAfter(errors: readonly unknown[]): Failure['retry'] {
  if (errors.some((error) => error instanceof Ambiguous)) return 'person'
  const rejected = errors.filter((error) => error instanceof Rejected || error instanceof InvalidPackage)
  if (!rejected.every(isConflict)) return 'change'
  return 'soon'
}

/** The cause with one more problem of the undo, without duplicates. */
function incomplete({ problems, failure }: UndoCause, givenUp: Problem): UndoCause {
  const all = problems.some(({ message }) => message === givenUp.message) ? problems : [...problems, givenUp]
  const left = all.filter(isUndoProblem)
  return {
    problems: all,
    failure: {
      reason: 'UndoIncomplete',
      code: 'engine/undo-incomplete',
      message: `Not everything could be undone: ${left.map(({ message }) => message).join('; ')}`,
      retry: failure?.retry ?? 'change',
      hint: 'Ownership records what is on the target. The next revision continues from there.',
    },
  }
}
