// Selects a page of runs of several stacks by the status table, which has the labels.
import { sql } from 'kysely'
import type { SqliteFile } from '../file/sqlite-file.js'
import { labelCondition } from '../status/select-stacks.js'
import type { StackRunQuery } from '../../store.js'

/**
 * The newest ids before `after`. All runs are read in their order. With a selector, an index gives the ids of each
 * selected stack, and the newest of them are kept: no other column of a run is read.
 */
export function selectRunIds(file: SqliteFile, { selector, limit, after }: StackRunQuery): readonly number[] {
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
  const conditions = sql.join(selector.map(labelCondition), sql` and `)
  const runs =
    selector.length === 0
      ? sql`runs where true`
      : sql`runs indexed by runs_of_stack where stack in (select stack from stack_status where ${conditions})`
  return file
    .all(sql<{ readonly id: number }>`select id from ${runs} and id < ${before} order by id desc limit ${limit}`)
    .map(({ id }) => id)
}
