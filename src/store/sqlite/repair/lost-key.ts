// Finds snapshots that were sealed with another key than that of the data directory. Their applies cannot be undone.
import type Database from 'better-sqlite3'
import type { Sealed } from '../../../model/json.js'
import type { DatabaseEvent } from '../../database-event-table.js'
import { addDatabaseEvent } from '../sqlite-database-events.js'

const code = 'store/lost-key'
const namesShown = 5

/** Stored once, and reported at each start until the journals of these stacks are empty. */
export function reportLostKey(
  database: Database.Database,
  now: number,
  isOurs: (sealed: Sealed) => boolean,
): readonly DatabaseEvent[] {
  const stacks = stacksWithoutKey(database, isOurs)
  if (stacks.length === 0) return []
  const notice = { at: now, code, message: lostKeyMessage(stacks) }
  const known = database
    .prepare('select message from database_events where code = ? order by id desc limit 1')
    .pluck()
    .get(code)
  return [known === notice.message ? notice : addDatabaseEvent(database, notice)]
}

/** The names of stacks. */
function stacksWithoutKey(database: Database.Database, isOurs: (sealed: Sealed) => boolean): readonly string[] {
  const query = database.prepare(
    'select name, before from journal join stacks on stacks.id = journal.stack where before is not null order by name',
  )
  const names = new Set<string>()
  for (const [name, sealed] of query.raw().iterate() as Iterable<[string, Sealed]>) if (!isOurs(sealed)) names.add(name)
  return [...names]
}

function lostKeyMessage(stacks: readonly string[]): string {
  const rest = stacks.length - namesShown
  const named = `${stacks.slice(0, namesShown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return (
    'Snapshots of unfinished applies were sealed with another key: ' +
    `the applies of ${named} cannot be undone, only completed.`
  )
}
