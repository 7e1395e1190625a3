// What a stack owns after the open entries of its journal, and what it no longer owns.
import { sql } from 'kysely'
import { familyOf } from '../../../model/address.js'
import type { Owned, ResourceIdentity } from '../../../model/resources/resource.js'
import { finish, inSlices, type Steps } from '../../../lib/async/steps.js'
import { preparedQuery } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import type { OwnedRows } from '../ownership/owned-rows.js'
import { eventResourceList, eventResourceSteps, type EventResourceList } from '../runs/ownership-event.js'
import type { OwnedSummary } from '../tables/rows.js'
import { readEntries } from './journal-entries.js'

interface Written {
  readonly resources: EventResourceList
  readonly dropped: readonly ResourceIdentity[]
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
    this.#queries = queriesOn(file)
  }

  /** True if a transaction would take long to read it. */
  async isLong(stack: string): Promise<boolean> {
    const size = await this.#file.read(() => this.#file.get(this.#queries.size({ stack })))
    return size !== undefined && (size.entries > shortLength || size.owned > fewOwned)
  }

  /** Inside a transaction. undefined: the journal has no entries. */
  now(stack: string): Written | undefined {
    const entries = this.#file.all(this.#queries.before({ stack }))
    if (entries.length === 0) return undefined
    const before = entries.flatMap((row) => JSON.parse(row.owned_before) as Owned[])
    const owned = this.#owned.summaries(stack)
    return {
      resources: eventResourceList(owned, this.#owned.eventFamilies(stack)),
      dropped: finish(droppedResources(before, owned)),
    }
  }

  /** The same before a transaction, page by page: only the run itself changes the journal. */
  async read(stack: string): Promise<Written | undefined> {
    const entries = this.#file.build.selectFrom('journal').where('stack', '=', stack)
    if ((await this.#file.read(() => this.#file.get(entries.select('id').limit(1)))) === undefined) return undefined
    const found = entries.select(['id', 'owned_before']).where('owned_before', '<>', '[]')
    const before = await readEntries(this.#file, found, (row) => JSON.parse(row.owned_before) as Owned[])
    const owned = await this.#owned.readSummaries(stack)
    const families = await this.#file.read(() => this.#owned.eventFamilies(stack))
    return {
      resources: await inSlices(eventResourceSteps(owned, families)),
      dropped: await inSlices(droppedResources(before.flat(), owned)),
    }
  }
}

function queriesOn({ build }: SqliteFile) {
  return {
    size: preparedQuery(
      ({ stack }: { readonly stack: string }) => sql<{ readonly entries: number; readonly owned: number }>`
        select (select coalesce(sum(length(owned_before) + 100), 0) from journal where stack = ${stack}) as entries,
          (select count(*) from (select 1 from owned where stack = ${stack} limit ${sql.lit(fewOwned + 1)})) as owned`,
    ),
    before: preparedQuery(({ stack }: { readonly stack: string }) =>
      build.selectFrom('journal').select('owned_before').where('stack', '=', stack),
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
