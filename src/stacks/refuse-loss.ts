// What a request that writes past the stacks may not do without naming the resource: lose data, or remove what a stack protects.
import type { Change } from '../model/change.js'
import type { Address } from '../model/address.js'
import { Refused } from '../model/errors.js'
import type { Kind } from '../model/kind.js'
import type { Observed } from '../model/resource.js'
import { lossMessage } from '../plan/held.js'
import { isProtected } from '../plan/protected.js'
import type { Store } from '../store/store.js'

/** A resource on a target. */
export interface Endangered {
  readonly kind: Kind
  readonly there: Observed
  /** The live system of its target. */
  readonly system: string
}

/** Throws where its removal loses data, or takes away what a stack protects, and `consent` is not its address (FAMILY/ID where no stack owns it). */
export async function refuseRemoval(
  one: Endangered,
  consent: string | undefined,
  store: Pick<Store, 'stacks' | 'ownership'>,
): Promise<void> {
  const { owner, protecting } = await claimsOf(one, store)
  const name = owner ?? `${one.kind.family}/${one.there.identity}`
  if (consent === name) return
  if (protecting !== undefined) throw refusal('stacks/protected', `${name} is protected by stack ${protecting}.`, name)
  if (one.kind.losesData === true) throw refusal('stacks/data-loss', lossMessage({ address: name as Address }), name)
}

/** Throws where the update loses data and `consent` does not name it. */
export async function refuseUpdate(
  one: Endangered,
  desired: Observed['live'],
  consent: string | undefined,
  store: Pick<Store, 'stacks' | 'ownership'>,
): Promise<void> {
  const { kind, there } = one
  const losses: NonNullable<Change['losses']> = kind.losses?.(kind.normalise(there.live), kind.normalise(desired)) ?? []
  if (losses.length === 0) return
  const name = (await claimsOf(one, store)).owner ?? `${kind.family}/${there.identity}`
  if (consent !== name) throw refusal('stacks/data-loss', lossMessage({ address: name as Address, losses }), name)
}

/** The address under which a stack owns it, and a stack that protects it: the owner, or one that shares it. */
async function claimsOf(
  { kind: { family }, there: { identity }, system }: Endangered,
  { stacks, ownership }: Pick<Store, 'stacks' | 'ownership'>,
): Promise<{ readonly owner: Address | undefined; readonly protecting: string | undefined }> {
  const claims = await ownership.claims({ stack: '', target: system }, [{ family, identity }])
  const owner = claims.owner(family, identity)
  const all = [...(owner === undefined ? [] : [owner]), ...claims.sharers(family, identity)]
  const found = await stacks.many(all.map(({ stack }) => stack))
  const protecting = all.find(({ stack, owned }) => isProtected(owned.address, found.find(({ id }) => id === stack)?.spec.protect ?? []))
  return { owner: owner?.owned.address, protecting: protecting?.stackName }
}

function refusal(code: string, message: string, name: string): Refused {
  return new Refused('held', message, { code, hint: `To consent to it: --consent ${name} (API: \`consent=${name}\`).` })
}
