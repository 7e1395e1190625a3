import Database from 'better-sqlite3'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseEvent } from '../../database-event-table.js'
import { dropLabel, reportBackup } from '../backup/backup-label.js'
import { listCopies, removeDrafts } from '../backup/copy-files.js'
import { findDamage } from './database-file.js'
import { finishRepair, repairDatabase, type Repaired } from '../repair/repair.js'
import { reconcileDecisions } from '../decisions/reconcile-decisions.js'
import { restoringName } from '../backup/restore-backup.js'
import { isUnreadable, unusable } from './sqlite-error.js'
import { upgrade, databaseVersion } from '../tables/upgrade.js'

/**
 * Makes a database intact and of this version, and returns what was necessary: it finishes a repair that was killed,
 * repairs damage and upgrades an older version. Errors: `Refused` store/newer, store/upgrade-failed; `SyncError`
 * store/unusable.
 */
export function prepareFile(file: string, now: number): readonly DatabaseEvent[] {
  try {
    removeDrafts(file)
    rmSync(join(dirname(file), restoringName), { recursive: true, force: true })
    finishRepair(file)
    const damage =
      missing(file) ?? emptied(file) ?? (existsSync(file) ? (findDamage(file) ?? foreignDatabase(file)) : undefined)
    return damage === undefined ? upgradeOrRepair(file, now) : repair(file, now, damage)
  } catch (error) {
    throw unusable(file, error)
  }
}

/** Some damage of a schema shows only when the schema is used. */
function upgradeOrRepair(file: string, now: number): readonly DatabaseEvent[] {
  try {
    return upgradeAndReconcile(file, now, undefined)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return repair(file, now, error.message)
  }
}

function repair(file: string, now: number, damage: string): readonly DatabaseEvent[] {
  const repaired = repairDatabase(file, damage, now)
  return [repaired.event, ...upgradeAndReconcile(file, now, repaired)]
}

function upgradeAndReconcile(file: string, now: number, repaired: Repaired | undefined): readonly DatabaseEvent[] {
  const label = dropLabel(file) // before the copy of an upgrade, which must not contain a key
  const upgraded = upgrade(file, now)
  const reconciled = reconcileDecisions(file, now, { repaired, upgraded: upgraded.length > 0 })
  const rechecked = repaired !== undefined || reconciled.length > 0
  return [...upgraded, ...reconciled, ...(label === undefined ? [] : [reportBackup(file, now, { label, rechecked })])]
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
function foreignDatabase(file: string): string | undefined {
  const database = new Database(file, { readonly: true })
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all()
    const isOurs = databaseVersion(database) === 0 ? tables.length === 0 : tables.includes('stacks')
    return isOurs ? undefined : 'it is the database of another program'
  } finally {
    database.close()
  }
}
