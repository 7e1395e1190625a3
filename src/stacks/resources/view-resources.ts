import type { Address } from '../../model/address.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Observed } from '../../model/resources/resource.js'
import type { ListedResource, TargetPlatform } from '../../platform/platform.js'
import type { TargetResource } from '../../views/resource.js'
import type { Context } from '../context.js'
import type { FoundResource } from './find-resource.js'

/** With the stack that owns it, if any. */
export async function viewFound(
  context: Context,
  { kind, there, platform, target }: Pick<FoundResource, 'kind' | 'there' | 'platform' | 'target'>,
): Promise<TargetResource> {
  const [view] = await viewListings(context, [{ family: kind.family, observed: there }], { target, platform })
  return view!
}

/** `address`: in the stack that is listed. Default: in the stack that owns it. */
export interface ListingEntry extends ListedResource {
  readonly address?: Address
}

export async function viewListings(
  { store, sync }: Context,
  listed: readonly ListingEntry[],
  { target, platform }: { readonly target: string; readonly platform: TargetPlatform },
): Promise<readonly TargetResource[]> {
  const identities = listed.map(({ family, observed }) => ({ family, identity: observed.identity }))
  const owners = await store.ownership.owners(sync.targets.liveSystem(target), identities)
  return listed.map(({ family, observed, address }) => {
    const owner = owners.get(`${family}/${observed.identity}`)
    // A family without a kind (a damaged row, another version) must not hide the rest of the list.
    const kind = platform.kinds.find((one) => one.family === family) ?? { family }
    return viewResource(kind, observed, {
      target,
      stack: owner?.stack ?? null,
      address: address ?? owner?.address ?? null,
    })
  })
}

function viewResource(
  kind: Pick<Kind, 'family' | 'displayName'>,
  { identity, actual }: Observed,
  { target, stack, address }: Pick<TargetResource, 'target' | 'stack' | 'address'>,
): TargetResource {
  const displayName = kind.displayName?.(actual) ?? identity
  return { target, family: kind.family, id: identity, displayName, stack, address, actual }
}
