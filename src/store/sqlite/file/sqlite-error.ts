// Errors of SQLite as errors of gitmoor, by the necessary reaction.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { faultText } from '../../../lib/text/fault-text.js'
import { freeSpaceHint, isFullDisk, SyncError, Unavailable } from '../../../model/errors.js'
import { whyDiskFull, type DiskSpace } from './disk-space.js'

/** True for errors that mean a damaged file. */
export function isDamage(error: unknown): error is Error {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(codeOf(error))
}

/** True for errors that mean damage in the first read of a file: its header may name an unknown feature. */
export function isUnreadable(error: unknown): error is Error {
  return isDamage(error) || codeOf(error) === 'SQLITE_ERROR'
}

/** True for errors that mean that nothing can be written to the disk. */
export function isUnwritable(error: unknown): boolean {
  return /^SQLITE_(FULL|READONLY|IOERR)/.test(codeOf(error)) && !isDamage(error)
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))
}

/** For a request: errors of SQLite become `Unavailable`; others stay. */
export function toStoreError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === '') return error
  if (code === 'SQLITE_FULL')
    return new Unavailable('Cannot write to the database: the disk is full.', {
      code: 'store/full',
      hint: 'Free space on the disk of the data directory; the agent continues by itself.',
      cause: error,
    })
  if (isBusy(error))
    return new Unavailable('Another program has locked the database.', {
      code: 'store/busy',
      hint: 'Stop the program that has gitmoor.db open; the agent continues by itself.',
      cause: error,
    })
  if (code.startsWith('SQLITE_READONLY'))
    return new Unavailable('The database is read-only.', {
      code: 'store/read-only',
      hint: 'The agent must own its data directory and have write permission.',
      cause: error,
    })
  if (isDamage(error))
    return new Unavailable('The database is damaged.', {
      code: 'store/damaged',
      hint: 'The agent stops. Its next start repairs the database.',
      cause: error,
    })
  return new Unavailable(`The database failed: ${(error as Error).message}.`, { code: 'store/failed', cause: error })
}

/** For a start: why the file cannot be used. The lack of space for the log of a database has codes of its own. */
export function unusable(file: string, error: unknown, space?: DiskSpace): unknown {
  const code = codeOf(error) || fileCodeOf(error)
  if (code === '') return error
  const directory = dirname(file)
  const isFull = isFullDisk(error) || (existsSync(directory) && whyDiskFull(directory, space) !== undefined)
  const why = code.startsWith('SQLITE_') ? `${(error as Error).message} (${code})` : faultText(error)
  return new SyncError(`Cannot use the database ${file}: ${why}.`, {
    code: 'store/unusable',
    path: file,
    hint: isFull
      ? freeSpaceHint(directory)
      : ((toStoreError(error) as Partial<SyncError>).hint?.replace(
          '; the agent continues by itself',
          ', then start the agent again',
        ) ?? 'The agent must own its data directory and have write permission.'),
    cause: error,
  })
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code.startsWith('SQLITE_') ? code : ''
}

/** The code of an error of the file system. */
function fileCodeOf(error: unknown): string {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : ''
}
