import type Database from 'better-sqlite3'

/**
 * Columns that contain JSON, by table. A row whose JSON cannot be parsed is damaged, although SQLite does not notice
 * it. A database is checked before its upgrade, so the names of older versions are among them.
 */
export const jsonColumns: Readonly<Record<string, readonly string[]>> = {
  stacks: ['spec', 'suspended', 'pinned', 'observed', 'attempted', 'applied', 'consent', 'failure', 'unhealthy'],
  runs: ['cause', 'changes', 'problems', 'event'],
  run_settings: ['spec'],
  deleted_stacks: ['runs'],
  drift: ['changes'],
  owned: ['applied', 'needs', 'changed'],
  journal: ['change', 'trace', 'owned_before'],
  event_resources: ['resources'],
  records: ['resources'],
  packages: ['files'],
  pushes: ['sources'],
  channels: ['pin'],
  moves: ['facts', 'decision'],
  policies: ['declared'],
  fleets: ['spec', 'listing'],
  stack_reports: ['report'],
  messages: ['content', 'counts'],
  transitions: ['transition'],
  deliveries: ['remotes', 'changes', 'runs'],
  documents: ['state', 'held'],
}

/**
 * The first table with such a row; undefined: none has one. Tables and columns that are not `stored` (`storedColumns`)
 * are not checked.
 */
export function tableWithoutJson(database: Database.Database, stored: ReadonlySet<string>): string | undefined {
  const cases = Object.entries(jsonColumns).flatMap(([table, all]) => {
    const columns = all.filter((column) => stored.has(`${table} ${column}`))
    const unread = columns.map((column) => `(${column} is not null and not json_valid(${column}))`).join(' or ')
    return columns.length === 0 ? [] : [`when exists (select 1 from ${table} where ${unread}) then '${table}'`]
  })
  if (cases.length === 0) return undefined
  return (
    (database
      .prepare(`select case ${cases.join(' ')} end`)
      .pluck()
      .get() as string | null) ?? undefined
  )
}
