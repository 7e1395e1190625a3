import type Database from 'better-sqlite3'

/** Columns that hold JSON, by table. A row of which one cannot be read is damaged, though SQLite does not notice it. */
export const jsonColumns: Readonly<Record<string, readonly string[]>> = {
  stacks: ['spec', 'suspended', 'pinned', 'observed', 'attempted', 'applied', 'consent', 'failure'],
  runs: ['cause', 'changes', 'problems', 'event'],
  owned: ['applied', 'needs', 'changed'],
  journal: ['change', 'trace', 'owned_before'],
  records: ['resources'],
  packages: ['files'],
  pushes: ['sources'],
  channels: ['pin'],
  moves: ['facts', 'decision'],
  policies: ['declared'],
  deliveries: ['remotes', 'changes', 'runs'],
  documents: ['held'],
}

/** A table with such a row; undefined: there is none. A database of an older version has fewer columns. */
export function tableWithoutJson(database: Database.Database): string | undefined {
  return Object.keys(jsonColumns).find((table) => {
    const there = (database.pragma(`table_info(${table})`) as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    )
    const columns = jsonColumns[table]!.filter((column) => there.includes(column))
    const unread = columns.map((column) => `(${column} is not null and not json_valid(${column}))`).join(' or ')
    return columns.length > 0 && database.prepare(`select 1 from ${table} where ${unread} limit 1`).get() !== undefined
  })
}
