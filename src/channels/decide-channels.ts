// Decisions of people about channels: vetoes, approvals, pins.
import { channelBlocker } from '../channel/blocked-move.js'
import {
  approveMove as withApproval,
  pinChannel as withPin,
  unpinChannel as withoutPin,
  vetoMove as withVeto,
} from '../channel/decide-channel.js'
import { hintOf } from '../model/stacks/blocker.js'
import {
  type Channel,
  type ChannelChange,
  type ChannelMove,
  type Decision,
  channelName,
} from '../model/sources/channel.js'
import { Refused, Stopped } from '../model/errors.js'
import { revisionHash, sourceRevisions } from '../model/sources/revision.js'
import type { Run } from '../model/stacks/run.js'
import type { Stack } from '../model/stacks/stack.js'
import type { DecidedChannelView, DecidedMoveView } from '../views/channel.js'
import type { Context } from '../stacks/context.js'
import { everyStack } from '../stacks/stacks.js'
import { queueRun } from '../stacks/runs/request-run.js'
import type { WindowOverrideOptions } from '../status/run-blockers.js'
import { policyOf } from '../stacks/status/status-input.js'
import { followedChannels, viewStoredChannel } from './channels.js'
import { findChannel, findMove } from '../stacks/queries/find-channel.js'
import { vetoEffect } from './followers.js'
import { pinTarget } from './pin-target.js'
import { refuseVetoed, sameChannels } from './same-channels.js'
import { viewMove } from '../stacks/queries/view-channel.js'
import { movedStacks } from './moved-stacks.js'

type DecisionReason = { readonly why: string; readonly by: string }

/**
 * Vetoes the commit of a move, for all channels of the same ref. Runs at this commit stop. The rollback of each stack
 * waits for its windows, unless the request overrides them.
 */
export async function vetoMove(
  context: Context,
  id: string,
  { overrideWindow, ...reason }: DecisionReason & WindowOverrideOptions,
): Promise<DecidedMoveView> {
  const { scheduler } = context
  const move = await findMove(context, id)
  const others = await sameChannels(context, move)
  for (const other of others) refusePinned(other, move)
  const { commit, stacks } = await vetoEffect(context, move)
  const decide = async (channel: Channel): Promise<ChannelChange> => {
    const now = await findMove(context, id)
    refuseVeto(channel, now)
    return vetoed(context, channel, now, reason, overrideWindow)
  }
  const runs = [...(await scheduler.polls.decide(move.remote, { ref: move.ref, decide }))]
  await stopRunsAt(context, move, reason.by)
  for (const { remote, ref } of others) {
    const decideOther = async (channel: Channel): Promise<ChannelChange> => {
      refusePinned(channel, move)
      return vetoOther(context, channel, move, reason, overrideWindow)
    }
    runs.push(...(await scheduler.polls.decide(remote, { ref, decide: decideOther })))
    await stopRunsAt(context, { ...move, remote, ref }, reason.by)
  }
  const moved = await movedStacks(context, runs)
  const stay = commit === null && stacks.length > 0 && moved.length === 0 ? { stay: stacks } : {}
  return { ...viewMove(await findMove(context, id)), moved, ...stay }
}

async function vetoed(
  context: Context,
  channel: Channel,
  move: ChannelMove,
  reason: DecisionReason,
  overrideWindow: string | undefined,
): Promise<ChannelChange> {
  const before = await context.store.channels.releasedBefore(move)
  const change = withVeto(channel, move, decision(context, 'veto', reason), before)
  return overrideWindow === undefined ? change : { ...change, overrideWindow }
}

/** The veto for a channel of the same ref at another address, if stacks follow the commit there, or may do so later. */
async function vetoOther(
  context: Context,
  channel: Channel,
  { to }: ChannelMove,
  reason: DecisionReason,
  overrideWindow: string | undefined,
): Promise<ChannelChange> {
  const same = [channel.released, channel.move].find((one) => one?.to?.commit === to?.commit)
  const isNew = same != null && (same.state !== 'vetoed' || channel.released === same)
  return isNew ? vetoed(context, channel, same, reason, overrideWindow) : { channel, moves: [] }
}

/** Releases a blocked move, or ends a veto. An approval does not replace a signature. */
export async function approveMove(context: Context, id: string, reason: DecisionReason): Promise<DecidedMoveView> {
  const { scheduler } = context
  const before = await findMove(context, id)
  const others = before.state === 'vetoed' ? await sameChannels(context, before) : []
  const decide = async (channel: Channel): Promise<ChannelChange> => {
    const move = await findMove(context, id)
    refuseApproval(context, channel, move)
    return withApproval(channel, move, decision(context, 'approve', reason))
  }
  const accept = (channel: Channel): void => refuseRefused(context, channel, before)
  const runs = [...(await scheduler.polls.decide(before.remote, { ref: before.ref, decide, accept }))]
  for (const { remote, ref } of others) {
    const decideOther = async (channel: Channel): Promise<ChannelChange> =>
      endOtherVeto(context, channel, before, reason)
    runs.push(...(await scheduler.polls.decide(remote, { ref, decide: decideOther })))
  }
  return { ...viewMove(await findMove(context, id)), moved: await movedStacks(context, runs) }
}

function endOtherVeto(context: Context, channel: Channel, { to }: ChannelMove, reason: DecisionReason): ChannelChange {
  const vetoed = sameVeto(channel, to)
  if (vetoed === undefined) return { channel, moves: [] }
  return withApproval(channel, vetoed, decision(context, 'approve', reason))
}

/** The newest move of the channel, if it is vetoed and goes to the same commit. */
export function sameVeto({ move }: Channel, to: ChannelMove['to']): ChannelMove | undefined {
  return move?.state === 'vetoed' && move.to?.commit === to?.commit ? move : undefined
}

