import { faultText } from '../lib/text/fault-text.js'
import { tooManyOpen, Unavailable } from '../model/errors.js'

/** The error if the data directory cannot be written. `what` follows "Cannot …": `store the copy of the file`. */
export function diskError(what: string, cause: unknown): Unavailable {
  return (
    tooManyOpen(cause) ??
    new Unavailable(`Cannot ${what}: ${faultText(cause)}.`, {
      code: 'source/disk',
      hint: 'Check the free space and the permissions of the data directory.',
      cause,
    })
  )
}
