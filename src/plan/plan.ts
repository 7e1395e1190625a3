// plan: resources → the changes to make.
// Takes the declared resources, the resources the stack owns, those on the target, and the claims of other stacks.
// Gives the ordered changes, the reasons why they need approval, and their digest.
// Promises: the same input gives the same plan; nothing is read or written; resources of other stacks do not change; a
// plan that needs approval is applied entirely or not at all. A partial plan has some of the resources only.
import type { Steps } from '../lib/async/steps.js'
import { familyOf, type Address, type Identity } from '../model/address.js'
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
  const { stack, target, revision, policy } = input
  const { protect = [] } = policy
  if (!isPartial && protect.length > 0) problems.push(...unmatchedProtections(protect, knownAddresses(input)))
  yield
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
function* movedAddresses(input: PlanInput): Steps<ReadonlyMap<Address, Address>> {
  const moved = new Map<Address, Address>()
  const found = yield* foundAnew(input)
  if (found.length === 0) return moved
  const undeclared = yield* undeclaredByIdentity(input)
  for (const [address, identity] of found) {
    yield
    const from = undeclared.get(`${familyOf(address)} ${identity}`)
    if (from !== undefined) moved.set(address, from)
  }
  return moved
}

/** Declared resources that the target has, and the stack does not own under this address. */
function* foundAnew({ resources, owned, observed }: PlanInput): Steps<readonly (readonly [Address, Identity])[]> {
  const found: [Address, Identity][] = []
  for (const { address } of resources) {
    yield
    const there = observed.get(address)
    if (there !== undefined && owned.get(address)?.identity !== there.identity) found.push([address, there.identity])
  }
  return found
}

function* undeclaredByIdentity({ resources, owned }: PlanInput): Steps<ReadonlyMap<string, Address>> {
  const declared = new Set(resources.map((resource) => resource.address))
  const undeclared = new Map<string, Address>()
  for (const { address, identity } of owned.values()) {
    yield
    if (!declared.has(address)) undeclared.set(`${familyOf(address)} ${identity}`, address)
  }
  return undeclared
}
