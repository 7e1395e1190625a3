// The rows of runs: how they are read, queued and changed.
import type { UpdateObject } from 'kysely'
import { revisionHashes } from '../../../model/sources/revision.js'
import type { Outcome, Run } from '../../../model/stacks/run.js'
import type { NewRun } from '../../run-table.js'
import { runColumns, toRun } from '../tables/rows.js'
import type { Tables } from '../tables/tables.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** A query of runs without their plans, for `toRun`. */
export function runRows(file: SqliteFile) {
  return file.build.selectFrom('runs').select(runColumns)
}

/** Inside a transaction: an existing run. */
export function readRun(file: SqliteFile, id: number): Run {
  return toRun(file.get(runRows(file).where('id', '=', id))!)
}

/** Inside a transaction: true if nothing carries out the run yet, and it has not ended. */
export function isQueued(file: SqliteFile, id: string): boolean {
  const row = file.get(file.build.selectFrom('runs').select(['phase', 'outcome']).where('id', '=', Number(id)))
  return row?.phase === 'queued' && row.outcome === null
}

/** Inside a transaction: sets columns of a run. */
export function updateRun(file: SqliteFile, id: string | number, set: UpdateObject<Tables, 'runs'>): void {
  file.run(file.build.updateTable('runs').set(set).where('id', '=', Number(id)))
}

/** Inside a transaction: supersedes queued runs of the stack, then queues this run. */
export function insertRun(file: SqliteFile, run: NewRun, now: number): Run {
  endAllQueued(file, run.stack, 'superseded', now)
  const { id } = file.run(
    file.build.insertInto('runs').values({
      stack: run.stack,
      revision: run.revision,
      revision_hashes: revisionHashes(run.revision),
      attempted: 0,
      cause: JSON.stringify(run.cause),
      intent: run.intent ?? 'sync',
      expects: run.expects ?? null,
      phase: 'queued',
      problems: '[]',
      created_at: now,
    }),
  )
  return readRun(file, id)
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
  const { changes } = file.run(
    file.build
      .updateTable('runs')
      .set({ outcome, phase: 'done', finished_at: now })
      .where('stack', '=', stack)
      .where('outcome', 'is', null)
      .where('phase', '=', 'queued'),
  )
  return changes
}
