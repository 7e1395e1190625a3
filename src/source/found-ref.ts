// The result of a poll for one ref.
import type { RefTip } from '../model/sources/channel.js'
import { Rejected } from '../model/errors.js'
import { hashDigits } from '../model/sources/revision.js'
import type { SourceRevision } from './source.js'

const code = 'source/ref-missing'

/** The revision of the ref. Throws its error if it has none. */
export function foundRef(polled: ReadonlyMap<string, SourceRevision | Error>, ref: string): SourceRevision {
  const found = polled.get(ref)
  if (found === undefined || found instanceof Error) throw found ?? new Rejected(`${ref} was not found.`, { code })
  return found
}

/** True if the poll found that the ref does not exist. */
export function isMissingRef(polled: SourceRevision | Error | undefined): boolean {
  return polled instanceof Rejected && polled.code === code
}

/** The tip of a git ref. */
export function refTip({ state, object }: SourceRevision): RefTip {
  const commit = hashDigits(state)
  return { commit, object: object ?? commit }
}
