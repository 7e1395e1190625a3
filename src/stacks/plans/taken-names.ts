// Refuses renames to a name that another resource on the target has. Without this check, the target would refuse
// them in the middle of an apply.
import { Slices } from '../../lib/async/steps.js'
import type { Address, Identity } from '../../model/address.js'
import type { Change, Plan } from '../../model/resources/change.js'
import type { Json } from '../../model/json.js'
import type { Kind } from '../../model/resources/kind.js'
import { quoted } from '../../lib/text/printable.js'
import { problemAt, type Problem } from '../../model/problem.js'
import type { Claims, Observed, Owned, Resource, ResourceIdentity } from '../../model/resources/resource.js'
import { callDriver } from '../../platform/call-driver.js'
import type { Reached } from '../targets.js'

/** An existing resource whose desired name differs. */
interface RenamedResource {
  readonly resource: Resource
  readonly identity: Identity
  readonly key: string
}

/** What has a name that a stack declares. */
type NameOwner =
  | { readonly kind: 'stack'; readonly stack: string; readonly address: Address }
  | { readonly kind: 'unmanaged'; readonly identity: Identity }

/**
 * Errors for renames to the name of a resource that the stack does not own. Names within the stack are checked by the
 * plan. `claimsOf`: the stacks that own resources of the target.
 */
export async function refuseTakenNames(
  resources: readonly Resource[],
  {
    plan,
    owned,
    observed,
    claimsOf,
  }: {
    readonly plan: Plan
    readonly owned: ReadonlyMap<Address, Owned>
    readonly observed: ReadonlyMap<Address, Observed>
    readonly claimsOf: (found: readonly ResourceIdentity[]) => Promise<Claims>
  },
  { connection, calling }: Reached,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const slices = new Slices(signal)
  const changes = new Map(plan.changes.map((change) => [change.address, change]))
  const renamed: RenamedResource[] = []
  for (const resource of resources) {
    await slices.afterStep()
    const one = renamedResource(resource, changes.get(resource.address), observed)
    if (one !== undefined) renamed.push(one)
  }
  if (renamed.length === 0) return []
  const own = new Set<string>([...owned.values()].map(({ identity }) => identity))
  const problems: Problem[] = []
  for (const family of new Set(renamed.map(({ resource }) => resource.kind.family))) {
    const some = renamed.filter(({ resource }) => resource.kind.family === family)
    const names = some.map(({ resource, key }) => ({ address: resource.address, key }))
    const driver = connection.driver(some[0]!.resource.kind)
    const there = await callDriver(`read ${family}`, calling, (inner) => driver.read(names, inner), signal)
    const holders = some.flatMap(({ resource, identity }) => {
      const holder = there.get(resource.address)
      const isOther = holder !== undefined && holder.identity !== identity && !own.has(holder.identity)
      return isOther ? [{ resource, holder }] : []
    })
    if (holders.length === 0) continue
    const claims = await claimsOf(holders.map(({ holder }) => ({ family, identity: holder.identity })))
    for (const { resource, holder } of holders)
      problems.push(taken(resource, holder, nameOwner(claims, family, holder.identity)))
  }
  return problems
}

function renamedResource(
  resource: Resource,
  change: Change | undefined,
  observed: ReadonlyMap<Address, Observed>,
): RenamedResource | undefined {
  const there = observed.get(resource.address)
  const field = change?.action === 'update' ? change.fields.find(({ path }) => path === 'name') : undefined
  if (there === undefined || field?.new === undefined) return undefined
  const { kind } = resource
  const key = keyWith(kind, there, field.new)
  return key === undefined || key === keyWith(kind, there) ? undefined : { resource, identity: there.identity, key }
}

function keyWith(kind: Kind, { actual }: Observed, name: Json = actual['name'] ?? null): string | undefined {
  return kind.matching?.key(kind.normalise({ ...actual, name }))
}

function nameOwner(claims: Claims, family: string, identity: Identity): NameOwner {
  const claim = claims.owner(family, identity)
  if (claim === undefined) return { kind: 'unmanaged', identity }
  return { kind: 'stack', stack: claim.stackName, address: claim.owned.address }
}

function taken({ address, kind, document }: Resource, { identity, actual }: Observed, owner: NameOwner): Problem {
  const name = quoted(kind.displayName?.(actual) ?? identity)
  const problem = (code: string, message: string, hint: string): Problem =>
    problemAt('error', document.locate('/spec/name'), { code, message, hint })
  switch (owner.kind) {
    case 'stack':
      return problem(
        'plan/claimed',
        `${address} declares the name ${name}, which belongs to stack ${owner.stack} (as ${owner.address}).`,
        `Choose another name, or rename or remove ${owner.address} in the package of ${owner.stack} and sync it.`,
      )
    case 'unmanaged':
      return problem(
        'plan/name-taken',
        `${address} declares the name ${name}, but a ${kind.family} that no stack owns has it (id ${owner.identity}).`,
        `Choose another name, or rename or remove the other ${kind.family} on the target.`,
      )
  }
}
