// Secrets that the target stores for resources of other stacks. A package that gives a secret under such a key
// would overwrite the resource's credential.
import { addressOf, familyOf, type Address } from '../../model/address.js'
import type { Plan } from '../../model/resources/change.js'
import { printable, quoted } from '../../lib/text/printable.js'
import { problemAt, type Problem } from '../../model/problem.js'
import type { Claims, Observed, Owned, Resource, ResourceIdentity } from '../../model/resources/resource.js'
import { callDriver } from '../../platform/call-driver.js'
import type { Platform } from '../../platform/platform.js'
import { isGivenSecret } from '../inputs/secret-resources.js'
import type { Reached } from '../targets.js'

/** A key that a secret is given under, and the resource whose own credential has it. */
interface GuardedResource extends ResourceIdentity {
  readonly key: string
}

/** Resources that might store their credential under a given key. */
export function guardedResources(
  resources: readonly Resource[],
  { secretStore }: Pick<Platform, 'secretStore'>,
): readonly GuardedResource[] {
  return resources.filter(isGivenSecret).flatMap(({ document: { name: key } }) => {
    const owner = secretStore?.ownerOf(key)
    return owner === undefined ? [] : [{ key, ...owner }]
  })
}

/**
 * Errors for secrets under the key of an existing resource that neither belongs to this stack nor will by this plan.
 */
export async function refuseForeignSecrets(
  resources: readonly Resource[],
  {
    plan,
    owned,
    claims,
  }: { readonly plan: Plan; readonly owned: ReadonlyMap<Address, Owned>; readonly claims: Claims },
  reached: Reached,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const guarded = guardedResources(resources, reached.platform)
  const own = guarded.length === 0 ? new Set<string>() : ownResources(plan, owned)
  const others = guarded.filter(({ family, identity }) => !own.has(`${family}/${identity}`))
  const problems: Problem[] = []
  for (const family of new Set(others.map((one) => one.family))) {
    const some = others.filter((one) => one.family === family)
    const there = await readByKey(family, some, reached, signal)
    for (const one of some) {
      const found = there.get(addressOf(family, one.key))
      if (found !== undefined) problems.push(foreign(one.key, whose(one, found, claims), resources))
    }
  }
  return problems
}

async function readByKey(
  family: string,
  guarded: readonly GuardedResource[],
  { platform, connection, calling }: Reached,
  signal: AbortSignal,
): Promise<ReadonlyMap<Address, Observed>> {
  const kind = platform.kinds.find((one) => one.family === family)
  if (kind === undefined) return new Map()
  const lookups = guarded.map(({ key, identity }) => ({ address: addressOf(family, key), identity }))
  return callDriver(`read ${family}`, calling, (inner) => connection.driver(kind).read(lookups, inner), signal)
}

/** The resources that this stack owns, adopts or takes over, as `family/identity`. */
function ownResources({ changes }: Plan, owned: ReadonlyMap<Address, Owned>): ReadonlySet<string> {
  const records = [...owned.values()].filter(({ shared }) => shared !== true)
  const updates = changes.filter(({ action, shares }) => action === 'update' && shares !== true)
  return new Set([...records, ...updates].map(({ address, identity }) => `${familyOf(address)}/${identity}`))
}

function whose({ family, identity }: GuardedResource, { actual }: Observed, claims: Claims): string {
  const claim = claims.owner(family, identity)
  if (claim !== undefined) return `${printable(claim.owned.address)} of stack ${claim.stackName}`
  const name = quoted(typeof actual['name'] === 'string' ? actual['name'] : identity)
  return `${family} ${name}, which does not belong to this stack`
}

function foreign(key: string, owner: string, resources: readonly Resource[]): Problem {
  const naming = resources.find(({ kind, spec }) => kind.inputs?.secretReferences?.(spec).includes(key))
  const message = `The given secret ${quoted(key)} would overwrite the credential of ${owner}.`
  const hint = 'Give it another key, and use that key in the package.'
  return problemAt('error', (naming ?? resources[0]!).document.place, { code: 'stacks/foreign-secret', message, hint })
}
