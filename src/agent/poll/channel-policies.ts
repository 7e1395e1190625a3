// Between a look and the stacks: of what is seen of a channel, stacks are offered what is released. What a policy has
// to be told first is asked here.
import {
  followedTip,
  type Channel,
  type ChannelChange,
  type ChannelMove,
  type DetectedBy,
  type NamedRefTip,
} from '../../model/channel.js'
import type { Clock } from '../../lib/clock.js'
import { describeError } from '../../model/errors.js'
import { hashDigits } from '../../model/revision.js'
import { chosenTag } from '../../model/ref.js'
import { policyOf, type ChannelPolicy, type NamedChannel } from '../../channel/channel-policy.js'
import {
  hourMs,
  isStillVetoed,
  newChannel,
  nextChannel,
  type ChannelObservation,
  type Need,
} from '../../channel/channel.js'
import { isMissingRef } from '../../source/found-ref.js'
import type { SourceRevision } from '../../source/source.js'
import { channelBlocker, notReleased } from '../../channel/blocked-move.js'
import type { DecisionRequest } from '../../stacks/scheduler.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../watch/log.js'
import type { CachedRefTips } from './cached-ref-tips.js'
import { RepositoryAddresses } from '../../source/repository-identity.js'

export interface ChannelPoliciesDeps {
  readonly store: Pick<Store, 'channels'>
  readonly refTips: CachedRefTips
  readonly clock: Clock
  readonly log: Log
}

/** What a look found, by ref. */
export type PolledRefs = ReadonlyMap<string, SourceRevision | Error>

/** `offered`: what stacks may have of it; a ref of which nothing is released has an error in its place. */
export interface ChannelDecisions {
  readonly offered: PolledRefs
  readonly changes: readonly ChannelChange[]
}

/** How it was learnt of what a look saw of a ref. */
type Detection = (ref: string, what: SourceRevision | Error) => DetectedBy

export class ChannelPolicies {
  readonly #deps: ChannelPoliciesDeps
  #policies: readonly ChannelPolicy[] = []
  /** Channels whose newest move is not what stacks follow, by remote and ref. */
  readonly #blocked = new Map<string, Channel>()
  readonly #addresses = new RepositoryAddresses()

  constructor(deps: ChannelPoliciesDeps) {
    this.#deps = deps
  }

  /**
   * Takes up those that are held back already. `declared`: undefined, no configuration file was given; then the
   * policies of the last one count.
   */
  async start(declared: readonly ChannelPolicy[] | undefined): Promise<void> {
    const { channels } = this.#deps.store
    if (declared !== undefined) await channels.keepPolicies(declared)
    this.#policies = declared ?? (await channels.policies())
    for (const channel of await channels.blocked()) this.#updateBlocked(channel)
    for (const remote of await channels.remotes()) this.#addresses.add(remote)
  }

