import { digitsOf, partsOf } from '../model/revision.js'

/**
 * True if a revision is the one a person named: by its whole text, or by at least 7 digits of one of its commits or
 * digests.
 */
export function revisionMatches(revision: string | null, named: string): boolean {
  if (revision === null) return false
  if (revision === named) return true
  const digits = digitsOf(named)
  return digits.length >= 7 && partsOf(revision).some((part) => digitsOf(part).startsWith(digits))
}
