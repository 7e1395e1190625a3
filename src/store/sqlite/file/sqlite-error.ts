// SQLite's errors in words, each as the reaction it wants.
import { dirname } from 'node:path'
import { SyncError, Unavailable } from '../../../model/errors.js'
import { freeSpaceHint } from '../../../model/machine-errors.js'

/** What SQLite says of a file that is not as it was written. */
export function isDamage(error: unknown): error is Error {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(codeOf(error))
}

/** What it says of a file that is read for the first time: a header may ask for what SQLite does not know. */
export function isUnreadable(error: unknown): error is Error {
  return isDamage(error) || codeOf(error) === 'SQLITE_ERROR'
}

/** What SQLite says where the disk takes nothing, whatever is to be written. */
export function isUnwritable(error: unknown): boolean {
  return /^SQLITE_(FULL|READONLY|IOERR)/.test(codeOf(error)) && !isDamage(error)
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))
}

/** For a verb: SQLite's errors as `Unavailable`, ours as they are. */
export function toStoreError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === '') return error
  if (code === 'SQLITE_FULL')
    return new Unavailable('The database could not grow: the disk is full.', {
      code: 'store/full',
      hint: 'Free space where the data directory is; the agent goes on by itself.',
      cause: error,
    })
  if (isBusy(error))
    return new Unavailable('Another program holds the database.', {
      code: 'store/busy',
      hint: 'End the program that has gitmoor.db open; the agent goes on by itself.',
      cause: error,
    })
  if (code.startsWith('SQLITE_READONLY'))
    return new Unavailable('The database cannot be written.', {
      code: 'store/read-only',
      hint: 'The agent must own its data directory and be able to write there.',
      cause: error,
    })
  if (isDamage(error))
    return new Unavailable('The database is damaged.', {
      code: 'store/damaged',
      hint: 'The agent ends, and mends it when it is started again.',
      cause: error,
    })
  return new Unavailable(`The database refused: ${(error as Error).message}.`, { code: 'store/failed', cause: error })
}

/** For a start: why the file cannot be used at all. */
export function unusable(file: string, error: unknown): unknown {
  const code = codeOf(error) || fileCodeOf(error)
  if (code === '') return error
  return new SyncError(`The database ${file} cannot be used: ${(error as Error).message} (${code}).`, {
    code: 'store/unusable',
    path: file,
    hint:
      freeSpaceHint(error, dirname(file)) ??
      (toStoreError(error) as Partial<SyncError>).hint?.replace(
        '; the agent goes on by itself',
        ', and start the agent again',
      ) ??
      'The agent must own its data directory and be able to write there.',
    cause: error,
  })
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code.startsWith('SQLITE_') ? code : ''
}

/** Of an error of the file system. */
function fileCodeOf(error: unknown): string {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : ''
}
