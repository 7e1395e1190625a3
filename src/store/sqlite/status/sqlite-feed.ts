import { sql } from 'kysely'
import { chunks } from '../../../lib/chunks.js'
import { revisionHashes } from '../../../model/sources/revision.js'
import type { Run } from '../../../model/stacks/run.js'
import type { Feed, StackStatusRow } from '../../feed.js'
import type { PageRequest } from '../../page-request.js'
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

  async desiredSince(
    stacks: readonly { readonly stack: string; readonly revision: string }[],
  ): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>()
    for (const some of chunks(stacks)) {
      const desired = JSON.stringify(some.map(({ stack, revision }) => [stack, revisionHashes(revision)]))
      for (const { stack, at } of await this.#file.read(() => this.#file.all(firstOfTheLast(desired))))
        if (at !== null) found.set(stack, at)
    }
    return found
  }

  statuses({ limit, after = '' }: PageRequest): Promise<readonly StackStatusRow[]> {
    const query = sql<Narrow>`
      select o.stack, o.name, o.target, o.managed_by as managedBy, o.suspended, o.pinned, o.failing, o.cancelled,
        o.awaits_package as awaitsPackage, o.sync, o.phase, cast(o.last_run as text) as lastRun, o.unfinished,
        o.secret_missing as secretMissing, o.warnings, s.drifted,
        coalesce(json_extract(s.unhealthy, '$.count'), 0) as unhealthy,
        coalesce(json_extract(s.pinned, '$.revision'), json_extract(s.observed, '$.revision')) as desired,
        json_extract(s.applied, '$.revision') as applied, r.finished_at as appliedAt
      from stack_status o join stacks s on s.id = o.stack
        left join runs r on r.id = cast(json_extract(s.applied, '$.run') as integer)
      where o.name > ${after} order by o.name limit ${limit}`
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
}

type Flag = 'suspended' | 'pinned' | 'failing' | 'cancelled' | 'awaitsPackage' | 'unfinished' | 'secretMissing'

type Narrow = Omit<StackStatusRow, Flag | 'needsApproval'> & Readonly<Record<Flag, number>> & { readonly phase: string }

function toStatusRow({ phase, desired, ...row }: Narrow): StackStatusRow {
  return {
    ...row,
    suspended: row.suspended === 1,
    pinned: row.pinned === 1,
    failing: row.failing === 1,
    cancelled: row.cancelled === 1,
    awaitsPackage: row.awaitsPackage === 1,
    needsApproval: phase === 'needs-approval',
    unfinished: row.unfinished === 1,
    secretMissing: row.secretMissing === 1,
    desired: desired === '' ? null : desired,
  }
}

/** When the first run of the newest series of runs at a revision was queued. `desired`: JSON of `[stack, hashes]`. */
function firstOfTheLast(desired: string) {
  return sql<{ readonly stack: string; readonly at: number | null }>`
    select w.stack, (
      select min(r.created_at) from runs r where r.stack = w.stack and r.revision_hashes = w.hashes and r.id > coalesce(
        (select p.id from runs p where p.stack = w.stack and p.revision_hashes not in (w.hashes, '')
          order by p.id desc limit 1), 0)
    ) as at
    from (select value ->> 0 as stack, value ->> 1 as hashes from json_each(${desired})) w`
}