/** Keeps all followers of the channel at its released commit, or at the move or commit `at`. */
export async function pinChannel(
  context: Context,
  name: string,
  { at, ...reason }: DecisionReason & { readonly at?: string },
  signal: AbortSignal,
): Promise<DecidedChannelView> {
  const channel = await findChannel(context, name)
  const place = await pinTarget(context, channel, at, signal)
  const decide = async (now: Channel): Promise<ChannelChange> => {
    await refuseVetoed(context, now, place.commit) // a veto may have come meanwhile
    return withPin(now, place, decision(context, 'pin', reason))
  }
  const runs = await context.scheduler.polls.decide(channel.remote, { ref: channel.ref, decide })
  return { ...(await viewStoredChannel(context, channel)), moved: await movedStacks(context, runs) }
}

export async function unpinChannel(
  context: Context,
  name: string,
  reason: DecisionReason,
): Promise<DecidedChannelView> {
  const channel = await findChannel(context, name)
  const decide = async (now: Channel): Promise<ChannelChange> => {
    refuseUnpinned(now)
    return withoutPin(now, decision(context, 'unpin', reason))
  }
  const runs = await context.scheduler.polls.decide(channel.remote, { ref: channel.ref, decide })
  return { ...(await viewStoredChannel(context, channel)), moved: await movedStacks(context, runs) }
}

/** The pin of the channel. Errors: `Refused` conflict: it has none. */
export function refuseUnpinned(channel: Channel): NonNullable<Channel['pin']> {
  if (channel.pin === null) throw new Refused('conflict', `${channelName(channel)} is not pinned.`)
  return channel.pin
}

function decision(context: Context, kind: Decision['kind'], { by, why }: DecisionReason): Decision {
  return { kind, by, why, at: context.clock.now() }
}

/** Refuses the approval of an older move, of a released or refused one, and of any move while its channel is pinned. */
export function refuseApproval(context: Context, channel: Channel, move: ChannelMove): void {
  refuseOld(channel, move)
  if (move.state === 'released') throw new Refused('conflict', `Move ${move.id} is released already.`)
  refuseRefused(context, channel, move)
  if (channel.pin !== null) throw notApprovable(context, channel)
}

/** The policy refuses a move even if a person approves it, so a veto of it stays, too. */
export function refuseRefused(context: Context, channel: Channel, { id }: ChannelMove): void {
  const { move } = channel
  if (move?.id === id && move.state === 'refused') throw notApprovable(context, channel)
}

function notApprovable(context: Context, channel: Channel): Refused {
  const blocker = channelBlocker(channel, policyOf(context, channel))
  return new Refused('needs-approval', `An approval does not release the move. ${blocker?.message ?? ''}`, {
    code: 'stacks/not-approvable',
    hint: blocker === undefined ? `See the move: gitmoor channel log ${channelName(channel)}` : hintOf(blocker.next),
  })
}

/**
 * Stops runs in progress that apply the vetoed commit, even if no other run replaces them; but not those of stacks that
 * a person rolled back to it.
 */
async function stopRunsAt(context: Context, { to, remote, ref }: ChannelMove, by: string): Promise<void> {
  const isVetoed = (revision: string): boolean =>
    sourceRevisions(revision).some((one) => revisionHash(one) === `sha1:${to?.commit ?? ''}`)
  for await (const stack of everyStack(context.store)) {
    if (stack.pinned !== null && isVetoed(stack.pinned.revision)) continue
    if (!followedChannels(context, stack).includes(channelName({ remote, ref }))) continue
    const runs = await context.store.runs.unfinished(stack.id)
    const inProgress = runs.find((run) => context.scheduler.live.phaseOf(run) !== undefined)
    if (inProgress === undefined || !isVetoed(inProgress.revision)) continue
    await context.scheduler.runs.stop(stack.id, new Stopped('superseded', `${by} vetoed the commit.`))
    await recover(context, stack, inProgress, by)
  }
}

/** Queues a recovery from a stopped run, if no other run does it. */
async function recover(context: Context, stack: Stack, { id, revision }: Run, by: string): Promise<void> {
  const { runs, journal } = context.store
  if (!(await journal.isOpen(stack.id)) || (await runs.unfinished(stack.id)).length > 0) return
  await queueRun(context, stack, { revision, cause: { kind: 'recovery', by, note: `run ${id} was vetoed` } })
}

/** Only a move that is released, or may be released, can be vetoed. */
export function refuseVeto(channel: Channel, move: ChannelMove): void {
  if (move.state === 'vetoed')
    throw new Refused('conflict', `Move ${move.id} is vetoed already, by ${move.decision?.by ?? 'a person'}.`)
  if (channel.released?.id !== move.id) refuseOld(channel, move)
  refusePinned(channel, move)
}

function refusePinned(channel: Channel, move: ChannelMove): void {
  if (channel.pin?.commit === move.to?.commit)
    throw new Refused(
      'conflict',
      `${channelName(channel)} is pinned at that commit by ${channel.pin?.by ?? 'a person'}.`,
      {
        hint: `Unpin it first: gitmoor channel unpin ${channelName(channel)}`,
      },
    )
}

function refuseOld(channel: Channel, { id }: ChannelMove): void {
  if (channel.move?.id === id) return
  const newest = channel.move === null ? '' : ` since move ${channel.move.id}`
  throw new Refused(
    'conflict',
    `Move ${id} is not the newest: ${channelName(channel)} points to another commit${newest}.`,
    {
      hint: `List its moves: gitmoor channel log ${channelName(channel)}`,
    },
  )
}
