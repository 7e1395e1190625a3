import { invalidCursor } from '../../../model/cursor.js'
import type { Address, Identity } from '../../../model/address.js'
import { sql } from 'kysely'
import { chunks } from '../../../lib/chunks.js'
import type { Claim, Claims, Owned, ResourceIdentity } from '../../../model/resources/resource.js'
import type { Cause } from '../../../model/stacks/run.js'
import type { ExplainedResource, OwnershipTable } from '../../ownership-table.js'
import type { PageRequest } from '../../page-request.js'
import type { FoundOwned, OwnedRows } from './owned-rows.js'
import type { OwnershipCache } from './ownership-cache.js'
import { toOwned, type OwnedRow } from '../tables/rows.js'
import { listed, preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** A stack, and the target that it is bound to. */
type Claiming = Parameters<OwnershipTable['claims']>[0]

export class SqliteOwnership implements OwnershipTable {
  readonly #file: SqliteFile
  readonly #owned: OwnedRows
  readonly #cache: OwnershipCache

  constructor(file: SqliteFile, owned: OwnedRows, cache: OwnershipCache) {
    this.#file = file
    this.#owned = owned
    this.#cache = cache
  }

  of(stack: string): Promise<ReadonlyMap<Address, Owned>> {
    return this.#cache.of(stack, async () => {
      const found = (await this.#all(stack)).sort((a, b) => a.seq - b.seq)
      const owned = new Map(found.map((one) => [one.owned.address, one.owned]))
      return { owned, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) }
    })
  }

  async byAddress(stack: string, page: Partial<PageRequest> = {}): Promise<readonly Owned[]> {
    return (await this.#all(stack, page)).map(({ owned }) => owned)
  }

  async newest(stack: string, { limit, after }: PageRequest): ReturnType<OwnershipTable['newest']> {
    const { run, address } = positionOf(after)
    const changedRun = sql<number>`coalesce(owned.changed_run, 0)`
    const query = this.#explained(stack)
      .where('owned.part_of', 'is', null)
      .where((where) =>
        where.or([
          where(changedRun, '<', run),
          where.and([where(changedRun, '=', run), where('address', '>', address)]),
        ]),
      )
      .orderBy(changedRun, 'desc')
      .orderBy('address')
      .limit(limit)
    const found = await this.#file.read(() => this.#file.all(query).map(toExplainedResource))
    const last = found.at(-1)?.owned
    const isLast = last === undefined || found.length < limit
    return { found, next: isLast ? null : `${last.changed?.run ?? 0} ${last.address}` }
  }

  explained(stack: string, address: string): Promise<ExplainedResource | undefined> {
    const query = this.#explained(stack).where('address', '=', address)
    return this.#file.read(() => {
      const row = this.#file.get(query)
      return row && toExplainedResource(row)
    })
  }

  at(address: Address, limit: number): ReturnType<OwnershipTable['at']> {
    const query = sql<{ readonly stack: string; readonly target: string; readonly identity: Identity }>`
      select min(s.name) as stack, json_extract(s.spec, '$.target') as target, o.identity
      from owned o join stacks s on s.id = o.stack
      where o.address = ${address}
      group by o.target, json_extract(s.spec, '$.target'), o.identity order by stack limit ${limit}`
    return this.#file.read(() => this.#file.all(query))
  }

  async claims(of: Claiming, found: readonly ResourceIdentity[]): Promise<Claims> {
    const claims = new Map<string, Claim[]>()
    if (await this.#alone(of)) return toClaims(claims)
    for (const [family, identities] of byFamily(found))
      for (const some of chunks(identities)) await this.#claimsOn(of, family, some, claims)
    return toClaims(claims)
  }

  async owners(
    target: string,
    resources: readonly ResourceIdentity[],
  ): Promise<ReadonlyMap<string, { readonly stack: string; readonly address: Address }>> {
    const owners = new Map<string, { readonly stack: string; readonly address: Address }>()
    for (const [family, identities] of byFamily(resources)) {
      for (const some of chunks(identities)) {
        const query = this.#file.build
          .selectFrom('owned')
          .innerJoin('stacks', 'stacks.id', 'owned.stack')
          .select(['stacks.name', 'owned.address', 'owned.identity'])
          .where('owned.target', '=', target)
          .where('owned.family', '=', family)
          .where('owned.identity', 'in', some)
          .where('owned.shared', '=', sql.lit(0))
        for (const row of await this.#file.read(() => this.#file.all(query)))
          owners.set(`${family}/${row.identity}`, { stack: row.name, address: row.address as Address })
      }
    }
    return owners
  }

  /** Page by page, without blocking. Only the run of the stack, which calls this, changes its ownership. */
  async #all(
    stack: string,
    { limit = Number.MAX_SAFE_INTEGER, after = '' }: Partial<PageRequest> = {},
  ): Promise<FoundOwned[]> {
    const all: FoundOwned[] = []
    for (let from = after; ;) {
      const { found, isLast } = await this.#owned.page(stack, { after: from, limit: limit - all.length })
      for (const one of found) all.push(one)
      if (isLast || all.length === limit) return all
      from = found.at(-1)!.owned.address
    }
  }

  #explained(stack: string) {
    return this.#file.build
      .selectFrom('owned')
      .leftJoin('runs', 'runs.id', 'owned.changed_run')
      .selectAll('owned')
      .select('runs.cause')
      .where('owned.stack', '=', stack)
  }

  /** True if no other stack has anything on the target. */
  async #alone({ stack, target }: Claiming): Promise<boolean> {
    return this.#file.read(() => this.#file.get(queries.ofOthers({ stack, target })) === undefined)
  }

  async #claimsOn(
    { stack, target }: Claiming,
    family: string,
    identities: readonly string[],
    claims: Map<string, Claim[]>,
  ): Promise<void> {
    const query = queries.claims({ stack, target, family, identities: JSON.stringify(identities) })
    for (const row of await this.#file.read(() => this.#file.all(query))) {
      const key = `${family} ${row.identity}`
      claims.set(key, [...(claims.get(key) ?? []), { stack: row.stack, stackName: row.stackName, owned: toOwned(row) }])
    }
  }
}

