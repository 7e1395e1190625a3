import { channelName, directionText, type Channel, type Direction, type RefTip } from '../model/sources/channel.js'
import { Refused } from '../model/errors.js'
import { shortRevision } from '../model/sources/revision.js'
import { refuseVetoed } from './same-channels.js'
import type { Context } from '../stacks/context.js'
import { policyOf } from '../stacks/status/status-input.js'

/** A tag of a remote, and its new commit. */
export interface PlannedPromotion {
  readonly remote: string
  readonly tag: string
  /** The tag's commit now; null: the tag does not exist. */
  readonly before: RefTip | null
  readonly commit: string
  /** What the source of the promotion points to now. */
  readonly fromCommit: string
  /** The channels through which stacks follow the tag. */
  readonly channels: readonly Channel[]
}

/**
 * Refuses a commit that the policy of a channel would refuse, because no stack would follow the tag there. A commit
 * that would only wait or need approval may be pushed.
 */
export async function refusePromotion(
  context: Context,
  plan: PlannedPromotion,
  direction: Direction | null,
): Promise<void> {
  const { before, commit } = plan
  for (const channel of plan.channels) {
    const { signedBy, moves } = policyOf(context, channel)
    if (signedBy !== undefined) throw unsigned(channel, signedBy, plan)
    if (moves === 'forward-only' && before !== null && direction !== 'forward')
      throw notForward(channel, plan, direction ?? 'unknown')
    await refuseVetoed(context, channel, commit)
  }
}

function unsigned(channel: Channel, signedBy: readonly string[], { tag, commit }: PlannedPromotion): Refused {
  const signers = signedBy.join(' or ')
  const message = `${channelName(channel)} requires a signature by ${signers}, and gitmoor has no signing key.`
  return new Refused('needs-approval', message, {
    code: 'stacks/unsigned',
    hint: `Sign and move the tag yourself: git tag --force --sign ${tag} ${commit} && git push --force origin ${tag}`,
  })
}

function notForward(channel: Channel, { before, commit }: PlannedPromotion, direction: Direction): Refused {
  const goes = directionText(direction, shortRevision(before?.commit ?? ''))
  const message = `${channelName(channel)} moves only forward, and ${shortRevision(commit)} ${goes}.`
  return new Refused('needs-approval', message, {
    code: 'stacks/not-forward',
    hint: 'Promote a descendant of the current commit, or change `moves` in the configuration file.',
  })
}
