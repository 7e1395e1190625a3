// Reads declared and owned resources: all of them at once, except those whose key is made of ids that are not read yet.
import { familyOf, type Address } from '../model/address.js'
import { InvalidPackage } from '../model/errors.js'
import type { Kind, KindNamed, Resolve } from '../model/resources/kind.js'
import { inSlices, Slices, type Steps } from '../lib/async/steps.js'
import type { Observed, Owned, Resource } from '../model/resources/resource.js'
import { Unknown } from '../model/json.js'
import type { Connection, ResourceLookup } from '../platform/platform.js'
import { callDriver, type CallContext } from '../platform/call-driver.js'

interface ResourceRead {
  readonly kind: Kind
  readonly lookup: ResourceLookup
}

/**
 * Owned resources are found by identity, others by key if their kind has one. One `read` per family, and one more for
 * each round of keys that are made of ids from the round before.
 */
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
  let belongsToAnother: OtherOwners | undefined
  const waiting = new WaitingKeys()
  let reads: readonly ResourceRead[] = await inSlices(undeclaredReads(resources, owned, kindNamed), signal)
  for (let round = resources; round.length > 0 || reads.length > 0; reads = []) {
    const declared: ResourceRead[] = []
    for (const resource of round) {
      const pause = slices.afterStep()
      if (pause !== undefined) await pause
      const read = resourceRead(resource, { owned: owned.get(resource.address), found, waiting })
      if (read !== undefined) declared.push(read)
    }
    await readFamilies([...declared, ...reads], found, { connection, calling }, signal)
    for (const { address } of round) {
      const pause = slices.afterStep()
      if (pause !== undefined) await pause
      const there = found.get(address)
      if (there === undefined || isOwn(owned.get(address), there)) continue
      belongsToAnother ??= await inSlices(otherOwners(resources, owned), signal)
      if (belongsToAnother(address, there)) found.delete(address)
    }
    round = waiting.after(round, found)
  }
  return found
}

/** Resources whose keys are made of ids that are not read yet. */
class WaitingKeys {
  /** By the resource that gives an id. */
  readonly #waiting = new Map<Address, Set<Resource>>()

  add(resource: Resource, ids: Iterable<Address>): void {
    for (const id of ids) {
      const waiting = this.#waiting.get(id)
      if (waiting === undefined) this.#waiting.set(id, new Set([resource]))
      else waiting.add(resource)
    }
  }

  /** Those of which an id was found in this round. */
  after(round: readonly Resource[], found: ReadonlyMap<Address, Observed>): readonly Resource[] {
    const next = new Set<Resource>()
    for (const { address } of round)
      if (found.has(address))
        for (const one of this.#waiting.get(address) ?? []) if (!found.has(one.address)) next.add(one)
    return [...next]
  }
}

type OtherOwners = (address: Address, there: Observed) => boolean

function isOwn(owned: Owned | undefined, { identity }: Observed): boolean {
  return owned !== undefined && owned.shared !== true && owned.identity === identity
}

/**
 * True if a resource found by its key belongs to another address: one that stays declared, owns it and will release its
 * name, or one that found it first.
 */
function* otherOwners(resources: readonly Resource[], owned: ReadonlyMap<Address, Owned>): Steps<OtherOwners> {
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

/** A resource is read by its key as soon as the key is known, by its identity at once. */
function resourceRead(
  resource: Resource,
  {
    owned,
    found,
    waiting,
  }: {
    readonly owned: Owned | undefined
    readonly found: ReadonlyMap<Address, Observed>
    readonly waiting: WaitingKeys
  },
): ResourceRead | undefined {
  const { address, kind } = resource
  let missing: Set<Address> | undefined
  // Other values than ids may change with this plan, and are no part of a key.
  const resolve: Resolve = ({ to, output = 'id' }) => {
    const there = found.get(to)
    if (output === 'id' && there !== undefined) return there.identity
    if (output === 'id') (missing ??= new Set()).add(to)
    return new Unknown(to, output)
  }
  const key = keyOf(resource, resolve)
  if (key === undefined && kind.matching !== undefined && missing !== undefined) waiting.add(resource, missing)
  // A shared resource belongs to another stack: it is found by its key, like one that is not owned.
  const identity = owned?.shared === true ? undefined : owned?.identity
  if (identity === undefined && key === undefined) return undefined
  return { kind, lookup: { address, ...(identity !== undefined && { identity }), ...(key !== undefined && { key }) } }
}

/** undefined: the resource has none; an id is missing; or a value does not fit, which the plan reports. */
function keyOf({ kind, spec }: Resource, resolve: Resolve): string | undefined {
  if (kind.matching === undefined) return undefined
  try {
    return kind.matching.key(kind.encode(spec, resolve))
  } catch (error) {
    if (error instanceof InvalidPackage) return undefined
    throw error
  }
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
