// The result of a poll for one ref.
import type { RefTip } from '../model/channel.js'
import { Rejected } from '../model/errors.js'
import { hashDigits } from '../model/revision.js'
import type { SourceRevision } from './source.js'

const code = 'source/ref-missing'

/** The revision of the ref. Throws its error if it has none. */
export function foundRef(polled: ReadonlyMap<string, SourceRevision | Error>, ref: string): SourceRevision {
  const seen = polled.get(ref)
  if (seen === undefined || seen instanceof Error) throw seen ?? new Rejected(`${ref} was not found.`, { code })
  return seen
}

/** True if the poll found that the ref does not exist. */
export function isMissingRef(seen: SourceRevision | Error | undefined): boolean {
  return seen instanceof Rejected && seen.code === code
}

/** The tip of a git ref. */
export function refTip({ state, object }: SourceRevision): RefTip {
  const commit = hashDigits(state)
  return { commit, object: object ?? commit }
}
