// Reads declared and owned resources. Reads in rounds, because the key of a mapping has ids from an earlier round.
import { familyOf, type Address } from '../model/address.js'
import type { Kind, KindNamed } from '../model/kind.js'
import { inSlices, Slices, type Steps } from '../lib/steps.js'
import type { Observed, Owned, Resource } from '../model/resource.js'
import { Unknown } from '../model/json.js'
import type { Connection, ResourceLookup } from '../platform/platform.js'
import { callDriver, type CallContext } from '../platform/call-driver.js'

interface ResourceRead {
  readonly kind: Kind
  readonly lookup: ResourceLookup
}

/** Owned resources are found by identity, others by key if their kind has one. One `read` per family and round. */
export async function observe(
  {
    resources,
    owned,
    kindNamed,
  }: {
    readonly resources: readonly Resource[]
    readonly owned: ReadonlyMap<Address, Owned>
    readonly kindNamed: KindNamed
  },
  { connection, calling }: { readonly connection: Connection; readonly calling: CallContext },
  signal: AbortSignal,
): Promise<Map<Address, Observed>> {
  const found = new Map<Address, Observed>()
  const slices = new Slices(signal)
  const belongsToAnother = await inSlices(otherOwners(resources, owned), signal)
  const rounds = await inSlices(inRounds(resources), signal)
  for (const [i, round] of rounds.entries()) {
    const reads: ResourceRead[] = []
    for (const resource of round) {
      await slices.afterStep()
      reads.push(...resourceReads(resource, owned.get(resource.address), found))
    }
    if (i === 0) reads.push(...(await inSlices(undeclaredReads(resources, owned, kindNamed), signal)))
    await readFamilies(reads, found, { connection, calling }, signal)
    for (const { address } of round) {
      await slices.afterStep()
      const there = found.get(address)
      if (there !== undefined && belongsToAnother(address, there)) found.delete(address)
    }
  }
  return found
}

/**
 * True if a resource found by its key belongs to another address: one that stays declared, owns it and will release its
 * name, or one that found it first.
 */
function* otherOwners(
  resources: readonly Resource[],
  owned: ReadonlyMap<Address, Owned>,
): Steps<(address: Address, there: Observed) => boolean> {
  const holders = new Map<string, Address>()
  for (const { address } of resources) {
    yield
    const one = owned.get(address)
    if (one !== undefined && one.shared !== true) holders.set(`${familyOf(address)} ${one.identity}`, address)
  }
  return (address, { identity }) => {
    const resource = `${familyOf(address)} ${identity}`
    const holder = holders.get(resource) ?? address
    holders.set(resource, holder)
    return holder !== address
  }
}

/** First resources without needs, then those that need only these, and so on. At least one round. */
function* inRounds(resources: readonly Resource[]): Steps<readonly (readonly Resource[])[]> {
  const depths = new Map<Address, number>()
  const rounds: Resource[][] = [[]]
  for (const resource of resources) {
    yield
    const depth = resource.edges.reduce((most, { to }) => Math.max(most, depths.get(to)! + 1), 0)
    depths.set(resource.address, depth)
    ;(rounds[depth] ??= []).push(resource)
  }
  return rounds
}

function resourceReads(
  { address, kind, spec }: Resource,
  owned: Owned | undefined,
  found: ReadonlyMap<Address, Observed>,
): readonly ResourceRead[] {
  const key = kind.matching?.key(kind.encode(spec, ({ to, output }) => identityOrUnknown(found.get(to), to, output)))
  // A shared resource belongs to another stack: it is found by its key, like one that is not owned.
  const identity = owned?.shared === true ? undefined : owned?.identity
  if (identity === undefined && key === undefined) return []
  return [
    {
      kind,
      lookup: { address, ...(identity === undefined ? {} : { identity }), ...(key === undefined ? {} : { key }) },
    },
  ]
}

function identityOrUnknown(there: Observed | undefined, to: Address, output = 'id'): string | Unknown {
  return output === 'id' && there !== undefined ? there.identity : new Unknown(to, output)
}

function* undeclaredReads(
  resources: readonly Resource[],
  owned: ReadonlyMap<Address, Owned>,
  kindNamed: KindNamed,
): Steps<readonly ResourceRead[]> {
  const declared = new Set(resources.map(({ address }) => address))
  const reads: ResourceRead[] = []
  for (const { address, identity, kind: name } of owned.values()) {
    yield
    const kind = declared.has(address) ? undefined : kindNamed(name, address)
    if (kind !== undefined) reads.push({ kind, lookup: { address, identity } })
  }
  return reads
}

async function readFamilies(
  reads: readonly ResourceRead[],
  found: Map<Address, Observed>,
  { connection, calling }: { readonly connection: Connection; readonly calling: CallContext },
  signal: AbortSignal,
): Promise<void> {
  const families = new Map<string, ResourceRead[]>()
  for (const one of reads) {
    const list = families.get(one.kind.family)
    if (list === undefined) families.set(one.kind.family, [one])
    else list.push(one)
  }
  await Promise.all(
    [...families.values()].map(async (list) => {
      const { kind } = list[0]!
      const driver = connection.driver(kind)
      const read = await callDriver(
        `read ${kind.family}`,
        calling,
        (inner) =>
          driver.read(
            list.map(({ lookup }) => lookup),
            inner,
          ),
        signal,
      )
      for (const [address, there] of read) found.set(address, there)
    }),
  )
}
