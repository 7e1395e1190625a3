// The changes of owned resources that are no longer declared: they are removed, or untracked and stay on the target.
import type { Steps } from '../lib/async/steps.js'
import type { Address } from '../model/address.js'
import type { Change } from '../model/resources/change.js'
import type { Kind } from '../model/resources/kind.js'
import type { Problem } from '../model/problem.js'
import type { Owned } from '../model/resources/resource.js'
import type { PlanInput, UnorderedChange } from './plan-input.js'
import { unknownKind } from './plan-problems.js'
import { revisionReason } from './real-reason.js'

/** `moved`: new address → former address. */
export function* planRemovals(
  input: PlanInput,
  moved: ReadonlyMap<Address, Address>,
  problems: Problem[],
): Steps<readonly UnorderedChange[]> {
  const declared = new Set(input.resources.map((resource) => resource.address))
  const formerAddresses = new Set(moved.values())
  const removals: UnorderedChange[] = []
  for (const owned of input.owned.values()) {
    yield
    if (declared.has(owned.address) || formerAddresses.has(owned.address) || input.isSkipped?.(owned) === true) continue
    const kind = input.kindNamed(owned.kind, owned.address)
    if (kind === undefined) problems.push(unknownKind(owned))
    else removals.push({ change: removal(owned, kind, input), kind })
  }
  return removals
}

function removal(owned: Owned, kind: Kind, { observed, claims, uninstall, decision }: PlanInput): Change {
  const { address, identity, needs, partOf } = owned
  const there = observed.get(address)
  const isGone = there === undefined && owned.shared !== true
  const rules = kind.removal
  const stays =
    rules?.onRemove === 'untrack' || (there !== undefined && rules?.belongsToTarget?.(there.actual) === true)
  const keeps = owned.shared === true || stays || claims.sharers(kind.family, identity).length > 0
  const action = keeps || there === undefined ? 'untrack' : 'remove'
  const displayName = there === undefined ? undefined : kind.displayName?.(there.actual)
  return {
    address,
    kind: owned.kind,
    identity,
    action,
    fields: [],
    ...(action === 'remove' ? lossOf(owned, rules) : {}),
    ...(partOf === undefined ? {} : { partOf }),
    ...(displayName === undefined ? {} : { displayName }),
    reason: isGone ? 'gone' : uninstall === true ? 'uninstalled' : revisionReason('dropped', decision),
    needs,
    after: [],
  }
}

/** A part goes with its resource, so only the resource counts as adopted. */
function lossOf({ adopted, partOf }: Owned, rules: Kind['removal']): Pick<Change, 'losesData' | 'lost' | 'adopted'> {
  return {
    ...(rules?.losesData === true ? { losesData: true as const, lost: rules.lost ?? 'data' } : {}),
    ...(adopted && partOf === undefined ? { adopted: true as const } : {}),
  }
}
