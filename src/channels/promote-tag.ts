// Moves a tag to the commit of another ref. The preview comes first; the push then expects what the preview showed.
// Both poll the repository, by one request for both refs. The policies of the tag's channels apply before the push.
import type { RefTip } from '../model/sources/channel.js'
import { Refused, SyncError, Unavailable } from '../model/errors.js'
import { refProblem } from '../model/sources/ref.js'
import { isMissingRef, foundRef, refTip } from '../source/found-ref.js'
import { shortRevision } from '../model/sources/revision.js'
import type { Stack } from '../model/stacks/stack.js'
import type { SourceRevision } from '../source/source.js'
import type { Context } from '../stacks/context.js'
import { canonicalName } from '../stacks/queries/find-channel.js'
import { linksOf } from '../stacks/queries/commit-links.js'
import { followersOf, planFollowers } from './followers.js'
import { blockersAt, movedStacks, runsAt } from './moved-stacks.js'
import { promotionRemote } from './promotion-remote.js'
import { refusePromotion, type PlannedPromotion } from './refuse-promotion.js'
import type { PromotedView, PromotionView } from '../views/channel.js'

/**
 * `from`: a channel (its released commit), a tag, a branch or a commit of 40 digits. `to`: a tag. One of them must be a
 * channel: it gives the remote.
 */
export interface PromotionRequest {
  readonly from: string
  readonly to: string
}

/** `expects`: what the preview showed. If that has changed, nothing is pushed. */
export interface PromotionConfirmation {
  readonly why: string
  readonly by: string
  readonly expects?: { readonly commit: string; readonly object: string | null }
}

/** `followers`: the stacks that follow the tag. */
export interface PreparedPromotion {
  readonly plan: PlannedPromotion
  readonly view: PromotionView
  readonly followers: readonly Stack[]
}

/** `plans`: plans the stacks that follow the tag, unless it is there already. */
export async function previewPromotion(
  context: Context,
  request: PromotionRequest,
  { plans }: { readonly plans: boolean },
  signal: AbortSignal,
): Promise<PromotionView> {
  const { plan, view, followers } = await preparePromotion(context, request, signal)
  if (!plans || plan.before?.commit === plan.commit) return view
  return { ...view, plans: await planFollowers(context, followers, plan, signal) }
}

export async function promoteTag(
  context: Context,
  request: PromotionRequest,
  { why, by, expects }: PromotionConfirmation,
  signal: AbortSignal,
): Promise<PromotedView> {
  const { plan, view, followers } = await preparePromotion(context, request, signal, expects)
  const { remote, tag, before, commit } = plan
  if (before?.commit === commit) return { ...view, object: before.object, moved: [], blockers: [], already: true }
  const note = promotionNote(request, why, before)
  const began = context.clock.now()
  const { object } = await context.sync.tips.promote(remote, { tag, expected: before, commit, by, note }, signal)
  const notification = {
    ref: `refs/tags/${tag}`,
    commit: object,
    detectedBy: 'promote',
    by,
    note: why,
  } as const
  const isFollowed = plan.channels.some((channel) => channel.remote === remote)
  if (isFollowed) await context.scheduler.polls.notify(remote, notification)
  const runs = await runsAt(context, followers, commit, began)
  return { ...view, object, moved: await movedStacks(context, runs), blockers: await blockersAt(context, plan) }
}

/** Polls the repository, and checks the policies of the channels. Errors: those of the promotion. */
export async function preparePromotion(
  context: Context,
  request: PromotionRequest,
  signal: AbortSignal,
  expects?: PromotionConfirmation['expects'],
): Promise<PreparedPromotion> {
  const plan = await planPromotion(context, request, signal)
  const { remote, tag, before, commit, fromCommit, channels } = plan
  if (expects !== undefined) refuseStale(request, plan, expects)
  const isMoved = before !== null && before.commit !== commit
  const direction = isMoved
    ? await context.sync.tips.direction(remote, { from: before.commit, to: commit }, signal)
    : null
  if (before?.commit !== commit) await refusePromotion(context, plan, direction)
  const followers = await followersOf(context, channels)
  const stacks = followers.map(({ spec }) => spec.name)
  const links = linksOf(context, remote)
  return {
    plan,
    view: { remote, ...links, tag, from: request.from, fromCommit, before, commit, direction, stacks },
    followers,
  }
}

