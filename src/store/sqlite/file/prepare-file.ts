import Database from 'better-sqlite3'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Sealed } from '../../../model/json.js'
import type { DatabaseEvent } from '../../database-event-table.js'
import { dropLabel, reportBackup } from '../backup/backup-label.js'
import { listCopies, removeDrafts } from '../backup/copy-files.js'
import { damageIn, headerDamage } from './database-file.js'
import { finishRepair, repairDatabase, type Repaired } from '../repair/repair.js'
import { decisionsFile } from '../decisions/decision-log.js'
import { reconcileDecisions } from '../decisions/reconcile-decisions.js'
import { reportLostKey } from '../repair/lost-key.js'
import { restoringName } from '../backup/restore-backup.js'
import { isUnreadable, unusable } from './sqlite-error.js'
import { upgrade, databaseVersion } from '../tables/upgrade.js'

/** An open database, and what was necessary before it could be used. */
export interface PreparedFile {
  readonly database: Database.Database
  readonly events: readonly DatabaseEvent[]
}

/**
 * Opens a database and makes it intact and of this version: it finishes a repair that was killed, repairs damage and
 * upgrades an older version. It reports snapshots that are not `isOurs`, too. Errors: `Refused` store/newer,
 * store/upgrade-failed; `SyncError` store/unusable.
 */
export function prepareFile(file: string, now: number, isOurs: (sealed: Sealed) => boolean): PreparedFile {
  try {
    removeDrafts(file)
    rmSync(join(dirname(file), restoringName), { recursive: true, force: true })
    finishRepair(file)
    const start = { file, now, isOurs }
    const damage = missing(file) ?? emptied(file) ?? (existsSync(file) ? headerDamage(file) : undefined)
    return damage === undefined ? openOrRepair(start) : repair(start, damage)
  } catch (error) {
    throw unusable(file, error)
  }
}

interface Start {
  readonly file: string
  readonly now: number
  readonly isOurs: (sealed: Sealed) => boolean
}

/** Repairs also what shows only when the schema is used. */
function openOrRepair(start: Start): PreparedFile {
  try {
    return open(start, (database) => {
      const damage = damageIn(database) ?? foreignDatabase(database)
      if (damage !== undefined) throw new Damaged(damage)
      return upgradeAndReconcile(database, start, undefined)
    })
  } catch (error) {
    if (!(error instanceof Damaged) && !isUnreadable(error)) throw error
    return repair(start, error.message)
  }
}

class Damaged extends Error {}

function repair(start: Start, damage: string): PreparedFile {
  const repaired = repairDatabase(start.file, damage, start.now)
  return open(start, (database) => [repaired.event, ...upgradeAndReconcile(database, start, repaired)])
}

/** One connection for all steps, because each one reads the schema again. It is closed if a step fails. */
function open({ file }: Start, prepare: (database: Database.Database) => readonly DatabaseEvent[]): PreparedFile {
  const database = new Database(file)
  try {
    return { database, events: prepare(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

function upgradeAndReconcile(
  database: Database.Database,
  { file, now, isOurs }: Start,
  repaired: Repaired | undefined,
): readonly DatabaseEvent[] {
  database.pragma('synchronous = FULL')
  const label = dropLabel(database, file) // before the copy of an upgrade, which must not contain a key
  const upgraded = upgrade(database, file, now)
  const reconciled = reconcileDecisions(database, file, { now, repaired, upgraded: upgraded.length > 0 })
  const rechecked = repaired !== undefined || reconciled.length > 0
  const restored = label === undefined ? [] : [reportBackup(database, now, { label, rechecked })]
  return [...upgraded, ...reconciled, ...restored, ...reportLostKey(database, now, isOurs)]
}

/** True if an agent ran here before: there are decisions, a copy, or the token, which a start creates after them. */
function wasWritten(file: string): boolean {
  const written = [decisionsFile(file), join(dirname(file), 'token')]
  return written.some((path) => existsSync(path)) || listCopies(file).length > 0
}

/** The file was deleted: an empty one takes its place and is repaired. */
function missing(file: string): string | undefined {
  if (existsSync(file) || !wasWritten(file)) return undefined
  writeFileSync(file, '', { mode: 0o600 })
  return 'the file is missing'
}

/** An empty file is a new database, unless an agent ran here before. */
function emptied(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  return size === 0 && wasWritten(file) ? 'the file is empty' : undefined
}

/** A database of another program must not be changed. */
function foreignDatabase(database: Database.Database): string | undefined {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all()
  const isOurs = databaseVersion(database) === 0 ? tables.length === 0 : tables.includes('stacks')
  return isOurs ? undefined : 'it is the database of another program'
}
