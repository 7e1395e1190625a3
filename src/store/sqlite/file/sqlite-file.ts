import Database from 'better-sqlite3'
import type { CompiledQuery, QueryExecutorProvider } from 'kysely'
import { SyncError } from '../../../model/errors.js'
import { Slices } from '../../../lib/async/steps.js'
import { CommitQueue, type CommitOptions } from './commit-queue.js'
import { isDamage, toStoreError, unusable } from './sqlite-error.js'
import { build } from './query-builder.js'

/** A query of kysely, or raw SQL. */
export interface Compilable<Row> {
  compile(executor: QueryExecutorProvider): CompiledQuery<Row>
}

export interface FileOptions extends CommitOptions {
  /** The file, already open; this closes it. Default: it is opened. */
  readonly database?: Database.Database
  /** Called when SQLite finds damage. Reads and writes after that cannot be trusted. */
  readonly onDamage?: (error: Error) => void
  /** Prepares tables that are derived from others. The result updates them; it is called in each transaction. */
  readonly keepDerived?: (database: Database.Database) => () => void
}

type Values = readonly unknown[]

/** It gives rows as lists of values: making objects of them here takes a third less time than better-sqlite3 needs. */
interface Statement {
  readonly prepared: Database.Statement<Values, Values>
  /** Names of its columns; empty if it gives no rows. */
  readonly columns: readonly string[]
}

const pagesAtOnce = 100
const pageRows = 1_000
const pageBytes = 512 * 1024

/**
 * The database file. kysely builds the queries and better-sqlite3 runs them, so a transaction is one synchronous
 * function.
 */
export class SqliteFile {
  readonly build = build
  readonly #database: Database.Database
  readonly #statements = new Map<string, Statement>()
  readonly #turns = new Slices()
  readonly #commits: CommitQueue
  readonly #onDamage: (error: Error) => void

  /** Opens an intact file of this version. */
  constructor(file: string, { onDamage = () => {}, keepDerived = () => () => {}, ...given }: FileOptions = {}) {
    const { database = new Database(file), ...options } = given
    this.#database = database
    this.#onDamage = onDamage
    try {
      this.#prepare(file)
      this.#commits = new CommitQueue({
        ...options,
        database,
        statement: (sql) => this.#statement(sql).prepared,
        updateDerived: keepDerived(database),
        explain: (error) => this.#explain(error),
      })
    } catch (error) {
      database.close()
      throw unusable(file, error)
    }
  }

  /** Rows of a query. */
  all<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile(this.build)
    const { prepared, columns } = this.#statement(sql)
    return prepared.all(parameters).map((values) => toRow(columns, values) as Row)
  }

  /** The first row. */
  get<Row>(query: Compilable<Row>): Row | undefined {
    const { sql, parameters } = query.compile(this.build)
    const { prepared, columns } = this.#statement(sql)
    const values = prepared.get(parameters)
    return values && (toRow(columns, values) as Row)
  }

  /** Runs a statement; only inside `write`. */
  run(query: Compilable<unknown>): { readonly changes: number; readonly id: number } {
    const { sql, parameters } = query.compile(this.build)
    this.#commits.count(parameters.reduce<number>((sum, value) => sum + sizeOf(value), 0))
    const { changes, lastInsertRowid } = this.#statement(sql).prepared.run(parameters)
    return { changes, id: Number(lastInsertRowid) }
  }

  /** Reads committed rows in a slice of the event loop, so that many reads in a row do not block it. */
  async read<T>(work: () => T): Promise<T> {
    await this.#turns.afterStep()
    try {
      return work()
    } catch (error) {
      throw this.#explain(error)
    }
  }

  /**
   * Reads rows of a query, until there are 1,000 or they hold 512 KiB of text and bytes. `isLast`: the query has no
   * more rows.
   */
  page<Row extends object>(
    query: Compilable<Row>,
  ): Promise<{ readonly rows: readonly Row[]; readonly isLast: boolean }> {
    return this.read(() => {
      const { sql, parameters } = query.compile(this.build)
      const rows: Row[] = []
      let size = 0
      const { prepared, columns } = this.#statement(sql)
      for (const values of prepared.iterate(parameters)) {
        rows.push(toRow(columns, values) as Row)
        for (const value of values) size += sizeOf(value)
        if (size > pageBytes || rows.length === pageRows) return { rows, isLast: false }
      }
      return { rows, isLast: true }
    })
  }

  /** One transaction; durable when it resolves. */
  write<T>(work: () => T): Promise<T> {
    return this.#commits.add(work)
  }

  /** One transaction that is committed with the next write, before it, and at the latest after 50 ms. */
  writeLater<T>(work: () => T): Promise<T> {
    return this.#commits.addForLater(work)
  }

  /** The same, at once while there are few such writes; many of them share a commit after 2 s. */
  writeSoon<T>(work: () => T): Promise<T> {
    return this.#commits.addSoon(work)
  }

  /** Tries a commit if the last one failed. Throws its error. */
  async tryToWrite(): Promise<void> {
    if (this.#commits.failed) await this.write(() => writeNothing(this.#database))
  }

  /** Copies the database to another file, a few pages at a time without blocking. The copy is consistent. */
  async copyTo(file: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#database.backup(file, {
        progress: () => {
          signal.throwIfAborted()
          return pagesAtOnce
        },
      })
    } catch (error) {
      throw this.#explain(error)
    }
  }

  close(): void {
    this.#commits.close()
    this.#database.close()
  }

  /** For tests: the most pages the file may have, as if the disk were full. */
  limitPages(pages: number): void {
    this.#database.pragma(`max_page_count = ${pages}`)
  }

  #explain(error: unknown): unknown {
    if (isDamage(error)) this.#onDamage(error)
    return toStoreError(error)
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const prepared = this.#database.prepare<Values, Values>(sql)
    const statement = { prepared: prepared.reader ? prepared.raw() : prepared, columns: columnsOf(prepared) }
    if (this.#statements.size > 500) this.#statements.clear()
    this.#statements.set(sql, statement)
    return statement
  }

  #prepare(file: string): void {
    const database = this.#database
    database.pragma('busy_timeout = 5000')
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    if (database.pragma('synchronous', { simple: true }) !== 2)
      throw new SyncError('The database is not durable: synchronous is not FULL.', {
        code: 'store/not-durable',
        path: file,
      })
    tryToWrite(database)
    database.pragma('busy_timeout = 0') // waiting writes do not block
  }
}

/** SQLite opens a read-only file without an error, and even begins a transaction. */
function tryToWrite(database: Database.Database): void {
  database.exec('begin immediate')
  writeNothing(database)
  database.exec('rollback')
}

/** Writes a page without a change. */
function writeNothing(database: Database.Database): void {
  database.pragma(`user_version = ${database.pragma('user_version', { simple: true }) as number}`)
}

function columnsOf(prepared: Database.Statement<Values, Values>): readonly string[] {
  return prepared.reader ? prepared.columns().map(({ name }) => name) : []
}

function toRow(columns: readonly string[], values: Values): object {
  const row: Record<string, unknown> = {}
  for (const [at, column] of columns.entries()) row[column] = values[at]
  return row
}

/** The size of a text or of bytes. */
function sizeOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0
}
