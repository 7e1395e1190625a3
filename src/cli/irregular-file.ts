import { typeName, type FileType } from '../model/file-type.js'
import { UsageError } from './cli-error.js'

export function symbolicLink(path: string): UsageError {
  return new UsageError(
    `${path} is a symbolic link, which the agent does not follow.`,
    'Put the file itself there, or list it in .gitmoorignore.',
  )
}

export function irregularFile(path: string, type: FileType): UsageError {
  if (type.isSymbolicLink()) return symbolicLink(path)
  return new UsageError(
    `${path} is a ${typeName(type)}; the agent reads only regular files.`,
    'Put a regular file there, or list it in .gitmoorignore.',
  )
}
