// The stacks that a decision about a channel, or a promotion, moves to another revision.
import { compareText } from '../lib/text/compare-text.js'
import { revisionHash, sourceRevisions } from '../model/sources/revision.js'
import type { Run } from '../model/stacks/run.js'
import { isUndeclared, type Stack } from '../model/stacks/stack.js'
import type { Context } from '../stacks/context.js'
import { versionsOf } from '../stacks/queries/channel-facts.js'
import { viewChannel } from '../stacks/queries/view-channel.js'
import { policyOf } from '../stacks/status/status-input.js'
import type { MovedStackView } from '../views/channel.js'
import type { BlockerView } from '../views/status.js'
import type { PlannedPromotion } from './refuse-promotion.js'

/**
 * The stacks of these runs, by name, each with the newest of them. A stack that its owner no longer declares stays as
 * it is.
 */
export async function movedStacks(context: Context, runs: readonly Run[]): Promise<readonly MovedStackView[]> {
  const newest = new Map(runs.map((run) => [run.stack, run]))
  const stacks = (await context.store.stacks.many([...newest.keys()])).filter((stack) => !isUndeclared(stack))
  const found = stacks.map((stack) => ({ stack, run: newest.get(stack.id)! }))
  const versions = await versionsOf(
    context,
    found.map(({ stack, run: { revision } }) => ({ stack, revisions: [revision] })),
  )
  const moved = found.map(({ stack: { spec, suspended }, run: { id, revision } }, at) => ({
    stack: spec.name,
    run: id,
    revision,
    ...versions[at],
    ...(suspended === null ? {} : { suspended: true as const }),
  }))
  return moved.sort((a, b) => compareText(a.stack, b.stack))
}

/** The runs of the stacks at the commit. A webhook may have reported the tag first, so the poll here found nothing. */
export async function runsAt(
  { store }: Context,
  stacks: readonly Stack[],
  commit: string,
  since: number,
): Promise<readonly Run[]> {
  const last = await store.runs.last(stacks.map(({ id }) => id))
  return [...last.values()].filter(
    ({ revision, finishedAt }) =>
      (finishedAt === null || finishedAt >= since) &&
      sourceRevisions(revision).some((one) => revisionHash(one) === `sha1:${commit}`),
  )
}

/** Why the stacks that follow a promoted tag do not follow its new commit yet. */
export async function blockersAt(
  context: Context,
  { remote, commit, channels }: PlannedPromotion,
): Promise<readonly BlockerView[]> {
  const stored = await context.store.channels.of(remote)
  const followed = channels.flatMap(({ ref }) => stored.get(ref) ?? [])
  const moved = followed.filter(({ tip, pin }) => tip?.commit === commit && pin?.commit !== commit)
  return moved.flatMap((channel) => viewChannel(channel, policyOf(context, channel), []).blocker ?? [])
}
