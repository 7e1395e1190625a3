import type { ChannelChange } from '../../../model/sources/channel.js'
import { mayMatchRef, type Notification } from '../../../model/agent/notification.js'
import { hashDigits } from '../../../model/sources/revision.js'
import { isMissingRef } from '../../../source/found-ref.js'
import type { SourceRevision } from '../../../source/source.js'

/** The first notification that reported this revision of the ref. */
export function findNotification(
  notifications: readonly Notification[],
  ref: string,
  revision: SourceRevision | Error,
): Notification | undefined {
  return notifications.find((one) => mayMatchRef(ref, one.ref) && confirms(one, revision))
}

/**
 * The newest commit that webhooks reported for each followed branch. A tag may point to a tag object, and HEAD to
 * another branch.
 */
export function announcedCommits(notifications: readonly Notification[], refs: readonly string[]): readonly string[] {
  const followed = refs.filter((ref) => ref !== 'HEAD')
  const newest = new Map<string, string>()
  for (const { ref = '', commit, hook } of notifications)
    if (hook !== undefined && typeof commit === 'string' && ref.startsWith('refs/heads/'))
      if (followed.some((one) => mayMatchRef(one, ref))) newest.set(ref, commit)
  return [...new Set(newest.values())]
}

/** True if each of these commits is what a ref points to. */
export function areConfirmed(commits: readonly string[], polled: ReadonlyMap<string, SourceRevision | Error>): boolean {
  const found = [...polled.values()]
  return commits.every((commit) => found.some((one) => confirms({ commit }, one)))
}

/** A person's decision about a channel, for the cause of the resulting runs. */
export function decisionNotification({
  channel: { ref },
  decision,
  overrideWindow,
}: ChannelChange): readonly Notification[] {
  if (decision === undefined) return []
  const { kind, by, why, move } = decision
  const done = move === null ? `${past[kind]} ${ref}` : `${past[kind]} move ${move} of ${ref}`
  return [
    {
      ref,
      detectedBy: 'person',
      by,
      note: why === '' ? done : `${done}: ${why}`,
      ...(kind === 'approve' ? {} : { decision: kind }),
      ...(overrideWindow === undefined ? {} : { overrideWindow }),
    },
  ]
}

const past = { veto: 'vetoed', approve: 'approved', pin: 'pinned', unpin: 'unpinned' } as const

/** True if the ref is where the notification says. */
export function confirms({ commit }: Pick<Notification, 'commit'>, polled: SourceRevision | Error): boolean {
  if (commit === undefined) return true
  if (polled instanceof Error) return commit === null && isMissingRef(polled)
  return hashDigits(polled.state) === commit || polled.object === commit
}
