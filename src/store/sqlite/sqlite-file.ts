import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
import { Refused, SyncError, Unavailable } from '../../model/errors.js'
import { digestOf, packed } from './packed-plan.js'
import { migrations, type Tables } from './tables.js'

/** A query of kysely's, or raw SQL. */
interface Compilable<Row> {
  compile(executor: QueryExecutorProvider): CompiledQuery<Row>
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * The database file. kysely builds the queries, better-sqlite3 runs them, so that the body of a transaction is one plain function and nothing can be awaited in it.
 * Writes that are asked for together share one commit; each resolves when that commit is on disk, and one that fails takes nothing of the others with it.
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
  #waiting: Waiting[] = []

  /** Opens and migrates. Errors: `Refused` store/newer, store/damaged. */
  constructor(file: string) {
    this.#database = new Database(file)
    try {
      this.#prepare(file)
    } catch (error) {
      this.#database.close()
      throw error
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
    const { changes, lastInsertRowid } = this.#statement(sql).run(...parameters)
    return { changes, id: Number(lastInsertRowid) }
  }

  /** Reads what is committed. */
  async read<T>(work: () => T): Promise<T> {
    return translated(work)
  }

  /** One transaction; durable when it resolves. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#commit())
    })
  }

  close(): void {
    this.#commit()
    this.#database.close()
  }

  /** For tests: the most pages the file may have, as if the disk were full. */
  limitPages(pages: number): void {
    this.#database.pragma(`max_page_count = ${pages}`)
  }

  #commit(): void {
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length === 0) return
    const done: { readonly one: Waiting; readonly value: unknown }[] = []
    try {
      this.#statement('begin immediate').run()
      for (const one of waiting) this.#attempt(one, done)
      this.#statement('commit').run()
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback')
      for (const one of waiting) one.reject(translate(error))
      return
    }
    for (const { one, value } of done) one.resolve(value as never)
  }

  #attempt(one: Waiting, done: { readonly one: Waiting; readonly value: unknown }[]): void {
    this.#statement('savepoint one').run()
    try {
      done.push({ one, value: one.work() })
      this.#statement('release one').run()
    } catch (error) {
      if (!this.#database.inTransaction) throw error
      this.#statement('rollback to one').run()
      this.#statement('release one').run()
      if (done.at(-1)?.one === one) done.pop()
      one.reject(translate(error))
    }
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
    checkWhole(database, file)
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    if (database.pragma('synchronous', { simple: true }) !== 2)
      throw new SyncError('The database does not keep what is written (synchronous is not FULL).', {
        code: 'store/not-durable',
        path: file,
      })
    migrate(database, file)
  }
}

function checkWhole(database: Database.Database, file: string): void {
  let answer: unknown
  try {
    answer = database.pragma('quick_check', { simple: true })
  } catch (error) {
    answer = error instanceof Error ? error.message : String(error)
  }
  if (answer === 'ok') return
  throw new Refused('failed', `The database is damaged: ${String(answer)}.`, {
    code: 'store/damaged',
    path: file,
    hint: 'Put the newest copy of it in its place. Without one, move it away: stacks of the configuration file come back, and adopt what is on their targets.',
  })
}

function migrate(database: Database.Database, file: string): void {
  const version = database.pragma('user_version', { simple: true }) as number
  if (version > migrations.length)
    throw new Refused('failed', `The database was written by a newer gitmoor (version ${version}, this one knows ${migrations.length}).`, {
      code: 'store/newer',
      path: file,
      hint: 'Start the newer version, or another data directory.',
    })
  database.function('plan_digest', { deterministic: true }, (text) => digestOf(text as string))
  database.function('plan_packed', { deterministic: true }, (text) => packed(text as string))
  for (let i = version; i < migrations.length; i++) {
    database.exec('begin immediate')
    database.exec(migrations[i]!)
    database.pragma(`user_version = ${i + 1}`)
    database.exec('commit')
  }
}

function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translate(error)
  }
}

/** SQLite's errors in words; ours as they are. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string' || !error.code.startsWith('SQLITE_')) return error
  if (error.code === 'SQLITE_FULL')
    return new Unavailable('The database could not grow: the disk is full.', {
      code: 'store/full',
      hint: 'Free space where the data directory is; the agent goes on by itself.',
      cause: error,
    })
  return new Unavailable(`The database refused: ${error.message}.`, { code: 'store/failed', cause: error })
}

/** Holds the data directory: the kernel lets go of it when the process ends. Errors: `Refused` locked. */
export function lockDirectory(directory: string): Disposable {
  const file = join(directory, 'lock.db')
  const fresh = !existsSync(file)
  const database = new Database(file, { timeout: 0 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    if (fresh) database.pragma('journal_mode = DELETE')
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    throw new Refused('locked', `Another gitmoor agent uses ${directory}.`, {
      code: 'store/locked',
      path: file,
      hint: 'Stop it, or give this one another directory with --data.',
      cause: error,
    })
  }
  return { [Symbol.dispose]: () => database.close() }
}
