// What the store did to itself and a person should know of.
import type Database from 'better-sqlite3'
import type { Notice } from '../store.js'

/** Writes a notice down; only the newest hundred are kept. */
export function note(database: Database.Database, notice: Notice): Notice {
  database.prepare('insert into notices (at, code, message) values (@at, @code, @message)').run(notice)
  database.prepare('delete from notices where id <= (select max(id) from notices) - 100').run()
  return notice
}
