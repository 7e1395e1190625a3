// Ownership of resources, inside a transaction: owners, sharers, and how ownership passes on.
import { sql } from 'kysely'
import { Slices } from '../../../lib/async/steps.js'
import { familyOf, type Address } from '../../../model/address.js'
import type { Change } from '../../../model/resources/change.js'
import { Rejected } from '../../../model/errors.js'
import type { Owned, ResourceIdentity } from '../../../model/resources/resource.js'
import { platformOf } from '../../../model/resources/live-system.js'
import { noEventFamilies, type EventFamilies } from '../../../model/stacks/run.js'
import { listed, preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import {
  ownedColumns,
  toOwned,
  jsonText,
  parsedBytes,
  toOwnedSummary,
  type OwnedRow,
  type OwnedSummary,
} from '../tables/rows.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** `bytes`: its approximate memory. */
export interface FoundOwned {
  readonly seq: number
  readonly owned: Owned
  readonly bytes: number
}

interface OwnedPage {
  readonly found: readonly FoundOwned[]
  readonly isLast: boolean
}

/** Summaries of ownership on one page. */
const summariesPerPage = 2_000

export class OwnedRows {
  readonly #file: SqliteFile
  readonly #queries: ReturnType<typeof queriesOn>
  readonly #eventFamilies: ReadonlyMap<string, EventFamilies>

  /** `eventFamilies`: by platform. */
  constructor(file: SqliteFile, eventFamilies: ReadonlyMap<string, EventFamilies> = new Map()) {
    this.#eventFamilies = eventFamilies
    this.#file = file
    this.#queries = queriesOn()
  }

  /** How events list what the stack owns: its platform decides. */
  eventFamilies(stack: string): EventFamilies {
    const row = this.#file.get(this.#queries.target({ stack }))
    return (row && this.#eventFamilies.get(platformOf(row.target))) ?? noEventFamilies
  }

  of(stack: string, addresses: readonly Address[]): readonly Owned[] {
    const query = this.#file.build
      .selectFrom('owned')
      .selectAll()
      .where('stack', '=', stack)
      .where('address', 'in', listed<Address>(JSON.stringify(addresses)))
    return this.#file.all(query).map(toOwned)
  }

  /** Ownership of a change's address, and of the address that it moves from. */
  before(stack: string, { address, from = address }: Pick<Change, 'address' | 'from'>): readonly Owned[] {
    return this.#file.all(this.#queries.before({ stack, address, from })).map(toOwned)
  }

  /** Summaries of all that a stack owns: a transaction reads no more than necessary. */
  summaries(stack: string): readonly OwnedSummary[] {
    return this.#file.all(this.#queries.summaries({ stack })).map(toOwnedSummary)
  }

  /** Summaries of some addresses. */
  summariesAt(stack: string, addresses: readonly Address[]): readonly OwnedSummary[] {
    return this.#file
      .all(this.#queries.summariesAt({ stack, addresses: JSON.stringify(addresses) }))
      .map(toOwnedSummary)
  }

  /** The same as `summaries`, page by page outside of a transaction. */
  async readSummaries(stack: string): Promise<readonly OwnedSummary[]> {
    const all: OwnedSummary[] = []
    for (let after = '' as Address; ;) {
      const query = summaryRows(stack).where('address', '>', after).orderBy('address').limit(summariesPerPage)
      const some = await this.#file.read(() => this.#file.all(query).map(toOwnedSummary))
      for (const one of some) all.push(one)
      if (some.length < summariesPerPage) return all
      after = some.at(-1)!.address
    }
  }

  /** A page of ownership by address, after the given one. */
  async page(stack: string, { after, limit }: { readonly after: string; readonly limit: number }): Promise<OwnedPage> {
    const { rows, isLast } = await this.#file.page(this.#queries.page({ stack, after, limit }))
    const slices = new Slices()
    const found: FoundOwned[] = []
    for (const row of rows) {
      const pause = slices.afterStep()
      if (pause !== undefined) await pause
      found.push({ seq: row.seq, owned: toOwned(row), bytes: parsedBytes(row.applied, row.needs) })
    }
    return { found, isLast }
  }

  /** Stores ownership. If another stack owns the resource by now, this one shares it if `yielding`; else an error. */
  own(stack: string, owned: Owned, yielding: boolean): void {
    const family = familyOf(owned.address)
    const { target, owner, at } = this.#holder(stack, { family, identity: owned.identity })
    const taken = owned.shared !== true && owner !== null && owner !== stack
    if (taken && !yielding)
      throw new Rejected(`${owned.address} belongs to another stack now.`, {
        code: 'store/owned',
        hint: 'The next sync names its owner.',
      })
    const columns = {
      target,
      family,
      kind: owned.kind,
      identity: owned.identity,
      applied: JSON.stringify(owned.applied),
      needs: JSON.stringify(owned.edges ?? owned.needs),
      part_of: owned.partOf ?? null,
      adopted: owned.adopted ? 1 : 0,
      shared: owned.shared === true || taken ? 1 : 0,
      changed_run: owned.changed === undefined ? null : Number(owned.changed.run),
      changed: jsonText(owned.changed),
    }
    // A label mapping may be recreated under another address.
    if (columns.shared === 0 && owner === stack && at !== null && at !== owned.address)
      this.disown(stack, [at as Address])
    this.#file.run(this.#queries.own({ stack, address: owned.address, ...columns }))
  }

  /** True if another stack of the target owns the resource. */
  isTaken(stack: string, resource: ResourceIdentity): boolean {
    const { owner } = this.#holder(stack, resource)
    return owner !== null && owner !== stack
  }

  disown(stack: string, addresses: readonly Address[]): void {
    if (addresses.length === 0) return
    this.#file.run(
      this.#file.build
        .deleteFrom('owned')
        .where('stack', '=', stack)
        .where('address', 'in', listed<Address>(JSON.stringify(addresses))),
    )
  }

  /** Before a write: other stacks of the resource no longer know whether it matches their declarations. */
  uncheckOthers(stack: string, { address, identity }: Pick<Owned, 'address' | 'identity'>): void {
    const { build } = this.#file
    const others = build
      .selectFrom('owned')
      .select('stack')
      .where('target', '=', this.#target(stack))
      .where('family', '=', familyOf(address))
    const losing = others.where('identity', '=', identity).where('stack', '<>', stack)
    const doubted = build.updateTable('stacks').set({ checked_at: null }).where('id', 'in', losing)
    this.#file.run(doubted.where(sql`json_extract(spec, '$.drift')`, '<>', 'ignore'))
  }

  /** Before `own`: other stacks of the resource share it from now on. */
  takeOver(stack: string, { address, identity }: Owned): void {
    const query = this.#file.build.updateTable('owned').set({ shared: 1 }).where('target', '=', this.#target(stack))
    this.#file.run(
      query.where('family', '=', familyOf(address)).where('identity', '=', identity).where('stack', '<>', stack),
    )
  }

  /** Gives a resource without owner back to the stack of this name, else to the oldest sharer. */
  giveBack(
    { family, identity }: ResourceIdentity,
    { to, target }: { readonly to: string; readonly target: string },
  ): void {
    const rows = this.#file.build.selectFrom('owned').where('owned.target', '=', target).where('family', '=', family)
    const sharers = this.#file.all(
      rows
        .innerJoin('stacks', 'stacks.id', 'owned.stack')
        .select(['seq', 'shared', 'name'])
        .where('identity', '=', identity),
    )
    const before = sharers.every(({ shared }) => shared === 1) ? sharers.find(({ name }) => name === to) : undefined
    if (before === undefined) return this.passOn(target, [{ family, identity }])
    this.#file.run(this.#file.build.updateTable('owned').set({ shared: 0 }).where('seq', '=', before.seq))
  }

  /** Resources without owner that other stacks declare pass to the stack that declared them first. */
  passOn(target: string, dropped: readonly ResourceIdentity[]): void {
    if (dropped.length === 0) return
    this.#file.run(sql`
      update owned set shared = 0 where seq in (
        select min(owned.seq) from json_each(${JSON.stringify(dropped)}) as dropped
        join owned on owned.target = ${target} and owned.family = dropped.value ->> 'family'
          and owned.identity = dropped.value ->> 'identity'
        group by owned.family, owned.identity having min(owned.shared) = 1)`)
  }

  /** The target of a stack, the stack that owns a resource on it, and at which address. */
  #holder(stack: string, resource: ResourceIdentity): HolderRow {
    const row = this.#file.get(this.#queries.holder({ stack, ...resource }))
    if (row === undefined) throw stackGone()
    return row
  }

  #target(stack: string): string {
    const row = this.#file.get(this.#queries.target({ stack }))
    if (row === undefined) throw stackGone()
    return row.target
  }
}

function stackGone(): Rejected {
  return new Rejected('The stack was deleted in the meantime.', { code: 'store/stack-gone' })
}

interface HolderRow {
  readonly target: string
  readonly owner: string | null
  readonly at: string | null
}

function summaryRows(stack: string) {
  const columns = ['address', 'identity', 'needs', 'part_of', 'shared'] as const
  return build.selectFrom('owned').select(columns).where('stack', '=', stack)
}

/** The queries for each ownership that is stored. */
function queriesOn() {
  const records = build.selectFrom('owned')
  return {
    before: preparedQuery(
      ({ stack, address, from }: { readonly stack: string; readonly address: string; readonly from: string }) =>
        records.selectAll().where('stack', '=', stack).where('address', 'in', [address, from]),
    ),
    own: preparedQuery((given: Omit<OwnedRow, 'seq'>) => {
      const { target, family, kind, identity, applied, needs, part_of, adopted, shared, changed_run, changed } = given
      const columns = { target, family, kind, identity, applied, needs, part_of, adopted, shared, changed_run, changed }
      return build
        .insertInto('owned')
        .values({ stack: given.stack, address: given.address, ...columns })
        .onConflict((conflict) => conflict.columns(['stack', 'address']).doUpdateSet(columns))
    }),
    page: preparedQuery(
      ({ stack, after, limit }: { readonly stack: string; readonly after: string; readonly limit: number }) => {
        const owned = records
          .select(ownedColumns)
          .where('stack', '=', stack)
          .where('address', '>', after as Address)
        return owned.orderBy('address').limit(limit)
      },
    ),
    holder: preparedQuery(({ stack, family, identity }: ResourceIdentity & { readonly stack: string }) => {
      const stacks = build.selectFrom('stacks').leftJoin('owned', (join) =>
        join
          .onRef('owned.target', '=', 'stacks.target')
          .on('owned.family', '=', family)
          .on('owned.identity', '=', identity)
          // Not a parameter: SQLite prepares a statement again for each value that a partial index depends on.
          .on('owned.shared', '=', sql.lit(0)),
      )
      return stacks
        .select(['stacks.target', 'owned.stack as owner', 'owned.address as at'])
        .where('stacks.id', '=', stack)
    }),
    summaries: preparedQuery(({ stack }: { readonly stack: string }) => summaryRows(stack)),
    summariesAt: preparedQuery(({ stack, addresses }: { readonly stack: string; readonly addresses: string }) =>
      summaryRows(stack).where('address', 'in', listed<Address>(addresses)),
    ),
    target: preparedQuery(({ stack }: { readonly stack: string }) =>
      build.selectFrom('stacks').select('target').where('id', '=', stack),
    ),
  }
}
