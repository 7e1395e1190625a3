import { readBoundedInput } from '../../settings/bounded-file.js'
import { fileErrors } from '../cli-errors.js'

/** Reads a regular file, or `<(…)`, named on the command line. `shown` names it in the `UsageError`. */
export function readInputFile(path: string, shown: string, maximumBytes: number): Buffer {
  try {
    return readBoundedInput(path, maximumBytes)
  } catch (error) {
    throw fileErrors.unreadable(shown, error)
  }
}
