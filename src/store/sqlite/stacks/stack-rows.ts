// The rows of stacks with their newest pushes: how they are read, checked in the transaction that changes them, and
// changed.
import type { UpdateObject } from 'kysely'
import { toStack } from '../tables/rows.js'
import type { Tables } from '../tables/tables.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import { rowUpdate } from '../file/row-update.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import type { StackCheck } from '../../stack-table.js'

/** A query of stacks, for `toStack`. */
export function stackRows() {
  return build
    .selectFrom('stacks')
    .selectAll('stacks')
    .select((select) =>
      select.selectFrom('pushes').select('pushes.digest').whereRef('pushes.stack', '=', 'stacks.id').as('pushed'),
    )
}

/** The stack of this id. */
const stackRow = preparedQuery(({ id }: { readonly id: string }) => stackRows().where('id', '=', id))

/** Inside a transaction. `check` throws if the stack must not change; a stack that does not exist is not checked. */
export function checkStack(file: SqliteFile, id: string, check: StackCheck | undefined): void {
  if (check === undefined) return
  const row = file.get(stackRow({ id }))
  if (row !== undefined) check(toStack(row))
}

/** Inside a transaction: sets columns of a stack. */
export function updateStack(file: SqliteFile, id: string, set: UpdateObject<Tables, 'stacks'>): void {
  file.run(rowUpdate('stacks', id, set))
}
