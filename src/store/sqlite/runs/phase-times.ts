import type { PhaseTimes } from '../../run-table.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { SqliteFile } from '../file/sqlite-file.js'

const query = preparedQuery(({ id }: { readonly id: number }) =>
  build
    .selectFrom('runs')
    .select(['fetching_at as fetching', 'started_at as planning', 'applying_at as applying', 'undoing_at as undoing'])
    .where('id', '=', id),
)

/** Inside a read: when phases of a run began; undefined: there is no such run. */
export function readPhaseTimes(file: SqliteFile, id: string): PhaseTimes | undefined {
  return file.get(query({ id: Number(id) }))
}
