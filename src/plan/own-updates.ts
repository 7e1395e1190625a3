// Whether a plan concerns no other stack: it only updates resources that exist and that its stack alone owns. Such
// plans of several stacks may be made and carried out at the same time.
import { parseFieldPath } from '../lib/text/field-path.js'
import type { Address } from '../model/address.js'
import type { Change } from '../model/resources/change.js'
import type { Kind, KindNamed } from '../model/resources/kind.js'
import type { Observed, Owned, Resource } from '../model/resources/resource.js'

/** True if a stack declares what it alone owns, nothing more and nothing less. */
export function declaresOwned(resources: readonly Resource[], owned: ReadonlyMap<Address, Owned>): boolean {
  return (
    resources.length === owned.size &&
    resources.every(({ address }) => owned.has(address) && owned.get(address)?.shared !== true)
  )
}

/** True if the changes are updates in place, which leave the key of their resource. */
export function isOwnUpdates(
  changes: readonly Change[],
  { observed, kindNamed }: { readonly observed: ReadonlyMap<Address, Observed>; readonly kindNamed: KindNamed },
): boolean {
  return changes.every((change) => {
    const { action, adopts, shares, takesFrom, from, address } = change
    if (action !== 'update' || adopts === true || shares === true) return false
    if (takesFrom !== undefined || from !== undefined) return false
    const kind = kindNamed(change.kind, address)
    const there = observed.get(address)
    return kind !== undefined && there !== undefined && leavesKey(kind, there, change)
  })
}

/** False if the key may change: another resource may have the new one, or wait for the old one. */
function leavesKey(kind: Kind, { actual }: Observed, { fields }: Change): boolean {
  if (kind.matching === undefined) return true
  const before = kind.normalise(actual)
  const after = new Map(Object.entries(before))
  for (const { path, new: value } of fields) {
    const [top, ...below] = parseFieldPath(path) ?? []
    if (top === undefined || top === 'any' || !('key' in top)) return false
    if (below.length === 0 && value !== undefined) after.set(top.key, value)
    else after.delete(top.key)
  }
  const key = kind.matching.key(before)
  return key !== undefined && kind.matching.key(Object.fromEntries(after)) === key
}
