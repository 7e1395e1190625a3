import { sql, type RawBuilder } from 'kysely'
import { chunks } from '../../../lib/chunks.js'
import type { Run } from '../../../model/stacks/run.js'
import type { Feed, StackGroup, StackStatusRow } from '../../feed.js'
import type { PageRequest } from '../../page-request.js'
import type { LiveStatus } from '../../../model/stacks/stack.js'
import type { LiveStacks } from '../../stack-table.js'
import { liveCondition } from './select-stacks.js'
import { runRows } from '../runs/run-rows.js'
import { toRun } from '../tables/rows.js'
import { listed, preparedQuery } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'

export class SqliteFeed implements Feed {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  newest(): Promise<string> {
    const query = this.#file.build.selectFrom('runs').select((select) => select.fn.max('id').as('id'))
    return this.#file.read(() => String(this.#file.get(query)?.id ?? 0))
  }

  after(run: string, limit: number): Promise<readonly Run[]> {
    const query = queries.after({ id: Number(run), limit })
    return this.#file.read(() => this.#file.all(query).map(toRun))
  }

  async many(ids: readonly string[]): Promise<readonly Run[]> {
    const found: Run[] = []
    for (const some of chunks(ids.map(Number))) {
      const query = queries.many({ ids: JSON.stringify(some) })
      for (const row of await this.#file.read(() => this.#file.all(query))) found.push(toRun(row))
    }
    return found
  }

  behindSince(stack: string): Promise<number | null> {
    return this.#file.read(() => this.#file.get(queries.behind({ stack }))?.since ?? null)
  }

  statuses({ limit, after = '' }: PageRequest): Promise<readonly StackStatusRow[]> {
    return this.#statuses(sql`select * from stack_status where name > ${after} order by name limit ${limit}`)
  }

  statusesOf(stacks: readonly string[]): Promise<readonly StackStatusRow[]> {
    return this.#statuses(sql`select * from stack_status where stack in ${listed(JSON.stringify(stacks))}`)
  }

  liveStacks({
    live,
    liveStatus,
  }: {
    readonly live: LiveStacks
    readonly liveStatus: LiveStatus
  }): Promise<readonly string[]> {
    const query = sql<{ readonly stack: string }>`
      select stack from stack_status where ${liveCondition(live, liveStatus)}`
    return this.#file.read(() => this.#file.all(query).map(({ stack }) => stack))
  }

  groups(): Promise<readonly StackGroup[]> {
    const query = sql<StackGroup>`
      select package, target, state, nullif(applied, '') as applied, count(*) as stacks, min(name) as first
      from stack_status group by package, target, state, applied`
    return this.#file.read(() => this.#file.all(query))
  }

  followers(): Promise<readonly { readonly url: string; readonly ref: string; readonly stacks: number }[]> {
    const query = sql<{ readonly url: string; readonly ref: string; readonly stacks: number }>`
      select value ->> 1 as url, value ->> 2 as ref, count(distinct stack) as stacks
      from stack_status, json_each(sources) where value ->> 1 is not null group by url, ref`
    return this.#file.read(() => this.#file.all(query))
  }

  /** `rows`: a query that gives rows of the status table. */
  #statuses(rows: RawBuilder<unknown>): Promise<readonly StackStatusRow[]> {
    const query = sql<Narrow>`
      select o.stack, o.name, o.target, o.package, o.state, o.managed_by as managedBy, o.suspended, o.pinned, o.undeclared, o.failing,
        o.cancelled, o.awaits_package as awaitsPackage, o.sync, o.phase = 'needs-approval' as needsApproval,
        cast(o.last_run as text) as lastRun,
        o.unfinished, o.secret_missing as secretMissing, o.warnings, s.drifted,
        coalesce(json_extract(s.unhealthy, '$.count'), 0) as unhealthy, nullif(o.behind_since, 0) as behindSince,
        nullif(o.applied, '') as applied, r.finished_at as appliedAt
      from (${rows}) o
        join stacks s on s.id = o.stack
        left join runs r on r.id = cast(json_extract(s.applied, '$.run') as integer)
      order by o.name`
    return this.#file.read(() => this.#file.all(query).map(toStatusRow))
  }
}

/** The queries after each change. */
const queries = {
  after: preparedQuery(({ id, limit }: { readonly id: number; readonly limit: number }) =>
    runRows().where('id', '>', id).orderBy('id').limit(limit),
  ),
  many: preparedQuery(({ ids }: { readonly ids: string }) =>
    runRows().where('id', 'in', listed<number>(ids)).orderBy('id'),
  ),
  behind: preparedQuery(
    ({ stack }: { readonly stack: string }) =>
      sql<{ readonly since: number | null }>`
        select nullif(behind_since, 0) as since from stack_status where stack = ${stack}`,
  ),
}

type Flag =
  | 'suspended'
  | 'pinned'
  | 'undeclared'
  | 'failing'
  | 'cancelled'
  | 'awaitsPackage'
  | 'needsApproval'
  | 'unfinished'
  | 'secretMissing'

type Narrow = Omit<StackStatusRow, Flag> & Readonly<Record<Flag, number>>

function toStatusRow(row: Narrow): StackStatusRow {
  return {
    ...row,
    suspended: row.suspended === 1,
    pinned: row.pinned === 1,
    undeclared: row.undeclared === 1,
    failing: row.failing === 1,
    cancelled: row.cancelled === 1,
    awaitsPackage: row.awaitsPackage === 1,
    needsApproval: row.needsApproval === 1,
    unfinished: row.unfinished === 1,
    secretMissing: row.secretMissing === 1,
  }
}
