// What a look saw of one ref.
import type { Tip } from '../model/channel.js'
import { Rejected } from '../model/errors.js'
import { digitsOf } from '../model/revision.js'
import type { Resolved } from './source.js'

const code = 'source/ref-missing'

/** Throws what stands in its place where it was not seen. */
export function seenRef(looked: ReadonlyMap<string, Resolved | Error>, ref: string): Resolved {
  const seen = looked.get(ref)
  if (seen === undefined || seen instanceof Error) throw seen ?? new Rejected(`${ref} was not found.`, { code })
  return seen
}

/** It was seen that the ref is not there. */
export function isMissing(seen: Resolved | Error | undefined): boolean {
  return seen instanceof Rejected && seen.code === code
}

/** Of a ref of git. */
export function tipOf({ state, object }: Resolved): Tip {
  const commit = digitsOf(state)
  return { commit, object: object ?? commit }
}
