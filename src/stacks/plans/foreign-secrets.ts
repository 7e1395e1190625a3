// Secrets that the target stores for endpoints of other stacks. A package that supplies a secret under such a key
// would overwrite the endpoint's credential.
import { endpointOfKey } from '../../kinds/influxdb/influxdb.js'
import { addressOf, familyOf, type Address, type Identity } from '../../model/address.js'
import type { Plan } from '../../model/change.js'
import { printable, quoted } from '../../lib/printable.js'
import { problemAt, type Problem } from '../../model/problem.js'
import type { Claims, Observed, Owned, Resource } from '../../model/resource.js'
import { callDriver } from '../../platform/call-driver.js'
import { isSuppliedSecret } from '../inputs/secret-resources.js'
import type { Reached } from '../targets.js'

const family = 'NotificationEndpoint'

/** A key that a secret is supplied under, and the endpoint whose own credential has it. */
interface GuardedEndpoint {
  readonly key: string
  readonly identity: Identity
}

/** Endpoints that might store their credential under a supplied key. */
export function guardedEndpoints(
  resources: readonly Resource[],
): readonly { readonly family: string; readonly identity: Identity }[] {
  return endpointsOfSecrets(resources).map(({ identity }) => ({ family, identity }))
}

/**
 * Errors for secrets under the key of an existing endpoint that neither belongs to this stack nor will by this plan.
 */
export async function refuseForeignSecrets(
  resources: readonly Resource[],
  {
    plan,
    owned,
    claims,
  }: { readonly plan: Plan; readonly owned: ReadonlyMap<Address, Owned>; readonly claims: Claims },
  { platform, connection, calling }: Reached,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const guarded = endpointsOfSecrets(resources)
  const own = guarded.length === 0 ? new Set<Identity>() : ownEndpoints(plan, owned)
  const others = guarded.filter(({ identity }) => !own.has(identity))
  const kind = platform.kinds.find((one) => one.family === family)
  if (others.length === 0 || kind === undefined) return []
  const keys = others.map(({ key, identity }) => ({ address: addressOf(family, key), identity }))
  const there = await callDriver(
    `read ${family}`,
    calling,
    (inner) => connection.driver(kind).read(keys, inner),
    signal,
  )
  return others.flatMap(({ key, identity }) => {
    const endpoint = there.get(addressOf(family, key))
    return endpoint === undefined ? [] : [foreign(key, whose(identity, endpoint, claims), resources)]
  })
}

function endpointsOfSecrets(resources: readonly Resource[]): readonly GuardedEndpoint[] {
  return resources.filter(isSuppliedSecret).flatMap(({ document: { name: key } }) => {
    const identity = endpointOfKey(key)
    return identity === undefined ? [] : [{ key, identity }]
  })
}

/** The endpoints that this stack owns, adopts or takes over. */
function ownEndpoints({ changes }: Plan, owned: ReadonlyMap<Address, Owned>): ReadonlySet<Identity> {
  const records = [...owned.values()].filter(({ address, shared }) => familyOf(address) === family && shared !== true)
  const updates = changes.filter(
    ({ address, action, shares }) => familyOf(address) === family && action === 'update' && shares !== true,
  )
  return new Set([...records, ...updates].flatMap(({ identity }) => identity ?? []))
}

function whose(identity: Identity, { actual }: Observed, claims: Claims): string {
  const claim = claims.owner(family, identity)
  if (claim !== undefined) return `${printable(claim.owned.address)} of stack ${claim.stackName}`
  return (
    `the endpoint ${quoted(typeof actual['name'] === 'string' ? actual['name'] : identity)}, ` +
    'which does not belong to this stack'
  )
}

function foreign(key: string, endpoint: string, resources: readonly Resource[]): Problem {
  const naming = resources.find(({ kind, spec }) => kind.secretReferences?.(spec).includes(key))
  const message = `The supplied secret ${quoted(key)} would overwrite the credential of ${endpoint}.`
  const hint = 'Supply it under another key, and use that key in the package.'
  return problemAt('error', (naming ?? resources[0]!).document.place, { code: 'stacks/foreign-secret', message, hint })
}
