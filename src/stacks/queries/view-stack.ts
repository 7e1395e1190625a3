// Stacks, runs and plans as views.
import { isoTime } from '../../lib/text/time-text.js'
import { familyOf, nameOf } from '../../model/address.js'
import type { Steps } from '../../lib/async/steps.js'
import { countChanges } from '../../plan/counts.js'
import type { Plan } from '../../model/resources/change.js'
import type { KindNamed } from '../../model/resources/kind.js'
import { errorSummary, type Problem } from '../../model/problem.js'
import type { Owned } from '../../model/resources/resource.js'
import type { Run } from '../../model/stacks/run.js'
import type { CommitLinks } from '../../model/sources/forge.js'
import { sourceRevisions } from '../../model/sources/revision.js'
import type { Pin, Stack } from '../../model/stacks/stack.js'
import type { Blocker, RunBlocker } from '../../model/stacks/blocker.js'
import { isCancelled, stackHealth, runPhase, syncState, type StatusInput } from '../../status/axes.js'
import { stackConditions } from '../../status/conditions.js'
import { stackStatus, type StackStatus } from '../../status/status.js'
import { stackTag } from '../stack-tag.js'
import type { PlanView } from '../../views/plan.js'
import type { ResourceRow, SourceView, StackRow } from '../../views/stack.js'
import type { RunRow, RunView } from '../../views/run.js'
import type { BlockerView, StatusView } from '../../views/status.js'

export function timeOrNull(ms: number | null): string | null {
  return ms === null || !Number.isFinite(ms) ? null : isoTime(ms)
}

export function viewBlocker<Reason extends string>({
  reason,
  message,
  since,
  until,
  next,
}: Blocker<Reason>): BlockerView & { readonly reason: Reason } {
  return { reason, message, since: timeOrNull(since), until: timeOrNull(until), next }
}

export function viewStatus({ since, behindSince, ...status }: StackStatus, now: number): StatusView {
  const lagMs = behindSince === null ? 0 : Math.max(0, now - behindSince)
  return { ...status, since: timeOrNull(since), lagMs }
}

/** Nothing: the Git host of the repository is unknown. */
type LinksOf = (remote: string) => { readonly links?: CommitLinks }

/** What a row shows beside its status. `now`: milliseconds since the epoch; `found`: the versions in its revisions. */
interface RowFacts {
  readonly now: number
  readonly nextPollAt: number | null
  readonly found: Pick<StackRow, 'versions'>
  /** Web addresses of a repository, by its address. */
  readonly linksOf: LinksOf
}

export function viewRow(input: StatusInput, { now, nextPollAt, found, linksOf }: RowFacts): StackRow {
  const { stack, last } = input
  const { spec, observed, attempted, applied, suspended } = stack
  return {
    name: spec.name,
    displayName: spec.displayName ?? spec.name,
    labels: spec.labels,
    id: stack.id,
    managedBy: stack.managedBy,
    createdAt: isoTime(stack.createdAt),
    etag: stackTag(stack),
    sources: viewSources(stack, linksOf),
    target: spec.target,
    status: viewStatus(stackStatus(input), now),
    sync: syncState(input),
    health: stackHealth(input),
    phase: runPhase(input),
    suspended: suspended && { why: suspended.reason, by: suspended.by, until: timeOrNull(suspended.until) },
    pinned: stack.pinned && viewPin(stack.pinned),
    conditions: stackConditions(input),
    revision: {
      observed: observed?.revision ?? null,
      attempted: attempted?.revision ?? null,
      applied: applied?.revision ?? null,
    },
    lastRun: last === undefined ? null : { ...viewRunRow(last, input.inProgress), ...viewApproval(last, stack, last) },
    nextPollAt: timeOrNull(nextPollAt),
    checkedAt: timeOrNull(stack.checkedAt),
    unhealthy: viewUnhealthy(stack),
    ...found,
  }
}

