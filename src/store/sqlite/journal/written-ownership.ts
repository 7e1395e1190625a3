// What a stack owns after the open entries of its journal, and what it no longer owns.
import { sql } from 'kysely'
import { familyOf, type Address } from '../../../model/address.js'
import type { Owned, ResourceIdentity } from '../../../model/resources/resource.js'
import { finish, inSlices, type Steps } from '../../../lib/async/steps.js'
import { preparedQuery } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import type { OwnedRows } from '../ownership/owned-rows.js'
import { eventResourceList, eventResourceSteps, type EventResourceList } from '../runs/ownership-event.js'
import type { OwnedSummary } from '../tables/rows.js'
import { readEntries } from './journal-entries.js'

interface Written {
  /** What events list. Absent: the same as before the entries. */
  readonly resources?: EventResourceList
  readonly dropped: readonly ResourceIdentity[]
}

/** What an entry changed, and the ownership of its addresses before it. */
interface WrittenEntry {
  readonly address: Address
  readonly origin: Address | null
  readonly owned_before: string
}

/** A transaction reads at most so much of a journal, and of ownership. */
const shortLength = 128 * 1024
const fewOwned = 200

export class WrittenOwnership {
  readonly #file: SqliteFile
  readonly #owned: OwnedRows
  readonly #queries: ReturnType<typeof queriesOn>

  constructor(file: SqliteFile, owned: OwnedRows) {
    this.#file = file
    this.#owned = owned
    this.#queries = queriesOn()
  }

  /** True if a transaction would take long to read it. */
  isLong(stack: string): Promise<boolean> {
    return this.#file.read(() => {
      const { entries = 0, owned = 0 } = this.#file.get(this.#queries.size({ stack })) ?? {}
      if (entries > shortLength) return true
      return owned > fewOwned && this.#file.get(this.#queries.listed({ stack })) !== undefined
    })
  }

  /**
   * Inside a transaction. undefined: the journal has no entries. Reads all that the stack owns only if events list
   * something else than before.
   */
  now(stack: string): Written | undefined {
    const entries = this.#file.all(this.#queries.entries({ stack }))
    if (entries.length === 0) return undefined
    const before = entries.map((row) => JSON.parse(row.owned_before) as Owned[])
    if (this.#isListedAsBefore(stack, settledOwnership(entries, before))) return { dropped: [] }
    const owned = this.#owned.summaries(stack)
    return {
      resources: eventResourceList(owned, this.#owned.eventFamilies(stack)),
      dropped: finish(droppedResources(before.flat(), owned)),
    }
  }

  /** The same before a transaction, page by page: only the run itself changes the journal. */
  async read(stack: string): Promise<Written | undefined> {
    const entries = this.#file.build.selectFrom('journal').where('stack', '=', stack)
    if ((await this.#file.read(() => this.#file.get(entries.select('id').limit(1)))) === undefined) return undefined
    const found = entries.select(['id', 'owned_before']).where('owned_before', '<>', '[]')
    const after = (id: number) => found.where('id', '>', id).orderBy('id')
    const before = await readEntries(this.#file, after, (row) => JSON.parse(row.owned_before) as Owned[])
    const owned = await this.#owned.readSummaries(stack)
    const families = await this.#file.read(() => this.#owned.eventFamilies(stack))
    return {
      resources: await inSlices(eventResourceSteps(owned, families)),
      dropped: await inSlices(droppedResources(before.flat(), owned)),
    }
  }

  #isListedAsBefore(stack: string, before: ReadonlyMap<Address, Owned | undefined>): boolean {
    const now = new Map(this.#owned.summariesAt(stack, [...before.keys()]).map((one) => [one.address, one]))
    return [...before].every(([address, owned]) => listedFacts(owned) === listedFacts(now.get(address)))
  }
}

/** Ownership of the written addresses when the journal was last empty: their oldest entries have it. */
function settledOwnership(
  entries: readonly WrittenEntry[],
  before: readonly (readonly Owned[])[],
): ReadonlyMap<Address, Owned | undefined> {
  const settled = new Map<Address, Owned | undefined>()
  for (const [at, { address, origin }] of entries.entries())
    for (const one of [address, origin ?? address])
      if (!settled.has(one))
        settled.set(
          one,
          before[at]!.find((owned) => owned.address === one),
        )
  return settled
}

/** What events list of a resource. */
function listedFacts(owned: OwnedSummary | undefined): string | undefined {
  return owned && JSON.stringify([owned.identity, owned.partOf, owned.needs])
}

function queriesOn() {
  return {
    size: preparedQuery(
      ({ stack }: { readonly stack: string }) => sql<{ readonly entries: number; readonly owned: number }>`
        select
          (select coalesce(sum(length(owned_before) + length(change) / 8 + 100), 0)
            from journal where stack = ${stack}) as entries,
          (select count(*) from (select 1 from owned where stack = ${stack} limit ${sql.lit(fewOwned + 1)})) as owned`,
    ),
    /** An entry after which events may list something else. A transaction finds out whether they do. */
    listed: preparedQuery(
      ({ stack }: { readonly stack: string }) => sql<{ readonly id: number }>`
        select id from journal where stack = ${stack} and (
          owned_before = '[]' or change ->> 'action' <> 'update' or change ->> 'from' is not null
          or change -> 'needs' <> owned_before -> 0 -> 'needs'
        ) limit 1`,
    ),
    entries: preparedQuery(
      ({ stack }: { readonly stack: string }) => sql<WrittenEntry>`
        select change ->> 'address' as address, change ->> 'from' as origin, owned_before
        from journal where stack = ${stack} order by id`,
    ),
  }
}

/**
 * Resources that this stack owned before the entries and no longer owns. If another resource has the same address now,
 * it was recreated, and the old one is gone.
 */
function* droppedResources(before: readonly Owned[], now: readonly OwnedSummary[]): Steps<readonly ResourceIdentity[]> {
  const kept = new Set<string>()
  for (const { address, identity } of now) {
    yield
    kept.add(address).add(`${familyOf(address)} ${identity}`)
  }
  const dropped: ResourceIdentity[] = []
  for (const { address, identity, shared } of before) {
    yield
    const family = familyOf(address)
    if (shared !== true && !kept.has(address) && !kept.has(`${family} ${identity}`)) dropped.push({ family, identity })
  }
  return dropped
}
