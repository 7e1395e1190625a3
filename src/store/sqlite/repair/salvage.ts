// Copies the readable rows of a damaged database, table by table.
import Database from 'better-sqlite3'
import { closeSync, copyFileSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { removeDatabase } from '../file/database-file.js'
import { isBlobOf } from '../../../source/blob-id.js'
import { jsonColumns } from '../tables/json-columns.js'
import { unpackPlanAtOnce } from '../runs/packed-plan.js'
import { parseListing } from '../files/sqlite-files.js'
import { settingsTextDigest } from '../runs/run-settings.js'
import { isUnreadable } from '../file/sqlite-error.js'
import { migrateTo, databaseVersion } from '../tables/upgrade.js'
import { migrations } from '../tables/migrations.js'

/** Tables by the rows that could be read: all (`whole`), some (`partly`) or none (`lost`). */
export interface Salvaged {
  readonly whole: readonly string[]
  readonly partly: readonly string[]
  readonly lost: readonly string[]
}

type Row = Readonly<Record<string, unknown>>

/** Tables that are never taken from a copy: a journal entry that was settled since must not come back. */
const neverFromCopy = new Set(['journal'])

/** Columns that hold packed plans. */
const packedColumns: Readonly<Record<string, readonly string[]>> = { plans: ['body'] }

/** Versions before 18 wrote it by triggers. */
export const derivedTables = new Set(['roster'])

/**
 * `into`: a copy or an empty database, of no newer version than the damaged file. Tables that can be read to the end
 * replace those in it; of other tables, the readable rows do.
 */
export function salvage(into: Database.Database, damaged: string): Salvaged {
  const readable = `${damaged}.reading`
  try {
    const source = openDamaged(damaged, readable)
    if (source === undefined) return { whole: [], partly: [], lost: tablesOf(into) }
    try {
      return takeTables(source, into)
    } finally {
      source.close()
    }
  } finally {
    removeDatabase(readable)
  }
}

function takeTables(source: Database.Database, into: Database.Database): Salvaged {
  const version = databaseVersion(source) || versionOfSchema(source)
  if (version >= databaseVersion(into) && version <= migrations.length) migrateTo(into, version)
  const found = { whole: [] as string[], partly: [] as string[], lost: [] as string[] }
  into.pragma('foreign_keys = OFF')
  into.transaction(() => {
    for (const table of tablesOf(into).filter((name) => !derivedTables.has(name)))
      found[takeTable(source, into, table)].push(table)
    takeNumbering(source, into)
    dropOrphans(into)
  })()
  return found
}

/** The file, else a copy of it with a new header: without its first 100 bytes SQLite reads nothing of it. */
function openDamaged(damaged: string, readable: string): Database.Database | undefined {
  return tryToOpen(damaged) ?? tryToOpen(withNewHeader(damaged, readable))
}

function tryToOpen(file: string): Database.Database | undefined {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { readonly: true })
    database.unsafeMode(true)
    database.pragma('writable_schema = ON') // a damaged definition of a table does not hide the others
    if (tablesOf(database).length > 0) return database
  } catch (error) {
    if (!isUnreadable(error) && !/^SQLITE_(CANTOPEN|IOERR)/.test((error as { code?: string }).code ?? '')) throw error
  }
  database?.close()
  return undefined
}

/**
 * The version of a database whose header is lost: the newest version whose tables and columns it has. If it has none,
 * its schema is damaged, too: then this version.
 */
function versionOfSchema(source: Database.Database): number {
  const empty = new Database(':memory:')
  try {
    let newest = 0
    for (let version = 1; version <= migrations.length; version++) {
      migrateTo(empty, version)
      if (tablesOf(empty).every((table) => hasColumns(source, table, columnsOf(empty, table)))) newest = version
    }
    return newest || migrations.length
  } finally {
    empty.close()
  }
}

/** Tables that triggers write are not needed. */
function hasColumns(source: Database.Database, table: string, columns: readonly string[]): boolean {
  const found = new Set(columnsOf(source, table))
  return derivedTables.has(table) || columns.every((column) => found.has(column))
}

/** Its version, in the header, is 0. */
function withNewHeader(damaged: string, readable: string): string {
  copyFileSync(damaged, readable)
  const header = Buffer.alloc(100)
  const database = new Database(':memory:')
  database.exec('create table one (id integer)')
  database.serialize().copy(header, 0, 0, 100)
  database.close()
  header.writeUInt32BE(Math.floor(statSync(damaged).size / header.readUInt16BE(16)), 28)
  const handle = openSync(readable, 'r+')
  try {
    if (readSync(handle, Buffer.alloc(100)) === 100) writeSync(handle, header, 0, 100, 0)
  } finally {
    closeSync(handle)
  }
  return readable
}

interface TakenTable {
  readonly table: string
  readonly columns: readonly string[]
  /** `select "outcpme" as outcome from runs`: the names in the damaged schema may be damaged, too. */
  readonly query: string
}

