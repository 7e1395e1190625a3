import { quoted } from '../lib/text/printable.js'
import { Refused } from './errors.js'

/** The error for an `after` that the list did not give. */
export function invalidCursor(after: string): Refused {
  return new Refused('usage', `Invalid cursor ${quoted(after)}.`, {
    code: 'stacks/invalid-cursor',
    hint: 'Use `next` of the previous page, with the same filters and sort.',
  })
}