/** The queries of each plan. */
const queries = {
  ofOthers: preparedQuery(({ stack, target }: Claiming) =>
    build.selectFrom('owned').select('seq').where('target', '=', target).where('stack', '<>', stack).limit(1),
  ),
  claims: preparedQuery(
    ({ stack, target, family, identities }: Claiming & { readonly family: string; readonly identities: string }) =>
      build
        .selectFrom('owned')
        .innerJoin('stacks', 'stacks.id', 'owned.stack')
        .selectAll('owned')
        .select('stacks.name as stackName')
        .where('owned.target', '=', target)
        .where('owned.family', '=', family)
        .where('owned.identity', 'in', listed<string>(identities))
        .where('owned.stack', '<>', stack)
        .orderBy('owned.seq'),
  ),
}

function toExplainedResource(row: OwnedRow & { readonly cause: string | null }): ExplainedResource {
  const { cause } = row
  return { owned: toOwned(row), cause: cause === null ? null : (JSON.parse(cause) as Cause) }
}

function byFamily(resources: readonly ResourceIdentity[]): ReadonlyMap<string, Identity[]> {
  const families = new Map<string, Identity[]>()
  for (const { family, identity } of resources) {
    const list = families.get(family)
    if (list === undefined) families.set(family, [identity])
    else list.push(identity)
  }
  return families
}

function toClaims(claims: ReadonlyMap<string, readonly Claim[]>): Claims {
  const of = (family: string, identity: Identity): readonly Claim[] => claims.get(`${family} ${identity}`) ?? []
  return {
    owner: (family, identity) => of(family, identity).find((claim) => claim.owned.shared !== true),
    sharers: (family, identity) => of(family, identity).filter((claim) => claim.owned.shared === true),
  }
}

/** The run and the address of the last resource of the page before. */
function positionOf(after: string | undefined): { readonly run: number; readonly address: string } {
  if (after === undefined) return { run: Number.MAX_SAFE_INTEGER, address: '' }
  const [, run, address] = /^(\d{1,15}) (.+)$/s.exec(after) ?? []
  if (run === undefined || address === undefined) throw invalidCursor(after)
  return { run: Number(run), address }
}
