// The channels that stacks follow, how they moved, and what a person decides about them.
import { nextText } from '../../model/blocker.js'
import type { Channel, ChannelChange, ChannelMove, Decision } from '../../model/channel.js'
import { Refused, Stopped } from '../../model/errors.js'
import { sourceRevisions, revisionHash } from '../../model/revision.js'
import { sourceRef } from '../../model/source-spec.js'
import type { Run } from '../../model/run.js'
import type { Stack } from '../../model/stack.js'
import { approveMove, pinChannel, unpinChannel, vetoMove } from '../../channel/decide-channel.js'
import { findChannel, findMove, channelName } from './find-channel.js'
import { channelBlocker } from '../../channel/blocked-move.js'
import type { Desk } from '../desk.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { everyStack } from '../every-stack.js'
import { pinTarget } from './pin-target.js'
import { sameChannels } from './same-channels.js'
import type { Paging, Verbs } from '../verbs.js'
import { vetoedCode } from '../pins/vetoes.js'
import { viewChannel, viewDecision, viewMove } from './view-channel.js'
import type { Page } from '../../views/page.js'
import type { ChannelView, DecisionView, MoveView } from '../../views/channel.js'

type DecisionReason = { readonly why: string; readonly by: string }

export class ChannelVerbs implements Pick<
  Verbs,
  'channels' | 'moves' | 'decisions' | 'vetoMove' | 'approveMove' | 'pinChannel' | 'unpinChannel'
