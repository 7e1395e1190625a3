// The commits between two commits of a channel, from its repository.
import { viewCommit } from '../stacks/queries/view-channel.js'
import type { Context } from '../stacks/context.js'
import { linksOf } from '../stacks/queries/commit-links.js'
import { findChannel } from '../stacks/queries/find-channel.js'
import type { CommitRangeView } from '../views/commit.js'

/** 40 hex digits each. The commits of `to` without those of `from`. */
export interface CommitsRequest {
  readonly channel: string
  readonly from: string
  readonly to: string
  readonly limit?: number
}

/** Errors: `Refused` not-found, if there is no such channel; those of the repository. */
export async function listCommits(
  context: Context,
  { channel, from, to, limit = 50 }: CommitsRequest,
  signal: AbortSignal,
): Promise<CommitRangeView> {
  const { remote } = await findChannel(context, channel)
  const { commits, more } = await context.sync.tips.commitsBetween(remote, { from, to, most: limit }, signal)
  return { items: commits.map(viewCommit), more, ...linksOf(context, remote) }
}
