// What would be done, and the consent to it.
import { Refused, SyncError } from '../../model/errors.js'
import { sourceRevisions, revisionRef, sameRevision } from '../../model/revision.js'
import type { Run } from '../../model/run.js'
import type { Stack, StackSpec } from '../../model/stack.js'
import { consentTo } from '../../plan/approval-rules.js'
import { refusalOf, type Desk } from '../desk.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { loadPackage } from '../load-package/load-package.js'
import { currentRevision } from '../load-package/sources-at-revision.js'
import { kindsByName, planStack, type Planned } from './plan-stack.js'
import { packageGraph, desiredState } from '../sync.js'
import { needsApproval } from '../../status/axes.js'
import type { Verbs } from '../verbs.js'
import { viewPlan, viewRunRow } from '../queries/view-stack.js'
import type { AppliedRow, RunRow } from '../../views/run.js'
import type { PlanView } from '../../views/plan.js'

/** How far back it is asked whether a plan was carried out already. */
const runsAsked = 20

export class PlanVerbs implements Pick<Verbs, 'plan' | 'apply' | 'approve'> {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async plan(
    name: string,
    options: { readonly ref?: string; readonly uninstall?: boolean },
    signal: AbortSignal,
  ): Promise<PlanView> {
    const stack = await this.#desk.stack(name)
    if (options.uninstall === true) return this.#planUninstall(stack, signal)
    return this.#planAt(stack, options.ref, signal)
  }

