// The rows of runs: how they are read, queued and changed.
import type { UpdateObject } from 'kysely'
import { revisionHashes } from '../../../model/sources/revision.js'
import type { Outcome, Run } from '../../../model/stacks/run.js'
import type { NewRun } from '../../run-table.js'
import { runColumns, toRun, type StoredRun } from '../tables/rows.js'
import type { Tables } from '../tables/tables.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import { rowUpdate } from '../file/row-update.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** A query of runs without their plans, for `toRun`. */
export function runRows() {
  return build.selectFrom('runs').select(runColumns)
}

/** The queries for each run that is queued. */
const queries = {
  run: preparedQuery(({ id }: { readonly id: number }) => runRows().where('id', '=', id)),
  state: preparedQuery(({ id }: { readonly id: number }) =>
    build.selectFrom('runs').select(['phase', 'outcome']).where('id', '=', id),
  ),
  insert: preparedQuery((row: QueuedRow) => {
    const { stack, revision, revision_hashes, cause, intent, expects, created_at } = row
    const columns = { stack, revision, revision_hashes, cause, intent, expects, created_at }
    const queued = { ...columns, attempted: 0, phase: 'queued', problems: '[]' }
    return build.insertInto('runs').values(queued).returning(runColumns)
  }),
  endQueued: preparedQuery(
    ({ stack, outcome, now }: { readonly stack: string; readonly outcome: Outcome; readonly now: number }) => {
      const ended = build.updateTable('runs').set({ outcome, phase: 'done', finished_at: now })
      return ended.where('stack', '=', stack).where('outcome', 'is', null).where('phase', '=', 'queued')
    },
  ),
}

type QueuedRow = Pick<
  StoredRun,
  'stack' | 'revision' | 'revision_hashes' | 'cause' | 'intent' | 'expects' | 'created_at'
>

/** Inside a transaction: an existing run. */
export function readRun(file: SqliteFile, id: number): Run {
  return toRun(file.get(queries.run({ id }))!)
}

/** Inside a transaction: true if nothing carries out the run yet, and it has not ended. */
export function isQueued(file: SqliteFile, id: string): boolean {
  const row = file.get(queries.state({ id: Number(id) }))
  return row?.phase === 'queued' && row.outcome === null
}

/** Inside a transaction: sets columns of a run. */
export function updateRun(file: SqliteFile, id: string | number, set: UpdateObject<Tables, 'runs'>): void {
  file.run(rowUpdate('runs', Number(id), set))
}

/** Inside a transaction: supersedes queued runs of the stack, then queues this run. */
export function insertRun(file: SqliteFile, run: NewRun, now: number): Run {
  endAllQueued(file, run.stack, 'superseded', now)
  const row = file.get(
    queries.insert({
      stack: run.stack,
      revision: run.revision,
      revision_hashes: revisionHashes(run.revision),
      cause: JSON.stringify(run.cause),
      intent: run.intent ?? 'sync',
      expects: run.expects ?? null,
      created_at: now,
    }),
  )
  return toRun(row!)
}

/**
 * Inside a transaction: a run that has ended, without a revision. It does not supersede queued runs. Returns its id.
 */
export function insertEndedRun(
  file: SqliteFile,
  {
    stack,
    cause,
    outcome = 'unchanged',
    changes = null,
  }: Pick<NewRun, 'stack' | 'cause'> & { readonly outcome?: Outcome; readonly changes?: string | null },
  now: number,
): number {
  const ended = { phase: 'done', problems: '[]', created_at: now, started_at: now, finished_at: now }
  const run = {
    stack,
    revision: '',
    revision_hashes: '',
    attempted: 0,
    cause: JSON.stringify(cause),
    intent: 'ownership' as const,
    outcome,
    changes,
    ...ended,
  }
  return file.run(file.build.insertInto('runs').values(run)).id
}

/** Inside a transaction: ends queued runs of the stack. Returns their number. */
export function endAllQueued(file: SqliteFile, stack: string, outcome: Outcome, now: number): number {
  return file.run(queries.endQueued({ stack, outcome, now })).changes
}
