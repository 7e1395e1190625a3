// Direct writes that need consent by naming the resource: loss of data, and removal of a protected resource.
import { withoutUndefined } from '../../lib/without-undefined.js'
import type { Address } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Claim, Observed } from '../../model/resources/resource.js'
import type { Stack } from '../../model/stacks/stack.js'
import { lossMessage } from '../../plan/approval-rules.js'
import { isProtected } from '../../plan/protected.js'
import type { Store } from '../../store/store.js'

/** A resource on a target. `system`: the live system of its target. */
export interface ExistingResource {
  readonly kind: Kind
  readonly there: Observed
  readonly system: string
}

/** `name`: its address if a stack owns it, else FAMILY/ID. `stacks`: those that own or share it. */
export interface Claimed {
  readonly name: Address
  readonly claims: readonly StackClaim[]
  readonly stacks: readonly Stack[]
}

interface StackClaim {
  readonly claim: Claim
  readonly stack: Stack | undefined
}

/** Why the removal needs consent: it loses data, or a stack protects the resource. undefined: it needs none. */
export function removalRefusal({ kind }: ExistingResource, { name, claims }: Claimed): Refused | undefined {
  const protecting = claims.find(({ claim, stack }) => isProtected(claim.owned.address, stack?.spec.protect ?? []))
  if (protecting !== undefined)
    return refusal('stacks/protected', `${name} is protected by stack ${protecting.claim.stackName}.`, name)
  return kind.removal?.losesData === true
    ? refusal(
        'stacks/data-loss',
        lossMessage({ address: name, ...withoutUndefined({ lost: kind.removal.lost }) }),
        name,
      )
    : undefined
}

/** Throws if the removal needs consent, unless `consent` names the resource. */
export function refuseRemoval(found: ExistingResource, claimed: Claimed, consent: string | undefined): void {
  const refused = consent === claimed.name ? undefined : removalRefusal(found, claimed)
  if (refused !== undefined) throw refused
}

/** Throws if the update to `desired` loses data, unless `consent` names the resource. */
export function refuseUpdate(
  { kind, there }: ExistingResource,
  { name }: Claimed,
  desired: JsonObject,
  consent: string | undefined,
): void {
  if (consent === name) return
  const losses = kind.removal?.losses?.(kind.normalise(there.actual), kind.normalise(desired)) ?? []
  if (losses.length > 0) throw refusal('stacks/data-loss', lossMessage({ address: name, losses }), name)
}

export async function claimsOn(
  { kind: { family }, there: { identity }, system }: ExistingResource,
  { stacks, ownership }: Pick<Store, 'stacks' | 'ownership'>,
): Promise<Claimed> {
  const found = await ownership.claims({ stack: '', target: system }, [{ family, identity }])
  const owner = found.owner(family, identity)
  const all = [...(owner === undefined ? [] : [owner]), ...found.sharers(family, identity)]
  const known = await stacks.many(all.map(({ stack }) => stack))
  const claims = all.map((claim) => ({ claim, stack: known.find(({ id }) => id === claim.stack) }))
  const name = owner?.owned.address ?? (`${family}/${identity}` as Address)
  return { name, claims, stacks: claims.flatMap(({ stack }) => stack ?? []) }
}

function refusal(code: string, message: string, name: string): Refused {
  return new Refused('needs-approval', message, {
    code,
    hint: `To consent, pass --consent ${name} (API: \`consent=${name}\`).`,
  })
}