  /**
   * From now on these policies count, and signatures are looked at again. Gives the remotes of which something is held
   * back.
   */
  setPolicies(policies: readonly ChannelPolicy[]): readonly string[] {
    this.#policies = policies
    this.#deps.refTips.clear()
    return [...new Set([...this.#blocked.values()].map(({ remote }) => remote))]
  }

  /** For a start without the configuration file. */
  async storePolicies(policies: readonly ChannelPolicy[]): Promise<void> {
    const { store, log } = this.#deps
    const warn = (error: unknown): void => log.warn('channel policies were not stored', { error: describeError(error) })
    await store.channels.keepPolicies(policies).catch(warn)
  }

  policyOf(channel: NamedChannel): ChannelPolicy {
    return policyOf(this.#policies, channel)
  }

  /** The other addresses under which the repository of a remote is, or was, followed. */
  otherAddresses(remote: string): readonly string[] {
    return this.#addresses.others(remote)
  }

  /** The channel, where its newest move is not what stacks follow. */
  blockedMove(remote: string, ref: string): Channel | undefined {
    return this.#blocked.get(`${remote}#${ref}`)
  }

  /** When channels that wait may go on, by remote. */
  get dueAt(): ReadonlyMap<string, number> {
    const due = new Map<string, number>()
    for (const { remote, move } of this.#blocked.values())
      if (move?.until != null) due.set(remote, Math.min(due.get(remote) ?? move.until, move.until))
    return due
  }

  /** Of what a look saw. */
  async decide(
    remote: string,
    seen: PolledRefs,
    detectedBy: Detection,
    signal: AbortSignal,
  ): Promise<ChannelDecisions> {
    const channels = await this.#deps.store.channels.of(remote)
    const all = [...channels.values(), ...(await this.#elsewhere(remote))]
    const offered = new Map<string, SourceRevision | Error>()
    const changes: ChannelChange[] = []
    for (const [ref, what] of seen) {
      const tip = channelTip(ref, what)
      const same = all.filter((other) => isSameRef(other, ref, tip))
      const before = channels.get(ref) ?? { ...newChannel(remote, ref), released: same[0]?.released ?? null }
      const next =
        tip === undefined
          ? { channel: before, moves: [] }
          : await this.#nextOrError(before, { tip, detectedBy: detectedBy(ref, what), same }, signal)
      offered.set(ref, next instanceof Error ? next : this.#offer(next.channel, what))
      if (!(next instanceof Error) && next.moves.length > 0) changes.push(next)
    }
    return { offered, changes }
  }

  /**
   * Of what was seen before: time went by, or a person decided. A ref that is not there is not offered, unless it is
   * pinned.
   */
  async decideAgain(
    remote: string,
    deciding: DecisionRequest | undefined,
    signal: AbortSignal,
  ): Promise<ChannelDecisions> {
    const offered = new Map<string, SourceRevision | Error>()
    const changes: ChannelChange[] = []
    for (const before of (await this.#deps.store.channels.of(remote)).values()) {
      const decided = deciding?.ref === before.ref ? await deciding.decide(before) : { channel: before, moves: [] }
      const change = await this.#follow(decided, signal)
      const { tip, pin } = change.channel
      if (change.moves.length > 0 || change.decision !== undefined) changes.push(change)
      if (tip !== null || pin !== null) offered.set(before.ref, this.#offer(change.channel, undefined))
    }
    return { offered, changes }
  }

  /** These are written down. */
  onStored(changes: readonly ChannelChange[]): void {
    for (const { channel, moves } of changes) {
      this.#updateBlocked(channel)
      for (const move of moves) this.#log(channel, move)
    }
  }

  /** What follows from what a person decided. What cannot be found out for it now, the next look finds out. */
  async #follow(decided: ChannelChange, signal: AbortSignal): Promise<ChannelChange> {
    const { tip, move } = decided.channel
    if (tip === null) return decided
    const next = await this.#nextOrError(
      decided.channel,
      { tip: { ...tip, name: move?.name ?? '' }, detectedBy: 'person' },
      signal,
    )
    if (next instanceof Error) return decided
    const again = new Set(next.moves.map(({ id }) => id))
    return {
      ...decided,
      channel: next.channel,
      moves: [...decided.moves.filter(({ id }) => !again.has(id)), ...next.moves],
    }
  }

  /** The channels of the same repository under other addresses. */
  async #elsewhere(remote: string): Promise<readonly Channel[]> {
    this.#addresses.add(remote)
    const others = this.#addresses.others(remote).map((other) => this.#deps.store.channels.of(other))
    return (await Promise.all(others)).flatMap((channels) => [...channels.values()])
  }

  async #nextOrError(
    before: Channel,
    { same = [], ...seen }: ChannelObservation & { readonly same?: readonly Channel[] },
    signal: AbortSignal,
  ): Promise<ChannelChange | Error> {
    const { remote, ref } = before
    const policy = this.policyOf({ remote, ref, name: seen.tip?.name ?? '' })
    try {
      for (let told = { ...seen, veto: await this.#vetoOf(before, seen.tip, same) }; ;) {
        const next = nextChannel(before, told, policy, this.#deps.clock.now())
        if (!('needs' in next)) return next
        told = { ...told, ...(await this.#ask(next.needs, before, seen.tip!, signal)) }
      }
    } catch (error) {
      signal.throwIfAborted()
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  /** What was vetoed of the same ref by another spelling, and is not ended. */
  async #vetoOf(before: Channel, tip: NamedRefTip | null, same: readonly Channel[]): Promise<ChannelMove | null> {
    if (tip === null || tip.commit === before.tip?.commit) return null
    for (const other of same) {
      const last = (await this.#deps.store.channels.moveTo(other.remote, other.ref, tip.commit)) ?? null
      if (isStillVetoed(last, other) && isStillVetoed(last, before)) return last
    }
    return null
  }

  async #ask(
    need: Need,
    { remote, ref, released }: Channel,
    tip: NamedRefTip,
    signal: AbortSignal,
  ): Promise<Partial<ChannelObservation>> {
    const { store, refTips, clock } = this.#deps
    switch (need) {
      case 'last':
        return { last: (await store.channels.moveTo(remote, ref, tip.commit)) ?? null }
      case 'facts':
        return { facts: await refTips.facts(remote, tip, signal) }
      case 'forward':
        return { forward: await refTips.forward(remote, released!.to!.commit, tip.commit, signal) }
      case 'releases':
        return { releases: await store.channels.releases(remote, ref, clock.now() - hourMs) }
    }
  }

  /**
   * What stacks may have where this is seen of the channel; undefined: what was seen last. What cannot be seen is an
   * error, unless the channel is pinned.
   */
  #offer(channel: Channel, what: SourceRevision | Error | undefined): SourceRevision | Error {
    if (what instanceof Error && channel.pin === null) return what
    if (what !== undefined && !(what instanceof Error) && what.object === undefined) return what
    const tip = followedTip(channel)
    if (tip === null) return notReleased(channel, this.#policyOf(channel))
    const same =
      what !== undefined &&
      !(what instanceof Error) &&
      what.object === tip.object &&
      hashDigits(what.state) === tip.commit
    return same ? what : { name: tip.name, state: `sha1:${tip.commit}`, object: tip.object }
  }

  #policyOf({ remote, ref, move }: Channel): ChannelPolicy {
    return this.policyOf({ remote, ref, name: move?.name ?? '' })
  }

  #updateBlocked(channel: Channel): void {
    const name = `${channel.remote}#${channel.ref}`
    if (channel.move?.state === 'released' && channel.pin === null) this.#blocked.delete(name)
    else this.#blocked.set(name, channel)
  }

  #log(channel: Channel, { id, remote, ref, state, blockedBy }: ChannelMove): void {
    const { log } = this.#deps
    const hold = channelBlocker(channel, this.#policyOf(channel))
    if (channel.move?.id !== id || hold === undefined) return
    log[state === 'refused' ? 'warn' : 'info']('move held back', {
      remote,
      ref,
      move: id,
      state,
      why: blockedBy,
      message: hold.message,
      hint: hold.next,
    })
  }
}

/**
 * The same ref by another spelling of its name or of the address. What stacks are at there counts for a channel that is
 * new, and a veto for every one: another spelling is no way round a policy or a veto.
 */
function isSameRef(other: Channel, ref: string, tip: NamedRefTip | null | undefined): boolean {
  if (tip == null || chosenTag(ref, '') !== undefined || chosenTag(other.ref, '') !== undefined) return false
  return other.move?.name === tip.name
}

/** null: it is gone; undefined: this is no channel, or nobody knows what became of it. */
function channelTip(ref: string, what: SourceRevision | Error): NamedRefTip | null | undefined {
  if (what instanceof Error) return isMissingRef(what) ? null : undefined
  if (what.object === undefined) return undefined
  const tag = chosenTag(ref, what.name)
  return { commit: hashDigits(what.state), object: what.object, name: what.name, ...(tag === undefined ? {} : { tag }) }
}
