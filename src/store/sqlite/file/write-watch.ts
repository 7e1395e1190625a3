// Says whether rows of a table were written since they were read. Triggers of the connection see each of its writes, no
// matter which method made it; SQLite counts those of other connections. A write that is rolled back counts, too.
import type Database from 'better-sqlite3'

export class WriteWatch {
  readonly #dataVersion: Database.Statement
  #seenVersion: unknown
  #writes = 0

  /**
   * Calls `onWrite` with the values of `columns`, which are texts, of each row that is written, before and after the
   * write. Setting `temp_store` later would drop the triggers.
   */
  constructor(
    database: Database.Database,
    { table, columns }: { readonly table: string; readonly columns: readonly string[] },
    onWrite: (...values: string[]) => void,
  ) {
    this.#dataVersion = database.prepare('pragma data_version').pluck()
    this.#seenVersion = this.#dataVersion.get()
    database.function(`wrote_${table}`, { varargs: true }, (...values: unknown[]) => {
      this.#writes++
      onWrite(...(values as string[]))
      return null
    })
    const call = (row: 'old' | 'new'): string =>
      `select wrote_${table}(${columns.map((column) => `${row}.${column}`).join(', ')});`
    database.exec(`
      create temp trigger ${table}_added after insert on main.${table} begin ${call('new')} end;
      create temp trigger ${table}_changed after update on main.${table} begin ${call('old')} ${call('new')} end;
      create temp trigger ${table}_deleted after delete on main.${table} begin ${call('old')} end;`)
  }

  /** Rows that this connection wrote so far. What is read while this changes may be of two moments. */
  get writes(): number {
    return this.#writes
  }

  /** True once after another connection wrote anything. */
  isWrittenElsewhere(): boolean {
    const seen = this.#seenVersion
    this.#seenVersion = this.#dataVersion.get()
    return seen !== this.#seenVersion
  }
}