/** A column that the source does not have is the one at the same place, if the source has as many columns. */
function takenTable(source: Database.Database, into: Database.Database, table: string): TakenTable {
  const [all, found] = [columnsOf(into, table), columnsOf(source, table)]
  const named = new Map<string, string>()
  for (const [at, column] of all.entries())
    if (found.includes(column)) named.set(column, column)
    else if (found.length === all.length && !all.includes(found[at]!)) named.set(column, found[at]!)
  const selected = [...named].map(([column, name]) => `"${name.replaceAll('"', '""')}" as ${column}`)
  return { table, columns: [...named.keys()], query: `select ${selected.join(', ')} from ${table}` }
}

function takeTable(source: Database.Database, into: Database.Database, table: string): keyof Salvaged {
  const taken = takenTable(source, into, table)
  if (taken.columns.length === 0) return 'lost'
  into.exec('savepoint taken')
  into.exec(`delete from ${table}`)
  const whole = takeRows(source, into, { ...taken, order: '' })
  if (!whole.complete && !neverFromCopy.has(table)) into.exec('rollback to taken')
  into.exec('release taken')
  if (whole.complete) return 'whole'
  const rows =
    takeRows(source, into, { ...taken, order: '' }).rows +
    takeRows(source, into, { ...taken, order: backwards(into, table) }).rows
  return rows > 0 ? 'partly' : 'lost'
}

/** Reads until the end or the first unreadable page. */
function takeRows(
  source: Database.Database,
  into: Database.Database,
  { table, columns, query, order }: TakenTable & { readonly order: string },
): { readonly complete: boolean; readonly rows: number } {
  const insert = into.prepare(
    `insert or replace into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  let complete = true
  let rows = 0
  try {
    for (const row of source.prepare(`${query} ${order}`).iterate() as Iterable<Row>) {
      if (isReadable(table, row) && tryInsert(insert, columns, row)) rows++
      else complete = false
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    complete = false
  }
  return { complete, rows }
}

/** Tables whose keys are digests of their rows. */
const isAsNamed: Readonly<Record<string, (row: Row) => boolean>> = {
  blobs: ({ id, bytes }) => isBlobOf(id as string, bytes as Buffer),
  run_settings: ({ digest, spec }) => settingsTextDigest(spec as string) === digest,
  packages: ({ digest, files }) => parseListing(files as string, digest as string) !== undefined,
}

function isReadable(table: string, row: Row): boolean {
  return (
    succeeds(() => isAsNamed[table]?.(row)) &&
    (jsonColumns[table] ?? []).every(
      (column) => row[column] == null || succeeds(() => JSON.parse(row[column] as string)),
    ) &&
    (packedColumns[table] ?? []).every((column) => succeeds(() => unpackPlanAtOnce(row[column] as Buffer)))
  )
}

/** True if it returns without an error, and not false. */
function succeeds(read: () => unknown): boolean {
  try {
    return read() !== false
  } catch {
    return false
  }
}

/** False: a value has the wrong type, or a required one is missing. */
function tryInsert(insert: Database.Statement, columns: readonly string[], row: Row): boolean {
  try {
    insert.run(...columns.map((column) => row[column]))
    return true
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_CONSTRAINT') !== true) throw error
    return false
  }
}

/** Ids are never used twice. */
function takeNumbering(source: Database.Database, into: Database.Database): void {
  try {
    const rows = source.prepare('select name, seq from sqlite_sequence').all() as readonly {
      readonly name: string
      readonly seq: number
    }[]
    const raise = into.prepare('update sqlite_sequence set seq = max(seq, @seq) where name = @name')
    const start = into.prepare('insert into sqlite_sequence (name, seq) values (@name, @seq)')
    for (const row of rows) if (raise.run(row).changes === 0) start.run(row)
  } catch (error) {
    if (!isUnreadable(error)) throw error
  }
}

/** Deletes rows whose stack or contents are missing. */
function dropOrphans(into: Database.Database): void {
  const ofStacks = tablesOf(into).filter((table) => columnsOf(into, table).includes('stack'))
  for (const table of ofStacks) into.exec(`delete from ${table} where stack not in (select id from stacks)`)
  into.exec(`delete from packages where exists (
    select 1 from json_each(packages.files) as one
    where json_extract(one.value, '$[1]') not in (select id from blobs))`)
}

function tablesOf(database: Database.Database): string[] {
  const query = "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by rowid"
  return database.prepare(query).pluck().all() as string[]
}

function columnsOf(database: Database.Database, table: string): readonly string[] {
  return (database.pragma(`table_info(${table})`) as readonly { readonly name: string }[]).map(({ name }) => name)
}

function backwards(database: Database.Database, table: string): string {
  const keys = (database.pragma(`table_info(${table})`) as readonly { readonly name: string; readonly pk: number }[])
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
  return `order by ${keys.map(({ name }) => `${name} desc`).join(', ')}`
}
