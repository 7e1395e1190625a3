import Database from 'better-sqlite3'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Notice } from '../store.js'
import { copiesOf, removeDrafts } from './copy-files.js'
import { damageOf } from './database-file.js'
import { finishMending, mend } from './mend.js'
import { reconcileDecisions } from './reconcile-decisions.js'
import { restoringName } from './restore-backup.js'
import { unusable } from './sqlite-error.js'
import { upgrade, versionOf } from './upgrade.js'

/**
 * Leaves a database that is whole and of this version, and tells what it took: what a killed start began is finished, what is damaged is mended, what is old is
 * upgraded. Errors: `Refused` store/newer, store/upgrade-failed; `SyncError` store/unusable.
 */
export function prepareFile(file: string, now: number): readonly Notice[] {
  try {
    removeDrafts(file)
    rmSync(join(dirname(file), restoringName), { recursive: true, force: true })
    finishMending(file)
    const damage = missing(file) ?? emptied(file) ?? (existsSync(file) ? (damageOf(file) ?? strange(file)) : undefined)
    const mended = damage === undefined ? undefined : mend(file, damage, now)
    const upgraded = upgrade(file, now)
    const reconciled = reconcileDecisions(file, now, { repaired: mended, upgraded: upgraded.length > 0 })
    return [...(mended === undefined ? [] : [mended.notice]), ...upgraded, ...reconciled]
  } catch (error) {
    throw unusable(file, error)
  }
}

/** An agent ran here: there is a copy, or the token that a start makes once it has a database. */
function wasWritten(file: string): boolean {
  return existsSync(join(dirname(file), 'token')) || copiesOf(file).length > 0
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
function strange(file: string): string | undefined {
  const database = new Database(file, { readonly: true })
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all()
    const isOurs = versionOf(database) === 0 ? tables.length === 0 : tables.includes('stacks')
    return isOurs ? undefined : 'it is the database of another program'
  } finally {
    database.close()
  }
}
