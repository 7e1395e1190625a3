// The rows of runs: how they are read and changed.
import type { UpdateObject } from 'kysely'
import type { Run } from '../../../model/run.js'
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

/** Inside a transaction: sets columns of a run. */
export function updateRun(file: SqliteFile, id: string | number, set: UpdateObject<Tables, 'runs'>): void {
  file.run(file.build.updateTable('runs').set(set).where('id', '=', Number(id)))
}
