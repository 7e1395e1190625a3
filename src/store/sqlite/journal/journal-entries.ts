import type { Compilable, SqliteFile } from '../file/sqlite-file.js'
import { Slices } from '../../../lib/async/steps.js'
import type { Change, Counts } from '../../../model/resources/change.js'
import { countChanges } from '../../../plan/counts.js'

/**
 * Reads entries of the journal page by page, so that long journals do not block the event loop. `after`: the query of
 * those with higher ids, in their order.
 */
export async function readEntries<Row extends { readonly id: number }, T>(
  file: SqliteFile,
  after: (id: number) => Compilable<Row>,
  read: (row: Row) => T,
): Promise<readonly T[]> {
  const slices = new Slices()
  const all: T[] = []
  for (let last = 0; ;) {
    const { rows, isLast } = await file.page(after(last))
    for (const row of rows) {
      await slices.afterStep()
      all.push(read(row))
    }
    if (isLast) return all
    last = rows.at(-1)!.id
  }
}

/**
 * The counts of completed changes of a run that did not complete its plan, from its journal. A creation counts as soon
 * as its resource is known: the next run finds it, and does not create it again.
 */
export async function completedChanges(file: SqliteFile, run: number): Promise<{ readonly changes?: string }> {
  const counted = file.build.selectFrom('runs').select(['stack', 'changes']).where('id', '=', run)
  const row = await file.read(() => file.get(counted))
  if (row === undefined || row.changes === null) return {}
  const entries = file.build
    .selectFrom('journal')
    .select(['id', 'change', 'state', 'identity'])
    .where('stack', '=', row.stack)
    .where('run', '=', run)
    .where('state', 'in', ['doing', 'done'])
  const after = (id: number) => entries.where('id', '>', id).orderBy('id')
  const begun = await readEntries(file, after, ({ change, state, identity }) => {
    const one = JSON.parse(change) as Change
    return { one, isCompleted: state === 'done' || (one.action === 'create' && identity !== null) }
  })
  const changes = begun.flatMap(({ one, isCompleted }) => (isCompleted ? [one] : []))
  const { unchanged } = JSON.parse(row.changes) as Counts
  return { changes: JSON.stringify({ ...countChanges({ changes, unchanged: 0 }), unchanged }) }
}
