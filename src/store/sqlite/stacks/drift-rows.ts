// The differences that the last drift check of a stack found. A stack without drift has no row.
import type { Drift } from '../../../model/resources/drift.js'
import type { StoredDrift } from '../../stack-table.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** Inside a transaction. undefined: the stack has no drift, or it is not known which. */
export function replaceDrift(file: SqliteFile, stack: string, found: Drift | undefined, now: number): void {
  file.run(queries.remove({ stack }))
  if (found === undefined || (found.resources.length === 0 && found.shared.length === 0)) return
  file.run(build.insertInto('drift').values({ stack, checked_at: now, changes: JSON.stringify(found) }))
}

export function readDrift(file: SqliteFile, stack: string): StoredDrift | undefined {
  const row = file.get(queries.found({ stack }))
  return row && { ...(JSON.parse(row.changes) as Drift), checkedAt: row.checked_at }
}

const queries = {
  remove: preparedQuery(({ stack }: { readonly stack: string }) =>
    build.deleteFrom('drift').where('stack', '=', stack),
  ),
  found: preparedQuery(({ stack }: { readonly stack: string }) =>
    build.selectFrom('drift').select(['checked_at', 'changes']).where('stack', '=', stack),
  ),
}