function viewUnhealthy({ unhealthy, unhealthySince }: Stack): StackRow['unhealthy'] {
  return unhealthy && { ...unhealthy, since: timeOrNull(unhealthySince) }
}

function viewPin({ run, revision, by, why }: Pin): StackRow['pinned'] {
  return { run, revision, by, why }
}

/** Each source with its own revision, from the observed one. */
export function viewSources({ spec, observed }: Stack, linksOf: LinksOf): readonly SourceView[] {
  const parts = observed === null ? [] : sourceRevisions(observed.revision)
  return spec.sources.map((source, at) => ({
    ...source,
    revision: (parts.length === spec.sources.length ? parts[at] : null) ?? null,
    ...(source.kind === 'git' ? linksOf(source.url) : {}),
  }))
}

export function viewRunRow(run: Run, inProgress?: Run['phase']): RunRow {
  return {
    id: run.id,
    revision: run.revision,
    cause: run.cause,
    phase: run.outcome === null ? (inProgress ?? run.phase) : run.phase,
    outcome: run.outcome,
    createdAt: isoTime(run.createdAt),
    startedAt: timeOrNull(run.startedAt),
    finishedAt: timeOrNull(run.finishedAt),
    changes: run.changes,
    firstError: errorSummary(run.problems) ?? null,
  }
}

/** What became of a run whose plan needed approval. `newest`: the newest run of the stack. */
export function viewApproval(run: Run, stack: Stack, newest: Run | undefined): Pick<RunRow, 'approval'> {
  if (run.outcome !== 'needs-approval') return {}
  if (newest !== undefined && newest.id !== run.id) return { approval: 'superseded' }
  return isCancelled({ stack, last: run }) ? { approval: 'cancelled' } : {}
}

/** `blockers`: of the stack's queued run; `isStalled`: a stack that it waits for does not become ready by itself. */
export function viewRun(
  run: Run,
  stack: Stack,
  {
    inProgress,
    blockers = [],
    isStalled = false,
    phases = [{ phase: 'queued', at: isoTime(run.createdAt), endedAt: timeOrNull(run.finishedAt) }],
  }: {
    readonly inProgress?: Run['phase'] | undefined
    readonly blockers?: readonly RunBlocker[]
    readonly isStalled?: boolean
    /** Default: it was queued. */
    readonly phases?: RunView['phases']
  } = {},
): RunView {
  const isWaiting = run.outcome === null && inProgress === undefined
  return {
    ...viewRunRow(run, inProgress),
    stack: stack.spec.name,
    intent: run.intent,
    blockers: isWaiting ? blockers.map((blocker) => viewRunBlocker(blocker, isStalled)) : [],
    phases,
    plan: run.plan && viewPlan(run.plan, stack, []),
    problems: run.problems,
  }
}

function viewRunBlocker(blocker: RunBlocker, isStalled: boolean): RunView['blockers'][number] {
  return { ...viewBlocker(blocker), ...(isStalled && blocker.reason === 'Dependencies' ? { stalled: true } : {}) }
}

export function viewPlan(plan: Plan, stack: Stack, problems: readonly Problem[]): PlanView {
  return {
    ...plan,
    ignored: plan.ignored ?? [],
    sharedDrift: plan.sharedDrift ?? [],
    stackName: stack.spec.name,
    counts: countChanges(plan),
    problems,
  }
}

/** Resources a stack owns or shares, without parts; a step for each. */
export function* resourceRows(owned: readonly Owned[], kindNamed: KindNamed): Steps<readonly ResourceRow[]> {
  const rows: ResourceRow[] = []
  for (const { address, identity, kind, applied, partOf } of owned) {
    yield
    if (partOf !== undefined) continue
    const displayName = kindNamed(kind, address)?.displayName?.(applied) ?? nameOf(address)
    rows.push({ kind: familyOf(address), name: nameOf(address), displayName, id: identity })
  }
  return rows
}
