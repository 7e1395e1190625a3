import type { DatabaseEvent, DatabaseEventTable } from '../database-event-table.js'
import type { SqliteFile } from './file/sqlite-file.js'
import type Database from 'better-sqlite3'

export class SqliteDatabaseEvents implements DatabaseEventTable {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  list(limit: number): Promise<readonly DatabaseEvent[]> {
    const query = this.#file.build
      .selectFrom('database_events')
      .select(['at', 'code', 'message'])
      .orderBy('id', 'desc')
      .limit(limit)
    return this.#file.read(() => this.#file.all(query))
  }
}

// What the store did to itself and a person should know of.
/** Stores an event of the database. Only the newest 100 are kept. */
export function addDatabaseEvent(database: Database.Database, notice: DatabaseEvent): DatabaseEvent {
  database.prepare('insert into database_events (at, code, message) values (@at, @code, @message)').run(notice)
  database.prepare('delete from database_events where id <= (select max(id) from database_events) - 100').run()
  return notice
}
