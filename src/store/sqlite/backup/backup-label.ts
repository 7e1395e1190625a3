// The table `backup` makes a copy of the database a backup: when and by which version it was made, and key and token if
// they were requested. Only files that are not in use have it: a key in the live database would be in every copy.
import Database from 'better-sqlite3'
import { addDatabaseEvent } from '../sqlite-database-events.js'
import { recheckStacks } from '../repair/recheck-stacks.js'
import { refuseNewer } from '../tables/upgrade.js'
import type { BackupSecrets } from '../../copies.js'
import type { DatabaseEvent } from '../../database-event-table.js'

export interface BackupLabel {
  /** Milliseconds since the epoch. */
  readonly made_at: number
  readonly key: Buffer | null
  readonly token: string | null
}

/** Labels a copy that nothing else has open. A label that it has already is replaced. */
export function writeLabel(
  path: string,
  { version, secrets, madeAt }: { readonly version: string; readonly secrets?: BackupSecrets; readonly madeAt: number },
): void {
  const database = new Database(path)
  try {
    database.pragma('journal_mode = DELETE')
    takeLabel(database)
    database.exec('create table backup (made_at integer not null, version text not null, key blob, token text) strict')
    const key = secrets === undefined ? null : Buffer.from(secrets.key)
    database.prepare('insert into backup values (?, ?, ?, ?)').run(madeAt, version, key, secrets?.token ?? null)
  } finally {
    database.close()
  }
}

/** Removes the label, and overwrites the key in its pages. undefined: the database has none. */
export function takeLabel(database: Database.Database): BackupLabel | undefined {
  if (!hasTable(database, 'backup')) return undefined
  const label = database.prepare('select made_at, key, token from backup').get() as BackupLabel | undefined
  database.pragma('secure_delete = ON') // SQLite would keep the content in free pages
  database.exec('drop table backup')
  return label
}

/**
 * Removes the label of a backup that somebody put in place of the live database. Returns it without its secrets.
 * Errors: `Refused` store/newer; then the file is unchanged.
 */
export function dropLabel(database: Database.Database, file: string): Pick<BackupLabel, 'made_at'> | undefined {
  if (!hasTable(database, 'backup')) return undefined
  refuseNewer(database, file)
  const label = takeLabel(database)
  database.pragma('secure_delete = OFF')
  database.pragma('wal_checkpoint(TRUNCATE)') // the file itself has the key until then
  return { made_at: label?.made_at ?? 0 }
}

/**
 * Reports the backup that somebody put in place. It is older than the targets: unless the stacks are `rechecked`, each
 * polls its source and reads its target first, as after a restore.
 */
export function reportBackup(
  database: Database.Database,
  now: number,
  { label, rechecked }: { readonly label: Pick<BackupLabel, 'made_at'>; readonly rechecked: boolean },
): DatabaseEvent {
  const made = new Date(label.made_at).toISOString()
  return database.transaction(() => {
    if (!rechecked) recheckStacks(database, now, `a backup of ${made} was put in place`)
    const message =
      `A backup of ${made} was put in place of the database. ` +
      'Its label, with any key and token in it, was removed without using them.'
    return addDatabaseEvent(database, { at: now, code: 'store/restored', message })
  })()
}

/** True if the database has this table. */
export function hasTable(database: Database.Database, table: string): boolean {
  return database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== undefined
}
