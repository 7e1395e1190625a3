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

/** A query of kysely's, or raw SQL. */
export interface Compilable<Row> {
  compile(executor: QueryExecutorProvider): CompiledQuery<Row>
}

interface QueuedWrite {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

export interface FileOptions {
  /** How long a write waits for another program that holds the database. Default 5,000. */
  readonly busyMs?: number
  /** Told when SQLite finds the file damaged: what is read or written from then on cannot be trusted. */
  readonly onDamage?: (error: Error) => void
  /** Where decisions are written down before they are committed. Default: nowhere. */
  readonly decisions?: DecisionLog
  /** Asked in each transaction: why nothing may be committed any more. Default: nothing forbids it. */
  readonly whyLost?: () => Error | undefined
}

const pagesAtOnce = 100
const busyPauseMs = 25
/**
 * Of the writes that share a commit: what they take, and what they write. One that is under way then is part of it; the
 * others wait for the next round of the event loop.
 */
const commitMs = 20
const commitBytes = 1024 * 1024
const pageRows = 1_000
const pageBytes = 512 * 1024

/**
 * The database file. kysely builds the queries, better-sqlite3 runs them, so that the body of a transaction is one
 * plain function and nothing can be awaited in it. Writes that are asked for together share a commit, as far as they
 * take no longer than a slice of the event loop; each resolves when its commit is on disk, and one that fails takes
 * nothing of the others with it.
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
  readonly #decisions: DecisionLog | undefined
  readonly #lost: () => Error | undefined
  /** Of the transaction. */
  #recorded: RecordedRow[] = []
  #bytes = 0
  /** Why the last commit could not be written; undefined: it was. */
  #unwritable: unknown

  /** Opens a file that is whole and of this version. */
  constructor(
    file: string,
    { busyMs = 5_000, onDamage = () => {}, decisions, whyLost = () => undefined }: FileOptions = {},
  ) {
    this.#database = new Database(file)
    this.#busyMs = busyMs
    this.#onDamage = onDamage
    this.#decisions = decisions
    this.#lost = whyLost
    try {
      this.#prepare(file)
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

  /**
   * Reads what is committed, as soon as the event loop has a slice to spare: however many reads follow each other,
   * others have their turn.
   */
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

  /** Where the last commit could not be written, tries another one. Throws what it says. */
  async tryToWrite(): Promise<void> {
    if (this.#unwritable !== undefined) await this.write(() => writeNothing(this.#database))
  }

  /**
   * Copies the database to another file, a few pages at a time, so that whatever else goes on goes on. The copy is of
   * one moment.
   */
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
      this.#busySince = Number.NEGATIVE_INFINITY // nothing waits any longer
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

  /**
   * Only once no other agent can write: one that took over writes before it does anything, and has replaced the lock by
   * then.
   */
  #begin(): void {
    this.#statement('begin immediate').run()
    const lost = this.#lost()
    if (lost !== undefined) throw lost
  }

  /** Another program holds the database: waiting for it must not keep the process from anything else. */
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

  /** Writes down what was decided. Gives what takes it back, where the commit fails. */
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
      throw new SyncError('The database does not keep what is written (synchronous is not FULL).', {
        code: 'store/not-durable',
        path: file,
      })
    tryToWrite(database)
    database.pragma('busy_timeout = 0') // writes wait without blocking
  }
}

/** A file that may only be read opens, and begins to write, without a word. */
function tryToWrite(database: Database.Database): void {
  database.exec('begin immediate')
  writeNothing(database)
  database.exec('rollback')
}

/** Writes a page as it is. */
function writeNothing(database: Database.Database): void {
  database.pragma(`user_version = ${database.pragma('user_version', { simple: true }) as number}`)
}

/** Of texts and bytes among the values. */
function sizeOf(values: readonly unknown[]): number {
  const sizes = values.map((value) => (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0))
  return sizes.reduce((sum, size) => sum + size, 0)
}
