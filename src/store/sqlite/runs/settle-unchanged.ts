// Queued runs of revisions with the contents that are applied already: they end as unchanged, without a plan.
import { sql } from 'kysely'
import { revisionHashes } from '../../../model/sources/revision.js'
import type { ComparedRun } from '../../run-table.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import { isQueued } from './run-rows.js'

/** Inside a transaction. Returns the ids of those that it ended. */
export function settleUnchanged(file: SqliteFile, runs: readonly ComparedRun[], now: number): readonly string[] {
  const settled = runs.filter((one) => isQueued(file, one.run) && isStillApplied(file, one))
  for (const one of settled) settle(file, one, now)
  return settled.map(({ run }) => run)
}

/** No earlier run is in progress, which may write something else, and none has since the content was compared. */
function isStillApplied(file: SqliteFile, { run, stack, seen }: ComparedRun): boolean {
  const inProgress = file.get(queries.earlier({ stack, run: Number(run) })) !== undefined
  return !inProgress && file.get(queries.applied({ stack, content: seen.content })) !== undefined
}

function settle(file: SqliteFile, { run, stack, seen: { revision, content } }: ComparedRun, now: number): void {
  file.run(queries.run({ stack, run: Number(run), now })) // it has the warnings of the run that applied the content
  file.run(queries.stack({ stack, run, revision, content, states: revisionHashes(revision) }))
}

interface SettledStack extends Pick<ComparedRun, 'stack' | 'run'> {
  readonly revision: string
  readonly states: string
  readonly content: string
}

interface SettledRun {
  readonly stack: string
  readonly run: number
  readonly now: number
}

/** A poll asks them for each stack. */
const queries = {
  earlier: preparedQuery(({ stack, run }: Omit<SettledRun, 'now'>) => {
    const runs = build.selectFrom('runs').select('id').where('stack', '=', stack)
    return runs.where('outcome', 'is', null).where('id', '<', run)
  }),
  applied: preparedQuery(({ stack, content }: Pick<SettledStack, 'stack' | 'content'>) => {
    const isApplied = sql<boolean>`json_extract(applied, '$.content') = ${content}`
    return build.selectFrom('stacks').select('id').where('id', '=', stack).where(isApplied)
  }),
  stack: preparedQuery(({ stack, run, revision, states, content }: SettledStack) => {
    const applied = sql<string>`
      json_set(applied, '$.revision', ${revision}, '$.states', ${states}, '$.run', ${run})`
    const observed = sql<string>`
      json_set(observed, '$.revision', ${revision}, '$.states', ${states}, '$.content', ${content})`
    const attempted = sql<string>`json_set(attempted, '$.revision', ${revision})`
    const set = { applied, observed, attempted, failure: null, retries: 0, retry_at: null }
    return build.updateTable('stacks').set(set).where('id', '=', stack)
  }),
  run: preparedQuery(({ stack, run, now }: SettledRun) => {
    const files = sql<string>`(select json_extract(applied, '$.files') from stacks where id = ${stack})`
    const applied = sql`(select cast(json_extract(applied, '$.run') as integer) from stacks where id = ${stack})`
    const settings = sql<string>`
      (select settings from runs as before where before.stack = ${stack} and before.id = ${applied})`
    const problems = sql<string>`
      coalesce((select problems from runs as before where before.stack = ${stack} and before.id = ${applied}), '[]')`
    const ended = {
      outcome: 'unchanged',
      phase: 'done',
      attempted: 1,
      files,
      settings,
      problems,
      started_at: now,
      finished_at: now,
    } as const
    return build.updateTable('runs').set(ended).where('id', '=', run)
  }),
}
