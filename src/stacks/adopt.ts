// Adopts existing resources into a template stack. Writes nothing to the target.
import { systemThings } from '../kinds/influxdb/influxdb.js'
import { addressOf, familyOf, nameOf, type Address, type Identity } from '../model/address.js'
import { Refused } from '../model/errors.js'
import type { Kind } from '../model/kind.js'
import type { Observed, Owned } from '../model/resource.js'
import type { Stack } from '../model/stack.js'
import { callDriver } from '../platform/call-driver.js'
import type { Platform } from '../platform/platform.js'
import type { Store } from '../store/store.js'
import { declaringKind, isPart } from './declaring-kind.js'
import { freeName } from './free-name.js'
import type { Reached, Targets } from './targets.js'
import type { Adoptee } from './views.js'

export interface AdoptDeps {
  readonly store: Store
  readonly targets: Targets
}

/**
 * The records of what is adopted. What the stack has already is left out. Errors: `Refused` conflict of what is not
 * there, of another kind, or another stack's.
 */
export async function adopt(
  stack: Stack,
  adoptees: readonly Adoptee[],
  reached: Reached,
  deps: AdoptDeps,
  signal: AbortSignal,
): Promise<readonly Owned[]> {
  const owned = await deps.store.ownership.of(stack.id)
  const names = new Set(
    [...owned.values()].filter(({ partOf }) => partOf === undefined).map(({ address }) => nameOf(address)),
  )
  const known = new Set([...owned.values()].map(({ address, identity }) => `${familyOf(address)}/${identity}`))
  const records: Owned[] = []
  for (const adoptee of adoptees) {
    const { family } = kindFor(reached.platform, adoptee.kind)
    if (known.has(`${family}/${adoptee.id}`)) continue
    known.add(`${family}/${adoptee.id}`)
    const name = nameFor(adoptee, family, names)
    names.add(name)
    records.push(await recordOf(addressOf(family, name), adoptee, reached, signal))
  }
  await refuseOwned(stack, records, deps)
  return records
}

/** A kind, or the first of a family. What kinds make beside themselves cannot be adopted. */
export function kindFor({ kinds }: Platform, named: string): Kind {
  const adoptable = kinds.filter((one) => !isPart(one))
  const kind = adoptable.find((one) => one.kind === named) ?? adoptable.find(({ family }) => family === named)
  if (kind !== undefined) return kind
  const names = [...new Set(adoptable.map(({ family }) => family))].join(', ')
  throw new Refused('conflict', `${JSON.stringify(named.slice(0, 100))} is no kind of resource.`, {
    code: 'stacks/kind-unknown',
    hint: `Kinds are: ${names}.`,
  })
}

async function recordOf(
  address: Address,
  { kind: named, id }: Adoptee,
  { platform, connection, calling }: Reached,
  signal: AbortSignal,
): Promise<Owned> {
  const kind = kindFor(platform, named)
  const identity = id as Identity
  const driver = connection.driver(kind)
  const read = await callDriver(
    `read ${address}`,
    calling,
    (inner) => driver.read([{ address, identity }], inner),
    signal,
  )
  const there = read.get(address)
  if (there === undefined || there.identity !== identity)
    throw new Refused('conflict', `There is no ${kind.family} with the id ${id} on the target.`, {
      code: 'stacks/not-there',
      hint: 'See what there is: gitmoor resource list',
    })
  refuseSystem(kind, there)
  const concrete = declaringKind(platform, kind.family, there) ?? kind
  if (named !== kind.family && concrete.kind !== named)
    throw new Refused('conflict', `${id} is a ${concrete.kind}, not a ${named}.`, { code: 'stacks/other-kind' })
  return { address, kind: concrete.kind, identity, applied: concrete.normalise(there.live), needs: [], adopted: true }
}

/** A stack never owns what the target made itself: it could not remove it. */
function refuseSystem({ family }: Kind, { identity, live }: Observed): void {
  if (systemThings([{ family, identity, held: live }]).size === 0) return
  throw new Refused('conflict', `The ${family} ${identity} is the target's own.`, { code: 'stacks/system-thing' })
}

/** A name as in an export, if none is given or another resource of the stack has it. */
function nameFor({ metaName, id }: Adoptee, family: string, taken: ReadonlySet<string>): string {
  return metaName === undefined || taken.has(metaName) ? freeName({ family, identity: id }, taken) : metaName
}

async function refuseOwned({ spec }: Stack, records: readonly Owned[], { store, targets }: AdoptDeps): Promise<void> {
  const things = records.map(({ address, identity }) => ({ family: familyOf(address), identity }))
  const owners = await store.ownership.owners(targets.liveSystem(spec.target), things)
  for (const [thing, owner] of owners)
    throw new Refused('conflict', `${thing} belongs to stack ${owner.stack}, as ${owner.address}.`, {
      code: 'stacks/owned-elsewhere',
      hint: `It can be given up there first: gitmoor stack release ${owner.stack} ${owner.address}`,
    })
}
