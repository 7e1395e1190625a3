import type { ChannelChange } from '../../model/channel.js'
import { mayMatchRef, type Notification } from '../../model/notification.js'
import { hashDigits } from '../../model/revision.js'
import { isMissingRef } from '../../source/found-ref.js'
import type { SourceRevision } from '../../source/source.js'

/** The first of these that tells of a ref being where it was seen now. */
export function findNotification(
  hints: readonly Notification[],
  ref: string,
  seen: SourceRevision | Error,
): Notification | undefined {
  return hints.find((hint) => mayMatchRef(ref, hint.ref) && confirms(hint, seen))
}

/** What a person decided about a channel, as the cause of what follows. */
export function decisionNotification({
  channel: { ref },
  decision,
  overrideWindow,
}: ChannelChange): readonly Notification[] {
  if (decision === undefined) return []
  const { kind, by, why, move } = decision
  const what = move === null ? `${past[kind]} ${ref}` : `${past[kind]} move ${move} of ${ref}`
  return [
    {
      ref,
      detectedBy: 'person',
      by,
      note: why === '' ? what : `${what}: ${why}`,
      ...(overrideWindow === undefined ? {} : { overrideWindow }),
    },
  ]
}

const past = { veto: 'vetoed', approve: 'approved', pin: 'pinned', unpin: 'unpinned' } as const

/** A ref is where a hint says. */
export function confirms({ commit }: Notification, seen: SourceRevision | Error): boolean {
  if (commit === undefined) return true
  if (seen instanceof Error) return commit === null && isMissingRef(seen)
  return hashDigits(seen.state) === commit || seen.object === commit
}
