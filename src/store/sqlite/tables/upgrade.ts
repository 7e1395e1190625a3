// Upgrades a database to this version: first a copy, then all migrations in one transaction.
import type Database from 'better-sqlite3'
import { describeError, Refused } from '../../../model/errors.js'
import type { DatabaseEvent } from '../../database-event-table.js'
import { copyAtOnce } from '../backup/copy-files.js'
import { addDatabaseEvent } from '../sqlite-database-events.js'
import { textDigest, packText } from '../runs/packed-plan.js'
import { migrations } from './migrations.js'

/** Returns what was done. Errors: `Refused` store/newer, store/upgrade-failed; then the file is unchanged. */
export function upgrade(database: Database.Database, file: string, now: number): readonly DatabaseEvent[] {
  const version = databaseVersion(database)
  refuseNewer(database, file)
  if (version === migrations.length) return []
  if (version === 0) {
    database.transaction(() => migrateTo(database, migrations.length)).immediate()
    return []
  }
  const copy = copyAtOnce(database, file, now)
  migrateOrRefuse(database, { file, copy })
  const message =
    `The database was upgraded from version ${version} to ${migrations.length}. ` +
    `A copy of the old one is kept in ${copy}.`
  return [addDatabaseEvent(database, { at: now, code: 'store/upgraded', message })]
}

export function databaseVersion(database: Database.Database): number {
  return database.pragma('user_version', { simple: true }) as number
}

/** Applies migrations up to a version. */
export function migrateTo(database: Database.Database, version: number): void {
  database.function('plan_digest', { deterministic: true }, (text) => textDigest(text as string))
  database.function('plan_packed', { deterministic: true }, (text) => packText(text as string))
  for (let i = databaseVersion(database); i < version; i++) {
    const migrate = database.transaction(() => {
      database.exec(migrations[i]!)
      database.pragma(`user_version = ${i + 1}`)
    })
    migrate.immediate()
  }
}

function migrateOrRefuse(
  database: Database.Database,
  { file, copy }: { readonly file: string; readonly copy: string },
): void {
  const before = databaseVersion(database)
  try {
    database.transaction(() => migrateTo(database, migrations.length)).immediate()
  } catch (cause) {
    throw new Refused(
      'failed',
      `Cannot upgrade the database from version ${before} to ${migrations.length}: ${describeError(cause)}`,
      {
        code: 'store/upgrade-failed',
        path: file,
        hint:
          `The file is unchanged, and ${copy} is a copy of it. ` +
          'Use the version of gitmoor that wrote it, and report this.',
        cause,
      },
    )
  }
}

/** Errors: `Refused` store/newer. */
export function refuseNewer(database: Database.Database, file: string): void {
  const version = databaseVersion(database)
  if (version <= migrations.length) return
  throw new Refused(
    'failed',
    `The database was written by a newer gitmoor (version ${version}, this one knows ${migrations.length}).`,
    {
      code: 'store/newer',
      path: file,
      hint: 'Start the newer version, or use another data directory.',
    },
  )
}
