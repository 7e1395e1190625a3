import { readBoundedInput } from '../settings/bounded-file.js'
import { UsageError } from './cli-error.js'
import { fileError } from './file-error.js'

/**
 * The bytes of a regular file, or of `<(…)`, that a person names on the command line; `shown` names it in the
 * `UsageError`.
 */
export function readGivenFile(path: string, shown: string, mostBytes: number): Buffer {
  try {
    return readBoundedInput(path, mostBytes)
  } catch (error) {
    throw new UsageError(`${shown} cannot be read: ${fileError(error)}`)
  }
}
