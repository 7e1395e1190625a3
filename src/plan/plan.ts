// plan: resources → the changes to make.
// Takes the declared resources, the resources the stack owns, those on the target, and the claims of other stacks.
// Gives the ordered changes, the reasons why they need approval, and their digest.
// Promises: the same input gives the same plan; nothing is read or written; resources of other stacks do not change; a
// plan that needs approval is applied entirely or not at all. A partial plan has some of the resources only.
import type { Steps } from '../lib/async/steps.js'
import { familyOf, type Address } from '../model/address.js'
import type { Plan } from '../model/resources/change.js'
import type { Checked, Problem } from '../model/problem.js'
import { approvalReasons } from './approval-rules.js'
import { digestChanges, planDigest } from './digest.js'
import { freeNames } from './names.js'
import { orderChanges } from './order.js'
import type { PlanInput } from './plan-input.js'
import { planRemovals } from './plan-removals.js'
import { planWrites } from './plan-writes.js'
import { unmatchedProtections } from './protected.js'

/**
 * The changes that lead to the desired state: a step for each resource and each stage. Its problems are those of
 * `plan-problems.ts`.
 */
export function* planSteps(input: PlanInput): Steps<Checked<Plan>> {
  const problems: Problem[] = []
  const isPartial = input.known !== undefined
  const moved = isPartial ? new Map<Address, Address>() : yield* movedAddresses(input)
  const { writes, unchanged, uncorrected } = yield* planWrites(input, moved, problems)
  const removals = isPartial ? [] : yield* planRemovals(input, moved, problems)
  const unordered = yield* freeNames(input, { writes, removals }, problems)
  const changes = yield* orderChanges(unordered, input, problems)
  yield* digestChanges(changes)
  if (!isPartial) problems.push(...unmatchedProtections(input.policy.protect ?? [], knownAddresses(input)))
  yield
  const { stack, target, revision } = input
  const plan = { stack, target, revision, changes, unchanged, ...uncorrected.fields }
  const needsApproval = approvalReasons(plan, input)
  yield
  const digest = planDigest(plan)
  return { value: { ...plan, needsApproval, digest, ...(isPartial ? { partial: true } : {}) }, problems }
}

function knownAddresses({ resources, owned }: PlanInput): readonly Address[] {
  return [...resources.map(({ address }) => address), ...owned.keys()]
}

/** New address → former address of resources that the stack owns, no longer declares, and finds again by their key. */
function* movedAddresses({ resources, owned, observed }: PlanInput): Steps<ReadonlyMap<Address, Address>> {
  const declared = new Set(resources.map((resource) => resource.address))
  const undeclared = new Map<string, Address>()
  for (const { address, identity } of owned.values()) {
    yield
    if (!declared.has(address)) undeclared.set(`${familyOf(address)} ${identity}`, address)
  }
  const moved = new Map<Address, Address>()
  for (const { address } of resources) {
    yield
    const there = observed.get(address)
    const isNew = there !== undefined && owned.get(address)?.identity !== there.identity
    const from = isNew ? undeclared.get(`${familyOf(address)} ${there.identity}`) : undefined
    if (from !== undefined) moved.set(address, from)
  }
  return moved
}
