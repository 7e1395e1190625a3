// Reads the inputs of a plan once: ownership, actual state, and claims of other stacks.
import { withoutUndefined } from '../../lib/without-undefined.js'
import type { Address } from '../../model/address.js'
import type { Plan, RevisionDecision } from '../../model/resources/change.js'
import { InvalidPackage } from '../../model/errors.js'
import type { KindNamed } from '../../model/resources/kind.js'
import { errorsOf, firstProblems, isTargetConflict, type Problem } from '../../model/problem.js'
import type { Claims, Observed, Owned, Resource, ResourceIdentity } from '../../model/resources/resource.js'
import type { Stack } from '../../model/stacks/stack.js'
import { inSlices, Slices, type Steps } from '../../lib/async/steps.js'
import type { Engine } from '../../engine/engine.js'
import { observe } from '../../engine/observe.js'
import { planSteps } from '../../plan/plan.js'
import { recordedResource } from './recorded-resource.js'
import type { Store } from '../../store/store.js'
import { guardedResources, refuseForeignSecrets } from './foreign-secrets.js'
import { missingSecrets, missingSecretWarnings } from '../inputs/missing-inputs.js'
import { refuseTakenNames } from './taken-names.js'
import { kindsByName, type Reached } from '../targets.js'

/** A plan, and what it was compared with. */
export interface Compared {
  readonly plan: Plan
  readonly owned: ReadonlyMap<Address, Owned>
  readonly observed: Map<Address, Observed>
  readonly kindNamed: KindNamed
}

export interface Planned extends Compared {
  readonly problems: readonly Problem[]
  /** Keys of secrets that are named and neither given nor on the target. */
  readonly missingSecrets: readonly string[]
  readonly claims: Claims
}

/** The desired state of a stack on its target. */
export interface DesiredState {
  readonly revision: string
  readonly resources: readonly Resource[]
  /** True for an owned resource that is not declared and stays unchanged. */
  readonly isSkipped?: (record: Owned) => boolean
  readonly uninstall?: boolean
  /** See `PlanInput`. */
  readonly decision?: RevisionDecision
  readonly unchangedFiles?: ReadonlySet<string>
  /** Takes over resources that another stack owns and declares differently. */
  readonly takesOver?: boolean
  /** What a stack that does not exist yet will own. Default: what is stored. */
  readonly owned?: ReadonlyMap<Address, Owned>
}

/**
 * Errors: those of the target; `InvalidPackage` with the code of the first problem, if the plan has errors (claimed,
 * names).
 */
export async function planStack(
  stack: StackToPlan,
  desired: DesiredState,
  deps: Reached & { readonly store: Store },
  signal: AbortSignal,
): Promise<Planned> {
  const planned = await readAndPlan(stack, desired, deps, signal)
  refuseErrors(planned.problems)
  return planned
}

/** The same for a check that writes nothing: a conflict on the target is no error, its difference is drift. */
export async function planForCheck(
  stack: StackToPlan,
  desired: DesiredState,
  deps: Reached & { readonly store: Store },
  signal: AbortSignal,
): Promise<Planned> {
  const planned = await readAndPlan(stack, desired, deps, signal)
  refuseErrors(planned.problems.filter((problem) => !isTargetConflict(problem)))
  return planned
}

function refuseErrors(problems: readonly Problem[]): void {
  const [error] = errorsOf(problems)
  if (error !== undefined) throw new InvalidPackage(problems, error.code, 'The plan')
}

/** The facts of a stack that a plan needs. The stack may not exist yet. */
export type StackToPlan = Pick<Stack, 'id' | 'spec' | 'consent'>

/** The same. Problems are in the result, and do not throw. Errors: those of the target. */
export async function readAndPlan(
  stack: StackToPlan,
  desired: DesiredState,
  { store, ...reached }: Reached & { readonly store: Store },
  signal: AbortSignal,
): Promise<Planned> {
  const { revision, resources, isSkipped, decision, unchangedFiles, uninstall = false, takesOver = false } = desired
  const { connection, calling, platform, system } = reached
  const owned = desired.owned ?? (await store.ownership.of(stack.id))
  const kindNamed = kindsByName(platform)
  const observed = await observe({ resources, owned, kindNamed }, { connection, calling }, signal)
  const turns = new Slices(signal)
  await turns.afterStep()
  const existing = await inSlices(claimable(resources, owned, observed, kindNamed), signal)
  const claimed = [...existing, ...guardedResources(resources, platform)]
  const claimsOf = (found: readonly ResourceIdentity[]): Promise<Claims> =>
    store.ownership.claims({ stack: stack.id, target: system }, found)
  const claims = await claimsOf(claimed)
  const plan = planSteps({
    stack: stack.id,
    target: stack.spec.target,
    revision,
    uninstall,
    resources,
    ...withoutUndefined({ decision, unchangedFiles, isSkipped }),
    owned,
    observed,
    claims,
    takesOver,
    consent: stack.consent,
    policy: stack.spec,
    kindNamed,
  })
  const checked = await inSlices(plan, signal)
  const foreign = await refuseForeignSecrets(resources, { plan: checked.value, owned, claims }, reached, signal)
  await turns.afterStep()
  const taken = await refuseTakenNames(resources, { plan: checked.value, owned, observed, claimsOf }, reached, signal)
  await turns.afterStep()
  const missing = await missingSecrets(resources, reached, signal)
  const problems = firstProblems([
    ...(connection.warnings ?? []).map((finding): Problem => ({ severity: 'warning', ...finding })),
    ...checked.problems,
    ...foreign,
    ...taken,
    ...missingSecretWarnings(stack.spec, missing),
  ])
  return { plan: checked.value, problems, missingSecrets: missing, owned, observed, claims, kindNamed }
}

