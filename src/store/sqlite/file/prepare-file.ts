import Database from 'better-sqlite3'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Sealed } from '../../../model/json.js'
import type { DatabaseEvent } from '../../database-event-table.js'
import { dropLabel, reportBackup } from '../backup/backup-label.js'
import { listCopies, removeDrafts } from '../backup/copy-files.js'
import { findDamage } from './database-file.js'
import { finishRepair, repairDatabase, type Repaired } from '../repair/repair.js'
import { reconcileDecisions } from '../decisions/reconcile-decisions.js'
import { reportLostKey } from '../repair/lost-key.js'
import { restoringName } from '../backup/restore-backup.js'
import { isUnreadable, unusable } from './sqlite-error.js'
import { upgrade, databaseVersion } from '../tables/upgrade.js'

/**
 * Makes a database intact and of this version, and returns what was necessary: it finishes a repair that was killed,
 * repairs damage and upgrades an older version. It reports snapshots that are not `isOurs`, too. Errors: `Refused`
 * store/newer, store/upgrade-failed; `SyncError` store/unusable.
 */
export function prepareFile(file: string, now: number, isOurs: (sealed: Sealed) => boolean): readonly DatabaseEvent[] {
  try {
    removeDrafts(file)
    rmSync(join(dirname(file), restoringName), { recursive: true, force: true })
    finishRepair(file)
    const damage = missing(file) ?? emptied(file) ?? (existsSync(file) ? findDamage(file, foreignDatabase) : undefined)
    const start = { file, now, isOurs }
    return damage === undefined ? upgradeOrRepair(start) : repair(start, damage)
  } catch (error) {
    throw unusable(file, error)
  }
}

interface Start {
  readonly file: string
  readonly now: number
  readonly isOurs: (sealed: Sealed) => boolean
}

/** Some damage of a schema shows only when the schema is used. */
function upgradeOrRepair(start: Start): readonly DatabaseEvent[] {
  try {
    return upgradeAndReconcile(start, undefined)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return repair(start, error.message)
  }
}

function repair(start: Start, damage: string): readonly DatabaseEvent[] {
  const repaired = repairDatabase(start.file, damage, start.now)
  return [repaired.event, ...upgradeAndReconcile(start, repaired)]
}

/** On one connection: each one reads the schema again. */
function upgradeAndReconcile({ file, now, isOurs }: Start, repaired: Repaired | undefined): readonly DatabaseEvent[] {
  const database = new Database(file)
  try {
    database.pragma('synchronous = FULL')
    const label = dropLabel(database, file) // before the copy of an upgrade, which must not contain a key
    const upgraded = upgrade(database, file, now)
    const reconciled = reconcileDecisions(database, file, { now, repaired, upgraded: upgraded.length > 0 })
    const rechecked = repaired !== undefined || reconciled.length > 0
    const restored = label === undefined ? [] : [reportBackup(database, now, { label, rechecked })]
    return [...upgraded, ...reconciled, ...restored, ...reportLostKey(database, now, isOurs)]
  } finally {
    database.close()
  }
}

/** True if an agent ran here before: there is a copy, or the token, which a start creates after the database. */
function wasWritten(file: string): boolean {
  return existsSync(join(dirname(file), 'token')) || listCopies(file).length > 0
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
