// Queued runs of revisions with the contents that are applied already: they end as unchanged, without a plan.
import { sql } from 'kysely'
import { revisionHashes } from '../../../model/sources/revision.js'
import type { ComparedRun } from '../../run-table.js'
import { updateStack } from '../stacks/stack-rows.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import { isQueued, updateRun } from './run-rows.js'

/** Inside a transaction. Returns the ids of those that it ended. */
export function settleUnchanged(file: SqliteFile, runs: readonly ComparedRun[], now: number): readonly string[] {
  const settled = runs.filter((one) => isQueued(file, one.run) && isStillApplied(file, one))
  for (const one of settled) settle(file, one, now)
  return settled.map(({ run }) => run)
}

/** No earlier run is in progress, which may write something else, and none has since the content was compared. */
function isStillApplied(file: SqliteFile, { run, stack, seen }: ComparedRun): boolean {
  const inProgress = file.build
    .selectFrom('runs')
    .select('id')
    .where('stack', '=', stack)
    .where('outcome', 'is', null)
    .where('id', '<', Number(run))
  const applied = file.build
    .selectFrom('stacks')
    .select('id')
    .where('id', '=', stack)
    .where(sql<boolean>`json_extract(applied, '$.content') = ${seen.content}`)
  return file.get(inProgress) === undefined && file.get(applied) !== undefined
}

function settle(file: SqliteFile, { run, stack, seen: { revision, content } }: ComparedRun, now: number): void {
  const states = revisionHashes(revision)
  const applied = sql<string>`
    json_set(applied, '$.revision', ${revision}, '$.states', ${states}, '$.run', ${run})`
  const observed = sql<string>`
    json_set(observed, '$.revision', ${revision}, '$.states', ${states}, '$.content', ${content})`
  const attempted = sql<string>`json_set(attempted, '$.revision', ${revision})`
  updateStack(file, stack, { applied, observed, attempted, failure: null, retries: 0, retry_at: null })
  const files = sql<string>`(select json_extract(applied, '$.files') from stacks where id = ${stack})`
  const end = { outcome: 'unchanged', phase: 'done', attempted: 1, files, started_at: now, finished_at: now }
  updateRun(file, run, end)
}
