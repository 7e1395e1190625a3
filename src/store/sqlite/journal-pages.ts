import type { SelectQueryBuilder } from 'kysely'
import type { SqliteFile } from './sqlite-file.js'
import type { Tables } from './tables.js'

/** Of a page: entries, and characters of what was asked of them. */
const pageEntries = 1_000
const pageCharacters = 512 * 1024

/** What `read` makes of entries of the journal, in their order; page by page, so that others have their turn. */
export async function allOf<Row extends { readonly id: number }, T>(
  file: SqliteFile,
  entries: SelectQueryBuilder<Tables, 'journal', Row>,
  read: (row: Row) => T,
): Promise<readonly T[]> {
  const all: T[] = []
  for (let after = 0; ;) {
    let characters = 0
    const suffices = (row: Row): boolean => (characters += lengthOf(row)) > pageCharacters
    const query = entries.where('journal.id', '>', after).orderBy('journal.id').limit(pageEntries)
    const rows = await file.read(() => file.until(query, suffices))
    for (const row of rows) all.push(read(row))
    if (rows.length < pageEntries && characters <= pageCharacters) return all
    after = rows.at(-1)!.id
  }
}

function lengthOf(row: object): number {
  return Object.values(row).reduce(
    (sum: number, value: unknown) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  )
}
