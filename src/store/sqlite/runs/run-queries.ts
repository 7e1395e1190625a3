// The queries that each run makes, compiled once.
import { sql } from 'kysely'
import { listed, preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import { runRows } from './run-rows.js'

interface AttemptColumns {
  readonly stack: string
  readonly revision: string
  readonly content: string
  readonly attempted: string
}

/** The unfinished runs of a stack that are newer than a run. */
export function newerUnfinished(stack: string, run: string) {
  const newer = build.selectFrom('runs').select('id').where('stack', '=', stack).where('id', '>', Number(run))
  return newer.where('outcome', 'is', null).limit(1)
}

export const unfinishedRuns = runRows().where('outcome', 'is', null).orderBy('stack').orderBy('id')

/** The queries of each run. */
export const runQueries = {
  attempt: preparedQuery(({ stack, revision, content, attempted }: AttemptColumns) => {
    const observed = sql<string>`
      case when json_extract(observed, '$.revision') = ${revision}
      then json_set(observed, '$.content', ${content}) else observed end`
    return build.updateTable('stacks').set({ observed, attempted }).where('id', '=', stack)
  }),
  list: preparedQuery(
    ({ stack, before, limit }: { readonly stack: string; readonly before: number; readonly limit: number }) =>
      runRows().where('stack', '=', stack).where('id', '<', before).orderBy('id', 'desc').limit(limit),
  ),
  last: preparedQuery(({ stacks }: { readonly stacks: string }) => {
    const newest = sql<number>`
      select (select id from runs where stack = value and intent <> 'ownership' order by id desc limit 1)
      from json_each(${stacks})`
    return runRows().where('id', 'in', sql<number>`(${newest})`)
  }),
  /** The unfinished runs of a stack, and its newest run that is not a change of ownership alone; the oldest first. */
  current: preparedQuery(({ stack }: { readonly stack: string }) => {
    const ids = sql<number>`
      select id from runs where stack = ${stack} and outcome is null
      union select (select id from runs where stack = ${stack} and intent <> 'ownership' order by id desc limit 1)`
    return runRows()
      .where('id', 'in', sql<number>`(${ids})`)
      .orderBy('id')
  }),
  lastAttempt: preparedQuery(({ stack }: { readonly stack: string }) => {
    const attempts = build.selectFrom('runs').select(['revision', 'plan', 'files'])
    return attempts.where('stack', '=', stack).where('attempted', '=', sql.lit(1)).orderBy('id', 'desc').limit(1)
  }),
  unfinishedOf: preparedQuery(({ stacks }: { readonly stacks: string }) =>
    unfinishedRuns.where('stack', 'in', listed<string>(stacks)),
  ),
  plan: preparedQuery(({ digest, body }: { readonly digest: string; readonly body: Buffer }) =>
    build
      .insertInto('plans')
      .values({ digest, body })
      .onConflict((conflict) => conflict.doNothing()),
  ),
}