  async apply(
    plan: { readonly stack: string; readonly revision: string; readonly digest: string },
    by: string,
    signal: AbortSignal,
    options: WindowOverrideOptions = {},
  ): Promise<AppliedRow> {
    const stack = await this.#desk.stack(plan.stack)
    this.#desk.refuseClosed(stack, options)
    if (plan.revision !== stack.pinned?.revision) refuseOtherRefs(stack.spec, plan.revision)
    this.#desk.refuseSuspended(stack)
    const newest = stack.pinned?.revision ?? (await this.#revisionOf(stack.spec, signal))
    if (plan.revision !== newest)
      throw new Refused('stale', `The plan is of ${plan.revision}, but ${stack.spec.name} shall be at ${newest}.`, {
        code: 'plan/stale',
        hint: `Look again with: gitmoor plan ${stack.spec.name}`,
      })
    const before = await this.#appliedAlready(stack, plan, signal)
    if (before !== undefined) return { ...viewRunRow(before), already: true }
    const run = await this.#desk.queue(stack, {
      revision: plan.revision,
      cause: await this.#desk.asked(stack, by, { note: 'apply of a plan', ...options }),
      expects: plan.digest,
    })
    const ended = await this.#desk.finished(stack, run, signal)
    // The look before was for this verb alone; this one makes known what was applied.
    if (stack.observed?.revision !== plan.revision) await this.#desk.dispatch.polls.poll(stack, signal).catch(() => {})
    return this.#rowOrRefusal(stack, ended)
  }

  async approve(
    name: string,
    digest: string,
    by: string,
    signal: AbortSignal,
    options: WindowOverrideOptions = {},
  ): Promise<RunRow> {
    const stack = await this.#desk.stack(name)
    this.#desk.refuseSuspended(stack)
    const last = await this.#desk.lastRun(stack)
    const plan =
      last !== undefined && needsApproval({ stack, last }) ? (await this.#desk.store.runs.get(last.id))?.plan : null
    if (plan == null)
      throw new Refused('needs-approval', `${name} has no plan that waits for a person.`, {
        hint: `See what would be done: gitmoor plan ${name}`,
      })
    if (digest.length < 12 || !plan.digest.startsWith(digest))
      throw new Refused('stale', `The plan that waits is ${plan.digest.slice(0, 12)}, not ${digest}.`, {
        code: 'plan/stale',
        hint: `Look at it with: gitmoor plan ${name}`,
      })
    const note = `approved plan ${plan.digest.slice(0, 12)}`
    const cause = await this.#desk.asked(stack, by, { note, ...options, mayWait: true })
    await this.#desk.store.stacks.change(stack.id, { consent: consentTo(plan, by) })
    const { revision, intent } = last!
    const run = await this.#desk.queue(stack, {
      revision,
      intent,
      cause,
      expects: plan.digest,
    })
    const ended = await this.#desk.finished(stack, run, signal)
    await this.#desk.forgetUninstalled(stack, ended)
    return this.#rowOrRefusal(stack, ended)
  }

  /** What the next sync would do with these settings; or why that cannot be said. */
  async preview(stack: Stack, signal: AbortSignal): Promise<{ readonly plan?: PlanView; readonly problem?: string }> {
    try {
      const revision = await this.#revisionOf(stack.spec, signal)
      return { plan: await this.#planRevision({ ...stack, pinned: null, applied: null }, revision, signal) }
    } catch (error) {
      if (error instanceof SyncError) return { problem: error.message }
      throw error
    }
  }

  /**
   * The run that carried the plan out, where nothing has to be done any more. Refuses what is stale before it makes a
   * run.
   */
  async #appliedAlready(
    stack: Stack,
    { revision, digest }: { readonly revision: string; readonly digest: string },
    signal: AbortSignal,
  ): Promise<Run | undefined> {
    const now = await this.#planRevision(stack, revision, signal)
    if (now.digest.startsWith(digest)) return undefined
    const runs = now.changes.length > 0 ? [] : await this.#desk.store.runs.list(stack.id, { limit: runsAsked })
    for (const { id, outcome, ...run } of runs) {
      const plan =
        outcome === 'applied' && sameRevision(run.revision, revision)
          ? (await this.#desk.store.runs.get(id))?.plan
          : null
      if (plan?.digest.startsWith(digest) === true) return this.#desk.store.runs.get(id)
    }
    throw new Refused(
      'stale',
      `The plan ${digest.slice(0, 12)} is stale: what would be done now is plan ${now.digest.slice(0, 12)}.`,
      {
        code: 'plan/stale',
        hint: `Look again with: gitmoor plan ${stack.spec.name}`,
      },
    )
  }

  #rowOrRefusal(stack: Stack, run: Run): RunRow {
    if (run.problems.some(({ code }) => code === 'plan/stale')) throw refusalOf(run, stack)
    return viewRunRow(run)
  }

  /** Looks for itself, so that to look at a plan does not begin a run. */
  async #planAt(stack: Stack, ref: string | undefined, signal: AbortSignal): Promise<PlanView> {
    const spec = ref === undefined ? stack.spec : atRef(stack.spec, ref)
    const pinned = spec === stack.spec ? stack.pinned?.revision : undefined
    return this.#planRevision(stack, pinned ?? (await this.#revisionOf(spec, signal)), signal)
  }

  #revisionOf(spec: StackSpec, signal: AbortSignal): Promise<string> {
    return currentRevision(spec, this.#desk.released, signal)
  }

  async #planRevision(stack: Stack, revision: string, signal: AbortSignal): Promise<PlanView> {
    const loaded = await loadPackage(stack, { revision, cause: { kind: 'person' } }, this.#desk.sync, signal)
    const graph = await packageGraph(loaded, stack, this.#desk.sync, signal)
    const planned = await this.#planned(stack, desiredState(graph, revision), signal)
    return viewPlan(planned.plan, stack, [...graph.problems, ...planned.problems])
  }

  async #planUninstall(stack: Stack, signal: AbortSignal): Promise<PlanView> {
    const revision = stack.applied?.revision ?? stack.observed?.revision ?? 'none'
    const { plan, problems } = await this.#planned(stack, { revision, resources: [], uninstall: true }, signal)
    return viewPlan(plan, stack, problems)
  }

  #planned(stack: Stack, what: Parameters<typeof planStack>[1], signal: AbortSignal): Promise<Planned> {
    return this.#desk.dispatch.runs.exclusively(stack.id, signal, () =>
      this.#desk.sync.targets.reach(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
        await this.#desk.sync.engine.recover(
          { stack: stack.id, ...reached, kindNamed: kindsByName(reached.platform) },
          signal,
        )
        return planStack(stack, what, { ...this.#desk.sync, ...reached }, signal)
      }),
    )
  }
}

/** A plan of a ref that the stack does not follow is not carried out. */
function refuseOtherRefs({ name, sources }: StackSpec, revision: string): void {
  const parts = sourceRevisions(revision)
  if (parts.length !== sources.length)
    throw new Refused('usage', `The plan is of other sources than ${name} has now.`, {
      hint: `Look again with: gitmoor plan ${name}`,
    })
  for (const [at, source] of sources.entries()) {
    const of = revisionRef(parts[at]!)
    if (source.kind === 'git' && source.ref !== of)
      throw new Refused('usage', `The plan is of ${of}, but ${name} follows ${source.ref}.`, {
        hint: `To follow it: gitmoor stack set ${name} --ref ${of}`,
      })
  }
}

/** The same stack at another ref of its one git source; the very same where it follows that ref. */
function atRef(spec: StackSpec, ref: string): StackSpec {
  const git = spec.sources.filter((source) => source.kind === 'git')
  if (git.length !== 1)
    throw new Refused(
      'usage',
      `${spec.name} has ${git.length === 0 ? 'no git source' : `${git.length} git sources`}: a ref says too little.`,
      {
        hint: `Plan what it follows: gitmoor plan ${spec.name}`,
      },
    )
  if (git[0]!.ref === ref) return spec
  return { ...spec, sources: spec.sources.map((source) => (source.kind === 'git' ? { ...source, ref } : source)) }
}
