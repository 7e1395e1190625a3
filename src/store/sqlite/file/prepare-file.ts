import Database from 'better-sqlite3'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseEvent } from '../../store.js'
import { listCopies, removeDrafts } from '../backup/copy-files.js'
import { findDamage } from './database-file.js'
import { finishRepair, repairDatabase, type Repaired } from '../repair/repair.js'
import { reconcileDecisions } from '../decisions/reconcile-decisions.js'
import { restoringName } from '../backup/restore-backup.js'
import { isUnreadable, unusable } from './sqlite-error.js'
import { upgrade, databaseVersion } from '../tables/upgrade.js'

/**
 * Leaves a database that is whole and of this version, and tells what it took: what a killed start began is finished,
 * what is damaged is mended, what is old is upgraded. Errors: `Refused` store/newer, store/upgrade-failed; `SyncError`
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

/** A schema of which a bit flipped is found only when it is used. */
function upgradeOrRepair(file: string, now: number): readonly DatabaseEvent[] {
  try {
    return upgradeAndReconcile(file, now, undefined)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return repair(file, now, error.message)
  }
}

function repair(file: string, now: number, damage: string): readonly DatabaseEvent[] {
  const mended = repairDatabase(file, damage, now)
  return [mended.event, ...upgradeAndReconcile(file, now, mended)]
}

function upgradeAndReconcile(file: string, now: number, repaired: Repaired | undefined): readonly DatabaseEvent[] {
  const upgraded = upgrade(file, now)
  return [...upgraded, ...reconcileDecisions(file, now, { repaired, upgraded: upgraded.length > 0 })]
}

/** An agent ran here: there is a copy, or the token that a start makes once it has a database. */
function wasWritten(file: string): boolean {
  return existsSync(join(dirname(file), 'token')) || listCopies(file).length > 0
}

/** Somebody removed it. An empty file takes its place, which is repaired as any other. */
function missing(file: string): string | undefined {
  if (existsSync(file) || !wasWritten(file)) return undefined
  writeFileSync(file, '', { mode: 0o600 })
  return 'the file is missing'
}

/** A file of no bytes is a database that was never written, unless an agent ran here. */
function emptied(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  return size === 0 && wasWritten(file) ? 'the file is empty' : undefined
}

/** A database of another program: nothing of ours may be written into it. */
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
