import type { ChannelChange } from '../../model/channel.js'
import { mayMean, type Hint } from '../../model/hint.js'
import { digitsOf } from '../../model/revision.js'
import { isMissing } from '../../source/seen-ref.js'
import type { Resolved } from '../../source/source.js'

/** The first of these that tells of a ref being where it was seen now. */
export function toldBy(hints: readonly Hint[], ref: string, seen: Resolved | Error): Hint | undefined {
  return hints.find((hint) => mayMean(ref, hint.ref) && isAt(hint, seen))
}

/** What a person decided about a channel, as the cause of what follows. */
export function decidedHint({ channel: { ref }, decision, overrideWindow }: ChannelChange): readonly Hint[] {
  if (decision === undefined) return []
  const { kind, by, why, move } = decision
  const what = move === null ? `${past[kind]} ${ref}` : `${past[kind]} move ${move} of ${ref}`
  return [
    {
      ref,
      learnt: 'person',
      by,
      note: why === '' ? what : `${what}: ${why}`,
      ...(overrideWindow === undefined ? {} : { overrideWindow }),
    },
  ]
}

const past = { veto: 'vetoed', approve: 'approved', pin: 'pinned', unpin: 'unpinned' } as const

/** A ref is where a hint says. */
export function isAt({ commit }: Hint, seen: Resolved | Error): boolean {
  if (commit === undefined) return true
  if (seen instanceof Error) return commit === null && isMissing(seen)
  return digitsOf(seen.state) === commit || seen.object === commit
}
