import Database from 'better-sqlite3'
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type QueryExecutorProvider,
} from 'kysely'
import { SyncError } from '../../../model/errors.js'
import { Slices } from '../../../lib/steps.js'
import { recordWrites } from '../decisions/recorded-tables.js'
import type { DecisionLog, RecordedRow } from '../decisions/decision-log.js'
import { isBusy, isDamage, isUnwritable, toStoreError, unusable } from './sqlite-error.js'
import type { Tables } from '../tables/tables.js'

/** A query of kysely, or raw SQL. */
export interface Compilable<Row> {
  compile(executor: QueryExecutorProvider): CompiledQuery<Row>
}

interface QueuedWrite {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

export interface FileOptions {
  /** How long a write waits while another program locks the database. Default 5,000. */
  readonly busyMs?: number
  /** Called when SQLite finds damage. Reads and writes after that cannot be trusted. */
  readonly onDamage?: (error: Error) => void
  /** The log that decisions are written to before their commit. Default: none. */
  readonly decisions?: DecisionLog
  /** Called in each transaction: why nothing may be committed; undefined: it may. Default: it may. */
  readonly whyLost?: () => Error | undefined
  /** Prepares tables that are derived from others. The result updates them; it is called in each transaction. */
  readonly keepDerived?: (database: Database.Database) => () => void
}

const pagesAtOnce = 100
const busyPauseMs = 25
/** Limits of the writes that share a commit. Further writes wait for the next round of the event loop. */
const commitMs = 20
const commitBytes = 1024 * 1024
const pageRows = 1_000
const pageBytes = 512 * 1024

/**
 * The database file. kysely builds the queries and better-sqlite3 runs them, so a transaction is one synchronous
 * function. Concurrent writes share a commit, as long as they take no longer than a slice of the event loop. Each
 * resolves when its commit is on disk. A write that fails does not affect the others.
 */
export class SqliteFile {
  readonly build: Kysely<Tables> = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  readonly #database: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  readonly #turns = new Slices()
  readonly #busyMs: number
  readonly #onDamage: (error: Error) => void
  #waiting: QueuedWrite[] = []
  #busySince: number | undefined
  readonly #updateDerived: () => void
  readonly #decisions: DecisionLog | undefined
  readonly #lost: () => Error | undefined
  /** Rows that the current transaction recorded. */
  #recorded: RecordedRow[] = []
  #bytes = 0
  /** Why the last commit failed; undefined: it succeeded. */
  #unwritable: unknown

  /** Opens an intact file of this version. */
  constructor(
    file: string,
    {
      busyMs = 5_000,
      onDamage = () => {},
      decisions,
      whyLost = () => undefined,
      keepDerived = () => () => {},
    }: FileOptions = {},
  ) {
    this.#database = new Database(file)
    this.#busyMs = busyMs
    this.#onDamage = onDamage
    this.#decisions = decisions
    this.#lost = whyLost
    try {
      this.#prepare(file)
      this.#updateDerived = keepDerived(this.#database)
      if (decisions !== undefined) recordWrites(this.#database, (row) => this.#recorded.push(row))
    } catch (error) {
      this.#database.close()
      throw unusable(file, error)
    }
  }

  /** Rows of a query. */
  all<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile(this.build)
    return this.#statement(sql).all(...parameters) as Row[]
  }

  /** The first row. */
  get<Row>(query: Compilable<Row>): Row | undefined {
    const { sql, parameters } = query.compile(this.build)
    return this.#statement(sql).get(...parameters) as Row | undefined
  }

