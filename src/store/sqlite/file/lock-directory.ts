import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Refused } from '../../../model/errors.js'
import { removeDatabase } from './database-file.js'
import { isBusy, isDamage, unusable } from './sqlite-error.js'

/**
 * Locks the data directory. The kernel releases the lock when the process ends. Errors: `Refused` locked, `SyncError`
 * store/unusable.
 */
export function lockDirectory(directory: string): Disposable {
  const file = join(directory, 'lock.db')
  try {
    return lock(file)
  } catch (error) {
    if (isBusy(error)) throw locked(directory, file)
    if (!isDamage(error)) throw unusable(file, error)
    removeDatabase(file) // it has no content
    return lock(file)
  }
}

function lock(file: string): Disposable {
  const fresh = !existsSync(file)
  const database = new Database(file, { timeout: 0 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    if (fresh) database.pragma('journal_mode = DELETE')
    database.exec('begin exclusive')
    if (fresh) chmodSync(file, 0o600)
  } catch (error) {
    database.close()
    throw error
  }
  return { [Symbol.dispose]: () => database.close() }
}

function locked(directory: string, file: string): Refused {
  return new Refused('locked', `Another gitmoor agent uses ${directory}.`, {
    code: 'store/locked',
    path: file,
    hint: 'Stop that agent, or choose another directory with --data.',
  })
}
