import { observe } from '../engine/observe.js'
import type { Kind } from '../model/kind.js'
import type { Observed, Owned } from '../model/resource.js'
import type { Stack } from '../model/stack.js'
import { diffFields } from '../plan/diff.js'
import type { Store } from '../store/store.js'
import { kindsByName } from './plan-stack.js'
import type { Reached } from './targets.js'

/**
 * Whether all that a settled stack owns is still held as its last run wrote it: one look by identity, without the
 * package and without a plan. False says nothing but that a whole look is needed; so does whatever is only shared.
 */
export async function isAsApplied(
  { id }: Stack,
  { store, connection, calling, platform }: Reached & { readonly store: Store },
  signal: AbortSignal,
): Promise<boolean> {
  const owned = await store.ownership.of(id)
  const kindNamed = kindsByName(platform)
  const observed = await observe({ resources: [], owned, kindNamed }, { connection, calling }, signal)
  return [...owned.values()].every((record) => isHeld(record, kindNamed(record.kind), observed.get(record.address)))
}

function isHeld({ identity, applied, shared }: Owned, kind: Kind | undefined, there: Observed | undefined): boolean {
  if (shared === true || kind === undefined || there?.identity !== identity) return false
  return diffFields(kind.normalise(there.live), applied).length === 0
}