async function planPromotion(
  context: Context,
  request: PromotionRequest,
  signal: AbortSignal,
): Promise<PlannedPromotion> {
  const remote = await promotionRemote(context, request)
  const [from, to] = [shortName(canonicalName(request.from), remote), shortName(canonicalName(request.to), remote)]
  const tag = tagNamed(to)
  const [ref, branch] = [`refs/tags/${tag}`, `refs/heads/${tag}`]
  const remotes = [remote, ...context.scheduler.channels.otherAddresses(remote)]
  const byAddress = await Promise.all(remotes.map((one) => context.store.channels.of(one)))
  const channel = byAddress[0]!.get(from)
  const polled = await pollRefs(context, remote, [ref, branch, from], signal)
  if (tipAt(polled, branch) !== null) throw notATag(to)
  const released =
    channel === undefined
      ? polled
      : await context.scheduler.polls.released(remote, new Map([[from, polled.get(from)!]]), signal)
  const { commit } = refTip(foundRef(released, from))
  return {
    remote,
    tag,
    before: tipAt(polled, ref),
    commit,
    fromCommit: tipAt(polled, from)?.commit ?? commit,
    channels: byAddress.flatMap((channels) => [tag, ref].flatMap((one) => channels.get(one) ?? [])),
  }
}

/** What was polled before may be outdated: without a poll now, nothing is promoted. */
async function pollRefs(
  context: Context,
  remote: string,
  refs: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SourceRevision | Error>> {
  try {
    return await context.sync.source.poll(remote, refs, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof SyncError)) throw error
    throw notPolled(error)
  }
}

/** Without the remote before it. */
function shortName(name: string, remote: string): string {
  if (name.startsWith(`${remote}#`)) return name.slice(remote.length + 1)
  if (!name.includes('#')) return name
  throw new Refused('usage', `${name} does not belong to ${remote}. Promote within one repository.`)
}

/** The short name of a tag. A poll then shows whether a branch has the same name. */
function tagNamed(ref: string): string {
  const tag = ref.replace(/^refs\/tags\//, '')
  const isNone =
    tag.startsWith('refs/') ||
    tag === 'HEAD' ||
    /^[0-9a-f]{40}$/i.test(tag) ||
    refProblem(`refs/tags/${tag}`) !== undefined
  if (isNone || tag.startsWith('-')) throw notATag(ref)
  return tag
}

function tipAt(polled: ReadonlyMap<string, SourceRevision | Error>, ref: string): RefTip | null {
  return isMissingRef(polled.get(ref)) ? null : refTip(foundRef(polled, ref))
}

function notATag(ref: string): Refused {
  return new Refused('usage', `${ref} is not a tag. Only tags can be promoted.`, {
    hint: 'Use a tag, or a channel that follows one. To move a branch, merge and push.',
  })
}

function notPolled(cause: SyncError): Refused {
  const { message, code, hint } = cause
  const again = 'Check that the agent reaches the repository, then promote again.'
  return new Refused('source', `Nothing was promoted, because the poll before it failed: ${message}`, {
    code,
    hint: cause instanceof Unavailable || hint === undefined ? again : hint,
    cause,
  })
}

/** Only what the preview showed is promoted. */
function refuseStale(
  { from, to }: PromotionRequest,
  { commit, before }: PlannedPromotion,
  expects: NonNullable<PromotionConfirmation['expects']>,
): void {
  const object = before?.object ?? null
  if (expects.commit === commit && expects.object === object) return
  const moved =
    expects.commit === commit
      ? `${to} was changed`
      : `${from} moved from ${shortRevision(expects.commit)} to ${shortRevision(commit)}`
  throw new Refused('stale', `Nothing was promoted: ${moved} since the preview.`, {
    code: 'stacks/stale-promotion',
    hint: 'Promote again, and review the new preview.',
  })
}

/** The message of the new tag. The reason comes first. */
function promotionNote({ from }: PromotionRequest, why: string, before: RefTip | null): string {
  const former = before === null ? 'The tag is new.' : `It pointed to ${before.commit} before.`
  return `${why}\n\nPromoted from ${from}. ${former}`
}