const nobody: Claims = { owner: () => undefined, sharers: () => [] }

/**
 * What differs from what the last run wrote: a partial plan of all owned resources, which are read by their identity,
 * without package. undefined: the stack shares a resource, it lacks a kind, or the plan has errors, so only a whole
 * plan decides.
 */
export async function planRecorded(
  stack: Stack,
  deps: Reached & { readonly store: Store },
  signal: AbortSignal,
): Promise<Compared | undefined> {
  const recorded = await recordedState(stack, deps, signal)
  if (!recorded.isComplete) return undefined
  const { errors, ...compared } = await compareRecorded(stack, recorded, deps, signal)
  return errors.length === 0 ? compared : undefined
}

/** The same without shared resources and unknown kinds, and without what the plan has errors for. */
export async function planOwn(
  stack: Stack,
  deps: Reached & { readonly store: Store },
  signal: AbortSignal,
): Promise<Compared> {
  return compareRecorded(stack, await recordedState(stack, deps, signal), deps, signal)
}

interface RecordedState extends Pick<Compared, 'owned' | 'kindNamed'> {
  readonly resources: readonly Resource[]
  /** False: it lacks shared resources, or those of unknown kinds. */
  readonly isComplete: boolean
}

async function recordedState(
  { id }: Stack,
  { store, platform }: Pick<Reached, 'platform'> & { readonly store: Store },
  signal: AbortSignal,
): Promise<RecordedState> {
  const owned = await store.ownership.of(id)
  const kindNamed = kindsByName(platform)
  const resources = await inSlices(recordedResources(owned, kindNamed), signal)
  return { owned, kindNamed, resources, isComplete: resources.length === owned.size }
}

async function compareRecorded(
  stack: Stack,
  { owned, kindNamed, resources }: RecordedState,
  { connection, calling }: Reached,
  signal: AbortSignal,
): Promise<Compared & { readonly errors: readonly Problem[] }> {
  const observed = await observe({ resources: [], owned, kindNamed }, { connection, calling }, signal)
  const facts = { stack: stack.id, target: stack.spec.target, revision: stack.applied?.revision ?? '' }
  const input = { ...facts, resources, owned, observed, known: new Map(), claims: nobody, kindNamed }
  const plan = planSteps({ ...input, consent: null, policy: stack.spec })
  const { value, problems } = await inSlices(plan, signal)
  return { plan: value, owned, observed, kindNamed, errors: errorsOf(problems) }
}

function* recordedResources(owned: ReadonlyMap<Address, Owned>, kindNamed: KindNamed): Steps<readonly Resource[]> {
  const resources: Resource[] = []
  for (const one of owned.values()) {
    yield
    const kind = kindNamed(one.kind, one.address)
    if (kind !== undefined && one.shared !== true) resources.push(recordedResource(one, kind))
  }
  return resources
}

/** Resources that another stack might own: existing ones, and shared ones that are missing. */
function* claimable(
  resources: readonly Resource[],
  owned: ReadonlyMap<Address, Owned>,
  observed: ReadonlyMap<Address, Observed>,
  kindNamed: KindNamed,
): Steps<readonly ResourceIdentity[]> {
  const found: ResourceIdentity[] = []
  for (const { address, kind } of resources) {
    yield
    const there = observed.get(address)
    if (there !== undefined) found.push({ family: kind.family, identity: there.identity })
  }
  for (const { kind: name, address, identity } of owned.values()) {
    yield
    const kind = kindNamed(name, address)
    if (kind !== undefined) found.push({ family: kind.family, identity })
  }
  return found
}

/**
 * Finds out, before a plan that no run carries out, which resources an interrupted run created. Call it while no run of
 * the stack is in progress: it ends the lease of one.
 */
export async function recoverInterrupted(
  { store, engine }: { readonly store: Store; readonly engine: Engine },
  stack: string,
  reached: Reached,
  signal: AbortSignal,
): Promise<void> {
  if (!(await store.journal.isOpen(stack))) return
  const lease = await store.journal.takeLease(stack)
  await engine.recover({ lease, ...reached, kindNamed: kindsByName(reached.platform) }, signal)
}