> {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async channels({ limit = 100, after }: Paging): Promise<Page<ChannelView>> {
    const channels = await this.#desk.store.channels.list({ limit, ...(after === undefined ? {} : { after }) })
    const followers = await this.#followers()
    const items = channels.map((channel) => this.#view(channel, followers))
    return { items, next: channels.length < limit ? null : (items.at(-1)?.name ?? null) }
  }

  async moves(channel: string, { limit = 100, after }: Paging): Promise<Page<MoveView>> {
    const { remote, ref } = await findChannel(channel, this.#desk.store)
    const moves = await this.#desk.store.channels.moves(remote, ref, {
      limit,
      ...(after === undefined ? {} : { after }),
    })
    return { items: moves.map(viewMove), next: moves.length < limit ? null : (moves.at(-1)?.id ?? null) }
  }

  async decisions(channel: string, { limit = 100, after }: Paging): Promise<Page<DecisionView>> {
    const { remote, ref } = await findChannel(channel, this.#desk.store)
    const rows = await this.#desk.store.channels.decisions(remote, ref, {
      limit,
      ...(after === undefined ? {} : { after }),
    })
    return { items: rows.map(viewDecision), next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
  }

  /** The veto counts at once; the way back waits for the windows of each stack, unless that is overridden. */
  async vetoMove(id: string, { overrideWindow, ...asked }: DecisionReason & WindowOverrideOptions): Promise<MoveView> {
    const { store, dispatch } = this.#desk
    const move = await findMove(id, store)
    const others = await sameChannels(move, this.#desk)
    for (const other of others) refusePinned(other, move)
    const decide = async (channel: Channel): Promise<ChannelChange> => {
      const now = await findMove(id, store)
      refuseVeto(channel, now)
      return this.#veto(channel, now, asked, overrideWindow)
    }
    await dispatch.polls.decide(move.remote, { ref: move.ref, decide })
    await this.#stopRunsAt(move, asked.by)
    for (const { remote, ref } of others) {
      const decideAlike = (channel: Channel): Promise<ChannelChange> =>
        this.#vetoAlike(channel, move, asked, overrideWindow)
      await dispatch.polls.decide(remote, { ref, decide: decideAlike })
      await this.#stopRunsAt({ ...move, remote, ref }, asked.by)
    }
    return viewMove(await findMove(id, store))
  }

  async #veto(
    channel: Channel,
    move: ChannelMove,
    asked: DecisionReason,
    overrideWindow: string | undefined,
  ): Promise<ChannelChange> {
    const before = await this.#desk.store.channels.releasedBefore(move)
    const change = vetoMove(channel, move, this.#decision('veto', asked), before)
    return overrideWindow === undefined ? change : { ...change, overrideWindow }
  }

  /** A channel of the same ref by another spelling, if stacks are at the vetoed commit there, or may come to it. */
  async #vetoAlike(
    channel: Channel,
    { to }: ChannelMove,
    asked: DecisionReason,
    overrideWindow: string | undefined,
  ): Promise<ChannelChange> {
    const alike = [channel.released, channel.move].find((one) => one?.to?.commit === to?.commit)
    const isNew = alike != null && (alike.state !== 'vetoed' || channel.released === alike)
    return isNew ? this.#veto(channel, alike, asked, overrideWindow) : { channel, moves: [] }
  }

  async approveMove(id: string, asked: DecisionReason): Promise<MoveView> {
    const { store, dispatch } = this.#desk
    const before = await findMove(id, store)
    const others = before.state === 'vetoed' ? await sameChannels(before, this.#desk) : []
    const decide = async (channel: Channel): Promise<ChannelChange> => {
      const move = await findMove(id, store)
      this.#refuseApproval(channel, move)
      return approveMove(channel, move, this.#decision('approve', asked))
    }
    await dispatch.polls.decide(before.remote, { ref: before.ref, decide })
    const approved = await findMove(id, store)
    await this.#runAgain(approved, asked.by)
    for (const { remote, ref } of others) {
      await dispatch.polls.decide(remote, {
        ref,
        decide: async (channel) => this.#endVetoAlike(channel, before, asked),
      })
      await this.#runAgain({ ...approved, remote, ref }, asked.by)
    }
    return viewMove(approved)
  }

  #endVetoAlike(channel: Channel, { to }: ChannelMove, asked: DecisionReason): ChannelChange {
    const { move } = channel
    if (move?.state !== 'vetoed' || move.to?.commit !== to?.commit) return { channel, moves: [] }
    return approveMove(channel, move, this.#decision('approve', asked))
  }

  async pinChannel(
    name: string,
    { at, ...asked }: DecisionReason & { readonly at?: string },
    signal: AbortSignal,
  ): Promise<ChannelView> {
    const channel = await findChannel(name, this.#desk.store)
    const place = await pinTarget(channel, at, this.#desk, signal)
    const decide = async (now: Channel): Promise<ReturnType<typeof pinChannel>> =>
      pinChannel(now, place, this.#decision('pin', asked))
    await this.#desk.dispatch.polls.decide(channel.remote, { ref: channel.ref, decide })
    return this.#viewOf(channel)
  }

  async unpinChannel(name: string, asked: DecisionReason): Promise<ChannelView> {
    const channel = await findChannel(name, this.#desk.store)
    const decide = async (now: Channel): Promise<ReturnType<typeof unpinChannel>> => {
      if (now.pin === null) throw new Refused('conflict', `${channelName(now)} is not pinned.`)
      return unpinChannel(now, this.#decision('unpin', asked))
    }
    await this.#desk.dispatch.polls.decide(channel.remote, { ref: channel.ref, decide })
    return this.#viewOf(channel)
  }

  #decision(kind: Decision['kind'], { by, why }: DecisionReason): Decision {
    return { kind, by, why, at: this.#desk.clock.now() }
  }

  #refuseApproval(channel: Channel, move: ChannelMove): void {
    refuseOld(channel, move)
    if (move.state === 'released') throw new Refused('conflict', `Move ${move.id} is released already.`)
    if (move.state !== 'refused' && channel.pin === null) return
    const hold = channelBlocker(channel, this.#desk.policyOf(channel))
    throw new Refused('needs-approval', `An approval does not release it. ${hold?.message ?? ''}`, {
      code: 'stacks/not-approvable',
      hint: hold === undefined ? `See it: gitmoor channel log ${channelName(channel)}` : nextText(hold.next),
    })
  }

  /** What is in hand for a vetoed commit ends, also where nothing else takes its place. */
  async #stopRunsAt({ to, remote, ref }: ChannelMove, by: string): Promise<void> {
    for await (const stack of everyStack(this.#desk.store)) {
      if (stack.pinned !== null || !this.#channelsOf(stack).includes(channelName({ remote, ref }))) continue
      const runs = await this.#desk.store.runs.unfinished(stack.id)
      const inHand = runs.find((run) => this.#desk.dispatch.live.phaseOf(run) !== undefined)
      const isAt =
        inHand !== undefined &&
        sourceRevisions(inHand.revision).some((part) => revisionHash(part) === `sha1:${to?.commit ?? ''}`)
      if (!isAt) continue
      await this.#desk.dispatch.runs.stop(stack.id, new Stopped('superseded', `${by} vetoed it.`))
      await this.#recover(stack, inHand, by)
    }
  }

  /** What the run left half-done is undone, where no other run goes on from it. */
  async #recover(stack: Stack, { id, revision }: Run, by: string): Promise<void> {
    const { runs, journal } = this.#desk.store
    if ((await journal.openEntries(stack.id)).length === 0 || (await runs.unfinished(stack.id)).length > 0) return
    await this.#desk.queue(stack, { revision, cause: { kind: 'recovery', by, note: `run ${id} was vetoed` } })
  }

  /** Stacks that had stopped at a veto, and observed nothing else since, do not see anything new now. */
  async #runAgain({ remote, ref, state }: ChannelMove, by: string): Promise<void> {
    if (state !== 'released') return
    for await (const stack of everyStack(this.#desk.store)) {
      if (stack.failure?.code !== vetoedCode || stack.observed === null) continue
      if (!this.#channelsOf(stack).includes(channelName({ remote, ref }))) continue
      await this.#desk.queue(stack, {
        revision: stack.observed.revision,
        cause: { kind: 'person', by, note: 'the veto ended' },
      })
    }
  }

  async #viewOf({ remote, ref }: Channel): Promise<ChannelView> {
    const channel = (await this.#desk.store.channels.of(remote)).get(ref)!
    return this.#view(channel, await this.#followers())
  }

  #view(channel: Channel, followers: ReadonlyMap<string, readonly string[]>): ChannelView {
    return viewChannel(channel, this.#desk.policyOf(channel), followers.get(channelName(channel)) ?? [])
  }

  async #followers(): Promise<ReadonlyMap<string, string[]>> {
    const followers = new Map<string, string[]>()
    for await (const stack of everyStack(this.#desk.store))
      for (const name of new Set(this.#channelsOf(stack)))
        followers.set(name, [...(followers.get(name) ?? []), stack.spec.name])
    return followers
  }

  #channelsOf({ spec }: Stack): readonly string[] {
    return spec.sources
      .filter(({ kind }) => kind === 'git')
      .map((one) => channelName({ remote: this.#desk.remoteOf(one, spec.name), ref: sourceRef(one) }))
  }
}

/** Only what is released, or may be, can be vetoed. */
function refuseVeto(channel: Channel, move: ChannelMove): void {
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

function refuseOld(channel: Channel, { id, state }: ChannelMove): void {
  if (channel.move?.id === id) return
  const newest = channel.move === null ? '' : ` since move ${channel.move.id}`
  throw new Refused(
    'conflict',
    `Move ${id} is ${state}: ${channelName(channel)} leads elsewhere${newest}, and nothing follows it any more.`,
    {
      hint: `See its moves: gitmoor channel log ${channelName(channel)}`,
    },
  )
}
