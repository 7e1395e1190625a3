import type { Change, Counts } from '../../model/change.js'
import { countChanges } from '../../plan/counts.js'
import type { SqliteFile } from './sqlite-file.js'

/** Inside a transaction, while its journal is there: of a run that did not come to the end of its plan, what stands of it, not what it would have done. */
export function standsDone(file: SqliteFile, run: number): { readonly changes?: string } {
  const row = file.get(file.build.selectFrom('runs').select(['stack', 'changes']).where('id', '=', run))
  if (row === undefined || row.changes === null) return {}
  const entries = file.build.selectFrom('journal').select('change').where('stack', '=', row.stack).where('run', '=', run)
  const changes = file.all(entries.where('state', '=', 'done')).map(({ change }) => JSON.parse(change) as Change)
  const { unchanged } = JSON.parse(row.changes) as Counts
  return { changes: JSON.stringify({ ...countChanges({ changes, unchanged: 0 }), unchanged }) }
}
