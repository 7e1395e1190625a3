import { readBoundedInput } from '../../settings/bounded-file.js'
import { UsageError } from '../cli-error.js'
import { typeName, type FileType } from '../../lib/file-type.js'

/**
 * The bytes of a regular file, or of `<(…)`, that a person names on the command line; `shown` names it in the
 * `UsageError`.
 */
export function readInputFile(path: string, shown: string, maximumBytes: number): Buffer {
  try {
    return readBoundedInput(path, maximumBytes)
  } catch (error) {
    throw new UsageError(`${shown} cannot be read: ${fileErrorText(error)}`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'there is no such file or folder',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EISDIR: 'it is a folder',
  ENXIO: 'it is not a regular file',
  ENOSPC: 'the disk is full',
}

/** Why a file cannot be read or written, in words. */
export function fileErrorText(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return `${reasons[code] ?? message}.`
}

export function symbolicLinkError(path: string): UsageError {
  return new UsageError(
    `${path} is a symbolic link, which the agent does not follow.`,
    'Put the file itself there, or list it in .gitmoorignore.',
  )
}

export function irregularFileError(path: string, type: FileType): UsageError {
  if (type.isSymbolicLink()) return symbolicLinkError(path)
  return new UsageError(
    `${path} is a ${typeName(type)}; the agent reads only regular files.`,
    'Put a regular file there, or list it in .gitmoorignore.',
  )
}
