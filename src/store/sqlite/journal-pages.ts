import type { SelectQueryBuilder } from 'kysely'
import type { SqliteFile } from './sqlite-file.js'
import type { Tables } from './tables.js'

/** What `read` makes of entries of the journal, in their order; page by page, so that others have their turn. */
export async function allOf<Row extends { readonly id: number }, T>(
  file: SqliteFile,
  entries: SelectQueryBuilder<Tables, 'journal', Row>,
  read: (row: Row) => T,
): Promise<readonly T[]> {
  const all: T[] = []
  for (let after = 0; ;) {
    const { rows, isLast } = await file.page(entries.where('journal.id', '>', after).orderBy('journal.id'))
    for (const row of rows) all.push(read(row))
    if (isLast) return all
    after = rows.at(-1)!.id
  }
}
