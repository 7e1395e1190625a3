import type { Change, Counts } from '../../model/change.js'
import { countChanges } from '../../plan/counts.js'
import { allOf } from './journal-pages.js'
import type { SqliteFile } from './sqlite-file.js'

/**
 * While its journal is there: of a run that did not come to the end of its plan, what stands of it, not what it would
 * have done.
 */
export async function standsDone(file: SqliteFile, run: number): Promise<{ readonly changes?: string }> {
  const counted = file.build.selectFrom('runs').select(['stack', 'changes']).where('id', '=', run)
  const row = await file.read(() => file.get(counted))
  if (row === undefined || row.changes === null) return {}
  const entries = file.build
    .selectFrom('journal')
    .select(['id', 'change'])
    .where('stack', '=', row.stack)
    .where('run', '=', run)
  const changes = await allOf(file, entries.where('state', '=', 'done'), ({ change }) => JSON.parse(change) as Change)
  const { unchanged } = JSON.parse(row.changes) as Counts
  return { changes: JSON.stringify({ ...countChanges({ changes, unchanged: 0 }), unchanged }) }
}