  /** Runs a statement; only inside `write`. */
  run(query: Compilable<unknown>): { readonly changes: number; readonly id: number } {
    const { sql, parameters } = query.compile(this.build)
    this.#bytes += sizeOf(parameters)
    const { changes, lastInsertRowid } = this.#statement(sql).run(...parameters)
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

  /** Reads rows of a query, until there are 1,000 or they hold 512 KiB of text and bytes. `isLast`: the query has no more rows. */
  page<Row extends object>(
    query: Compilable<Row>,
  ): Promise<{ readonly rows: readonly Row[]; readonly isLast: boolean }> {
    return this.read(() => {
      const { sql, parameters } = query.compile(this.build)
      const rows: Row[] = []
      let size = 0
      for (const row of this.#statement(sql).iterate(...parameters) as IterableIterator<Row>) {
        rows.push(row)
        size += sizeOf(Object.values(row))
        if (size > pageBytes || rows.length === pageRows) return { rows, isLast: false }
      }
      return { rows, isLast: true }
    })
  }

  /** One transaction; durable when it resolves. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#commit())
    })
  }

  /** Tries a commit if the last one failed. Throws its error. */
  async tryToWrite(): Promise<void> {
    if (this.#unwritable !== undefined) await this.write(() => writeNothing(this.#database))
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
    while (this.#waiting.length > 0) {
      this.#busySince = Number.NEGATIVE_INFINITY // end all waiting
      this.#commit()
    }
    this.#database.close()
    this.#decisions?.[Symbol.dispose]()
  }

  /** For tests: the most pages the file may have, as if the disk were full. */
  limitPages(pages: number): void {
    this.#database.pragma(`max_page_count = ${pages}`)
  }

  #commit(): void {
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length === 0) return
    const done: { readonly one: QueuedWrite; readonly value: unknown }[] = []
    this.#recorded = []
    let cut: (() => void) | undefined
    let tried = 0
    try {
      this.#begin()
      this.#busySince = undefined
      this.#unwritable = undefined
      const until = performance.now() + commitMs
      this.#bytes = 0
      do this.#attempt(waiting[tried++]!, done)
      while (tried < waiting.length && performance.now() < until && this.#bytes < commitBytes)
      this.#updateDerived()
      cut = this.#record()
      this.#statement('commit').run()
    } catch (error) {
      cut?.()
      if (this.#database.inTransaction) this.#database.exec('rollback')
      if (isBusy(error) && this.#mayWait()) return this.#tryAgain(waiting)
      for (const one of waiting) one.reject(this.#explain(error))
      return
    }
    this.#waiting = [...waiting.slice(tried), ...this.#waiting]
    if (this.#waiting.length > 0) setImmediate(() => this.#commit())
    for (const { one, value } of done) one.resolve(value as never)
  }

  /** Begins, and only then checks the lock: another agent replaces the lock before it writes. */
  #begin(): void {
    this.#statement('begin immediate').run()
    const lost = this.#lost()
    if (lost !== undefined) throw lost
  }

  /** True while a write may wait for another program that locks the database. Waiting must not block the process. */
  #mayWait(): boolean {
    this.#busySince ??= performance.now()
    if (performance.now() - this.#busySince < this.#busyMs) return true
    this.#busySince = undefined
    return false
  }

  #tryAgain(waiting: QueuedWrite[]): void {
    this.#waiting = [...waiting, ...this.#waiting]
    setTimeout(() => this.#commit(), busyPauseMs)
  }

  /** Writes recorded rows to the decision log. Returns a function that removes them if the commit fails. */
  #record(): (() => void) | undefined {
    if (this.#recorded.length === 0) return undefined
    const { seq } = this.#statement('update recorded set seq = seq + 1 returning seq').get() as { readonly seq: number }
    return this.#decisions!.append(seq, this.#recorded)
  }

  #attempt(one: QueuedWrite, done: { readonly one: QueuedWrite; readonly value: unknown }[]): void {
    this.#statement('savepoint one').run()
    const before = this.#recorded.length
    try {
      done.push({ one, value: one.work() })
      this.#statement('release one').run()
    } catch (error) {
      if (!this.#database.inTransaction) throw error
      this.#statement('rollback to one').run()
      this.#recorded.length = before
      this.#statement('release one').run()
      if (done.at(-1)?.one === one) done.pop()
      one.reject(this.#explain(error))
    }
  }

  #explain(error: unknown): unknown {
    if (isDamage(error)) this.#onDamage(error)
    if (isUnwritable(error)) this.#unwritable = error
    return toStoreError(error)
  }

  #statement(sql: string): Database.Statement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
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

/** The size of the texts and bytes among the values. */
function sizeOf(values: readonly unknown[]): number {
  const sizes = values.map((value) => (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0))
  return sizes.reduce((sum, size) => sum + size, 0)
}
