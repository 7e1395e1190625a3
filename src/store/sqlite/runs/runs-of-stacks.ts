// A page of runs of several stacks. The status table has the labels that select the stacks.
import { idBefore } from '../tables/id-before.js'
import { sql, type RawBuilder } from 'kysely'
import { listed } from '../file/prepared-query.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import { labelCondition } from '../status/select-stacks.js'
import type { StackRun, StackRunQuery } from '../../run-table.js'
import { toRun } from '../tables/rows.js'
import { runRows } from './run-rows.js'

/** Inside a read: newest first, without plans. */
export function runsOfStacks(file: SqliteFile, query: StackRunQuery): readonly StackRun[] {
  const rows = file.all(runRows().where('id', 'in', selectRunIds(file, query)).orderBy('id', 'desc'))
  const stacks = [...new Set(rows.map(({ stack }) => stack))]
  const named = file.all(file.build.selectFrom('stacks').select(['id', 'name']).where('id', 'in', stacks))
  const names = new Map(named.map(({ id, name }) => [id, name]))
  return rows.map((row) => ({ run: toRun(row), stackName: names.get(row.stack)! }))
}

/**
 * The newest ids before `after`. All runs are read in their order. With conditions on stacks, an index gives the ids of
 * each selected stack, and the newest of them are kept.
 */
export function selectRunIds(file: SqliteFile, query: StackRunQuery): readonly number[] {
  const { selector, managedBy, stack, limit, after } = query
  const ofStacks = [
    ...selector.map(labelCondition),
    ...(managedBy === undefined ? [] : [sql`managed_by = ${managedBy}`]),
    ...(stack === undefined ? [] : [sql`stack = ${stack}`]),
  ]
  const selected = sql`select stack from stack_status where ${sql.join(ofStacks, sql` and `)}`
  const runs =
    ofStacks.length === 0 ? sql`runs where true` : sql`runs indexed by runs_of_stack where stack in (${selected})`
  const conditions = [sql`id < ${idBefore(after)}`, ...runConditions(query)]
  return file
    .all(
      sql<{ readonly id: number }>`
        select id from ${runs} and ${sql.join(conditions, sql` and `)} order by id desc limit ${limit}`,
    )
    .map(({ id }) => id)
}

function runConditions({ by, cause, outcomes, since, until }: StackRunQuery): readonly RawBuilder<unknown>[] {
  return [
    ...(by === undefined ? [] : [sql`cause ->> 'by' = ${by}`]),
    ...(cause === undefined ? [] : [sql`cause ->> 'kind' = ${cause}`]),
    ...(outcomes === undefined ? [] : [sql`outcome in ${listed(JSON.stringify(outcomes))}`]),
    ...(since === undefined ? [] : [sql`created_at >= ${since}`]),
    ...(until === undefined ? [] : [sql`created_at < ${until}`]),
  ]
}
