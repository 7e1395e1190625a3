import { revisionHashes } from '../../../model/revision.js'
import type { Run } from '../../../model/run.js'
import type { NewRun } from '../../store.js'
import { runColumns, toRun } from '../tables/rows.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** Inside a transaction: supersedes queued runs of the stack, then queues this run. */
export function insertRun(file: SqliteFile, run: NewRun, now: number): Run {
  supersede(file, run.stack, now)
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
  return toRun(file.get(file.build.selectFrom('runs').select(runColumns).where('id', '=', id))!)
}

function supersede(file: SqliteFile, stack: string, now: number): void {
  file.run(
    file.build
      .updateTable('runs')
      .set({ outcome: 'superseded', phase: 'done', finished_at: now })
      .where('stack', '=', stack)
      .where('outcome', 'is', null)
      .where('phase', '=', 'queued'),
  )
}
