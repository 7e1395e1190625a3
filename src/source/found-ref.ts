// What a look saw of one ref.
import type { RefTip } from '../model/channel.js'
import { Rejected } from '../model/errors.js'
import { hashDigits } from '../model/revision.js'
import type { SourceRevision } from './source.js'

const code = 'source/ref-missing'

/** Throws what stands in its place where it was not seen. */
export function foundRef(polled: ReadonlyMap<string, SourceRevision | Error>, ref: string): SourceRevision {
  const seen = polled.get(ref)
  if (seen === undefined || seen instanceof Error) throw seen ?? new Rejected(`${ref} was not found.`, { code })
  return seen
}

/** It was seen that the ref is not there. */
export function isMissingRef(seen: SourceRevision | Error | undefined): boolean {
  return seen instanceof Rejected && seen.code === code
}

/** Of a ref of git. */
export function refTip({ state, object }: SourceRevision): RefTip {
  const commit = hashDigits(state)
  return { commit, object: object ?? commit }
}
