import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Notice } from '../store.js'
import { copiesOf, removeDrafts } from './copy-files.js'
import { damageOf } from './database-file.js'
import { finishMending, mend } from './mend.js'
import { restoringName } from './restore-backup.js'
import { unusable } from './sqlite-error.js'
import { upgrade } from './upgrade.js'

/**
 * Leaves a database that is whole and of this version, and tells what it took: what a killed start began is finished, what is damaged is mended, what is old is
 * upgraded. Errors: `Refused` store/newer, store/upgrade-failed; `SyncError` store/unusable.
 */
export function prepareFile(file: string, now: number): readonly Notice[] {
  try {
    removeDrafts(file)
    rmSync(join(dirname(file), restoringName), { recursive: true, force: true })
    finishMending(file)
    const damage = existsSync(file) ? (emptied(file) ?? damageOf(file)) : undefined
    const mended = damage === undefined ? [] : [mend(file, damage, now)]
    return [...mended, ...upgrade(file, now)]
  } catch (error) {
    throw unusable(file, error)
  }
}

/** A file of no bytes is a database that was never written; where there is a copy of it, or the token that a start makes once it has a database, it was. */
function emptied(file: string): string | undefined {
  const wasWritten = existsSync(join(dirname(file), 'token')) || copiesOf(file).length > 0
  return statSync(file).size === 0 && wasWritten ? 'the file is empty' : undefined
}
