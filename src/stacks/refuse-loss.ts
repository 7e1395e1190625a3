// What a request that writes past the stacks may not do: lose data, or remove what a stack protects, without naming the resource; write in a closed window.
import type { Address } from '../model/address.js'
import { Refused } from '../model/errors.js'
import type { JsonObject } from '../model/json.js'
import type { Kind } from '../model/kind.js'
import type { Claim, Observed } from '../model/resource.js'
import type { Stack } from '../model/stack.js'
import { lossMessage } from '../plan/held.js'
import { isProtected } from '../plan/protected.js'
import type { Store } from '../store/store.js'
import { refuseClosed } from './gate.js'

/** A resource on a target, and what the request says of it. */
export interface Endangered {
  readonly kind: Kind
  readonly there: Observed
  /** The live system of its target. */
  readonly system: string
  /** The address of the resource; FAMILY/ID where no stack owns it. */
  readonly consent: string | undefined
  /** Why it writes though a window is closed. */
  readonly overrideWindow: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly store: Pick<Store, 'stacks' | 'ownership'>
}

/**
 * Throws where its removal loses data or takes away what a stack protects and `consent` does not name it, or where a window of its stacks is closed.
 * Gives the stacks that own or share it.
 */
export async function refuseRemoval(one: Endangered): Promise<readonly Stack[]> {
  const { name, claims } = await claimsOf(one)
  const stacks = stacksOf(claims)
  refuseWindows(stacks, one)
  if (one.consent === name) return stacks
  const protecting = claims.find(({ claim, stack }) => isProtected(claim.owned.address, stack?.spec.protect ?? []))
  if (protecting !== undefined) throw refusal('stacks/protected', `${name} is protected by stack ${protecting.claim.stackName}.`, name)
  if (one.kind.losesData === true) throw refusal('stacks/data-loss', lossMessage({ address: name }), name)
  return stacks
}

/**
 * Throws where the update loses data and `consent` does not name it, or where a window of its stacks is closed. Gives the stacks that own or share the
 * resource.
 */
export async function refuseUpdate(one: Endangered, desired: JsonObject): Promise<readonly Stack[]> {
  const { kind, there, consent } = one
  const { name, claims } = await claimsOf(one)
  const stacks = stacksOf(claims)
  refuseWindows(stacks, one)
  const losses = kind.losses?.(kind.normalise(there.live), kind.normalise(desired)) ?? []
  if (losses.length > 0 && consent !== name) throw refusal('stacks/data-loss', lossMessage({ address: name, losses }), name)
  return stacks
}

interface ClaimOf {
  readonly claim: Claim
  readonly stack: Stack | undefined
}

function stacksOf(claims: readonly ClaimOf[]): readonly Stack[] {
  return claims.flatMap(({ stack }) => stack ?? [])
}

function refuseWindows(stacks: readonly Stack[], { now, overrideWindow }: Endangered): void {
  for (const { spec } of stacks) refuseClosed(spec, now, overrideWindow)
}

/** Its address where a stack owns it, and the stacks that own or share it. */
async function claimsOf({
  kind: { family },
  there: { identity },
  system,
  store: { stacks, ownership },
}: Endangered): Promise<{ readonly name: Address; readonly claims: readonly ClaimOf[] }> {
  const found = await ownership.claims({ stack: '', target: system }, [{ family, identity }])
  const owner = found.owner(family, identity)
  const all = [...(owner === undefined ? [] : [owner]), ...found.sharers(family, identity)]
  const known = await stacks.many(all.map(({ stack }) => stack))
  const claims = all.map((claim) => ({ claim, stack: known.find(({ id }) => id === claim.stack) }))
  return { name: owner?.owned.address ?? (`${family}/${identity}` as Address), claims }
}

function refusal(code: string, message: string, name: string): Refused {
  return new Refused('held', message, { code, hint: `To consent to it: --consent ${name} (API: \`consent=${name}\`).` })
}
