// Tables with what people declare and decide. Triggers of the connection record each write to them in the decision log.
import type Database from 'better-sqlite3'
import type { RecordedRow } from './decision-log.js'

interface RecordedTable {
  readonly key: readonly string[]
  readonly columns: readonly string[]
  /** Columns that are recorded only in part: SQL over a row `r`. */
  readonly parts?: Readonly<Record<string, string>>
  /** The log has all rows: a row that it lacks was deleted. */
  readonly complete: boolean
  /** The rows in a new log. Default: all. */
  readonly first?: string
}

/** A cancelled run is a decision; other failures are not. */
const cancelled = `iif(json_extract(r.failure, '$.reason') is 'Cancelled', r.failure, null)`

const recordedTables: Readonly<Record<string, RecordedTable>> = {
  stacks: {
    key: ['id'],
    columns: ['name', 'target', 'spec', 'managed_by', 'created_at', 'suspended', 'pinned', 'failure'],
    parts: { failure: cancelled },
    complete: true,
  },
  channels: {
    key: ['remote', 'ref'],
    columns: ['commit_id', 'object_id', 'tag', 'seen_at', 'move', 'released', 'pin'],
    complete: true,
  },
  moves: {
    key: ['id'],
    columns: (
      'remote ref from_object from_commit to_object to_commit from_tag to_tag seen_at detected_by name ' +
      'state blocked_by until direction released_at decision'
    ).split(' '),
    complete: false,
    first:
      "r.state = 'vetoed' or r.decision is not null " +
      'or r.id in (select move from channels union select released from channels)',
  },
  fleets: { key: ['name'], columns: ['spec', 'managed_by', 'declared', 'created_at'], complete: true },
  policies: { key: ['id'], columns: ['declared'], complete: true },
  decisions: {
    key: ['id'],
    columns: ['remote', 'ref', 'kind', 'move', 'commit_id', 'decided_by', 'why', 'at'],
    complete: false,
  },
}

export const recordedNames: readonly string[] = Object.keys(recordedTables)

/** A change of these columns alone is not recorded. */
const unwatched = new Set(['seen_at'])

/** Calls `recorded` for each row of these tables that the connection writes, inside the transaction. */
export function recordWrites(database: Database.Database, recorded: (row: RecordedRow) => void): void {
  database.function('recorded', (table, key, row) => {
    recorded({ table: table as string, key: key as string, row: row as string | null })
    return null
  })
  for (const [name, table] of Object.entries(recordedTables)) {
    const watched = table.columns.filter((column) => !unwatched.has(column))
    const differs = watched
      .map((column) => `${columnOf(table, column, 'old')} is not ${columnOf(table, column, 'new')}`)
      .join(' or ')
    const write = `select recorded('${name}', ${keyOf(table, 'new')}, ${rowOf(table, 'new')});`
    database.exec(`
      create temp trigger recorded_${name}_added after insert on main.${name}
        begin ${write} end;
      create temp trigger recorded_${name}_changed after update of ${watched.join(', ')} on main.${name} when ${differs}
        begin ${write} end;
      create temp trigger recorded_${name}_removed after delete on main.${name}
        begin select recorded('${name}', ${keyOf(table, 'old')}, null); end;
    `)
  }
}

/** The rows of a new log. */
export function rowsToRecord(database: Database.Database): readonly RecordedRow[] {
  return Object.entries(recordedTables).flatMap(([name, table]) =>
    [...rowsOf(database, name, table.first)].map(([key, row]) => ({ table: name, key, row })),
  )
}

/** Makes the tables equal to the recorded rows. Returns how many rows differed. Inside a transaction. */
export function restoreRows(
  database: Database.Database,
  recorded: ReadonlyMap<string, ReadonlyMap<string, string>>,
): number {
  let restored = 0
  for (const [name, table] of Object.entries(recordedTables)) {
    const [stored, logged] = [rowsOf(database, name), recorded.get(name) ?? new Map<string, string>()]
    const added = table.complete ? [...stored.keys()].filter((key) => !logged.has(key)) : []
    const current = name === 'moves' ? [...logged].map(inCurrentWords(database)) : [...logged]
    const changed = current.filter(([key, row]) => stored.get(key) !== row)
    if (added.length > 0) {
      const remove = database.prepare(`delete from ${name} as r where ${keyOf(table, 'r')} = ?`)
      for (const key of added) restored += remove.run(key).changes
    }
    if (changed.length > 0) {
      const write = database.prepare(upsert(name, table))
      for (const [key, row] of changed) restored += write.run({ key, row }).changes
    }
  }
  return restored
}

type Logged = readonly [key: string, row: string]

/**
 * Logs of versions before 18 call a blocked move `held`, and those before 19 have 1 for forward and 0 for any other
 * direction. SQLite edits the text, so it stays as SQLite writes it.
 */
function inCurrentWords(database: Database.Database): (logged: Logged) => Logged {
  const [state, direction] = ['state', 'direction'].map(
    (column) => `$[${recordedTables['moves']!.columns.indexOf(column)}]`,
  )
  const query = `
    with named(row) as (
      select iif(json_extract(@row, '${state}') = 'held', json_set(@row, '${state}', 'blocked'), @row))
    select iif(json_type(row, '${direction}') = 'integer',
      json_set(row, '${direction}', iif(json_extract(row, '${direction}') = 1, 'forward', 'unknown')), row) from named`
  const rewrite = database.prepare(query).pluck()
  return ([key, row]) => [key, rewrite.get({ row }) as string]
}

function rowsOf(database: Database.Database, name: string, where = 'true'): ReadonlyMap<string, string> {
  const table = recordedTables[name]!
  const query = database.prepare(`select ${keyOf(table, 'r')}, ${rowOf(table, 'r')} from ${name} as r where ${where}`)
  return new Map(query.raw().all() as [string, string][])
}

function upsert(name: string, { key, columns, parts = {} }: RecordedTable): string {
  const given = [
    ...key.map((_, at) => `json_extract(@key, '$[${at}]')`),
    ...columns.map((_, at) => `json_extract(@row, '$[${at}]')`),
  ]
  const set = columns.map((column) => `${column} = ${column in parts ? merged(column, name) : `excluded.${column}`}`)
  return `insert into ${name} (${[...key, ...columns].join(', ')}) select ${given.join(', ')} where true
    on conflict (${key.join(', ')}) do update set ${set.join(', ')}`
}

/** The recorded failure, else a stored one of another kind. */
function merged(column: string, name: string): string {
  return `coalesce(excluded.${column}, iif(${cancelled.replaceAll('r.', `${name}.`)} is null, ${name}.${column}, null))`
}

function keyOf({ key }: RecordedTable, row: string): string {
  return `json_array(${key.map((column) => `${row}.${column}`).join(', ')})`
}

function rowOf(table: RecordedTable, row: string): string {
  return `json_array(${table.columns.map((column) => columnOf(table, column, row)).join(', ')})`
}

function columnOf({ parts = {} }: RecordedTable, column: string, row: string): string {
  return parts[column]?.replaceAll('r.', `${row}.`) ?? `${row}.${column}`
}
