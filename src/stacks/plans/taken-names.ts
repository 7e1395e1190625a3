// Refuses renames to a name that another resource on the target has. Without this check, the target would refuse
// them in the middle of an apply.
import { Slices } from '../../lib/async/steps.js'
import type { Address, Identity } from '../../model/address.js'
import type { Change, Plan } from '../../model/resources/change.js'
import type { Json } from '../../model/json.js'
import type { Kind } from '../../model/resources/kind.js'
import { quoted } from '../../lib/text/printable.js'
import { problemAt, type Problem } from '../../model/problem.js'
import type { Observed, Owned, Resource } from '../../model/resources/resource.js'
import { callDriver } from '../../platform/call-driver.js'
import type { Reached } from '../targets.js'

/** An existing resource whose desired name differs. */
interface RenamedResource {
  readonly resource: Resource
  readonly identity: Identity
  readonly key: string
}

/**
 * Errors for renames to the name of a resource that the stack does not own. Names within the stack are checked by the
 * plan.
 */
export async function refuseTakenNames(
  resources: readonly Resource[],
  {
    plan,
    owned,
    observed,
  }: {
    readonly plan: Plan
    readonly owned: ReadonlyMap<Address, Owned>
    readonly observed: ReadonlyMap<Address, Observed>
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
    for (const { resource, identity } of some) {
      const holder = there.get(resource.address)
      if (holder !== undefined && holder.identity !== identity && !own.has(holder.identity))
        problems.push(taken(resource, holder))
    }
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

function taken({ address, kind, document }: Resource, { identity, actual }: Observed): Problem {
  const name = kind.displayName?.(actual) ?? identity
  const message =
    `${address} declares the name ${quoted(name)}, ` +
    `but another ${kind.family} on the target has it (id ${identity}).`
  const hint = `Choose another name, or rename or remove the other ${kind.family}.`
  return problemAt('error', document.locate('/spec/name'), { code: 'plan/name-taken', message, hint })
}
