// The channel decision: of the polled refs, which revisions are released to stacks. Finds the facts that policies need.
import { hintOf } from '../../../model/stacks/blocker.js'
import {
  followedTip,
  type Channel,
  type ChannelChange,
  type ChannelMove,
  type DetectedBy,
  type NamedRefTip,
} from '../../../model/sources/channel.js'
import type { Clock } from '../../../lib/clock.js'
import { describeError } from '../../../model/errors.js'
import { hashDigits } from '../../../model/sources/revision.js'
import { chosenTag } from '../../../model/sources/ref.js'
import { policyOf, type ChannelPolicy, type NamedChannel } from '../../../channel/channel-policy.js'
import {
  hourMs,
  isStillVetoed,
  newChannel,
  nextChannel,
  type ChannelObservation,
  type Need,
} from '../../../channel/channel.js'
import { isMissingRef } from '../../../source/found-ref.js'
import type { SourceRevision } from '../../../source/source.js'
import { channelBlocker, notReleased } from '../../../channel/blocked-move.js'
import type { ChannelStates, DecisionRequest } from '../../../stacks/scheduler.js'
import type { Store } from '../../../store/store.js'
import type { Log } from '../../watch/log.js'
import { BlockedChannels } from './blocked-channels.js'
import type { CachedRefTips } from './cached-ref-tips.js'
import { RepositoryAddresses } from '../../../source/repository-identity.js'

export interface ChannelPoliciesDeps {
  readonly store: Pick<Store, 'channels'>
  readonly refTips: CachedRefTips
  readonly clock: Clock
  readonly log: Log
}

/** Revisions by ref; an error if the ref is missing or unreachable. */
export type PolledRefs = ReadonlyMap<string, SourceRevision | Error>

/** `released`: the revisions that stacks may follow; an error for a ref of which nothing is released. */
export interface ChannelDecisions {
  readonly released: PolledRefs
  readonly changes: readonly ChannelChange[]
}

/** How the change of a ref was detected. */
type Detection = (ref: string, what: SourceRevision | Error) => DetectedBy

export class ChannelPolicies implements ChannelStates {
  readonly #deps: ChannelPoliciesDeps
  #policies: readonly ChannelPolicy[] = []
  readonly #blocked = new BlockedChannels()
  readonly #addresses = new RepositoryAddresses()

  constructor(deps: ChannelPoliciesDeps) {
    this.#deps = deps
  }

  /**
   * Reads blocked moves. `declared`: the policies of the configuration file; undefined: no file was given, and the
   * stored policies apply.
   */
  async start(declared: readonly ChannelPolicy[] | undefined): Promise<void> {
    const { channels } = this.#deps.store
    if (declared !== undefined) await channels.keepPolicies(declared)
    this.#policies = declared ?? (await channels.policies())
    for (const channel of await channels.blocked()) this.#blocked.update(channel)
    for (const remote of await channels.remotes()) this.#addresses.add(remote)
  }

  /**
   * Replaces the policies; signatures are checked again. Returns the remotes that have blocked moves.
   */
  setPolicies(policies: readonly ChannelPolicy[]): readonly string[] {
    this.#policies = policies
    this.#deps.refTips.clear()
    return [...this.blockedRemotes]
  }

  /** Stores the policies for a start without the configuration file. */
  async storePolicies(policies: readonly ChannelPolicy[]): Promise<void> {
    const { store, log } = this.#deps
    const warn = (error: unknown): void => log.warn('channel policies were not stored', { error: describeError(error) })
    await store.channels.keepPolicies(policies).catch(warn)
  }

  policyOf(channel: NamedChannel): ChannelPolicy {
    return policyOf(this.#policies, channel)
  }

  otherAddresses(remote: string): readonly string[] {
    return this.#addresses.others(remote)
  }

  blockedMove(remote: string, ref: string): Channel | undefined {
    return this.#blocked.of(remote, ref)
  }

  /** Time or a policy may release the newest move of one of these refs. */
  isAnyBlocked(remote: string, refs: Iterable<string>): boolean {
    return [...refs].some((ref) => this.#blocked.of(remote, ref) !== undefined)
  }

  get blockedRemotes(): ReadonlySet<string> {
    return this.#blocked.remotes
  }

  /** The earliest time at which a blocked move of a remote may be released. */
  get dueAt(): ReadonlyMap<string, number> {
    return this.#blocked.dueAt
  }

  /** Decides about polled refs. */
  async decide(
    remote: string,
    polled: PolledRefs,
    detectedBy: Detection,
    signal: AbortSignal,
  ): Promise<ChannelDecisions> {
    const channels = await this.#deps.store.channels.of(remote)
    const all = [...channels.values(), ...(await this.#elsewhere(remote))]
    const released = new Map<string, SourceRevision | Error>()
    const changes: ChannelChange[] = []
    for (const [ref, revision] of polled) {
      const tip = channelTip(ref, revision)
      const same = all.filter((other) => isSameRef(other, ref, tip))
      const before = channels.get(ref) ?? { ...newChannel(remote, ref), released: same[0]?.released ?? null }
      const next =
        tip === undefined
          ? { channel: before, moves: [] }
          : await this.#nextOrError(before, { tip, detectedBy: detectedBy(ref, revision), same }, signal)
      released.set(ref, next instanceof Error ? next : this.#released(next.channel, revision))
      if (!(next instanceof Error) && next.moves.length > 0) changes.push(next)
    }
    return { released, changes }
  }

  /**
   * Decides again about stored channels: time passed, or a person decided. A deleted ref is not released, unless its
   * channel is pinned.
   */
  async decideAgain(
    remote: string,
    decision: DecisionRequest | undefined,
    signal: AbortSignal,
  ): Promise<ChannelDecisions> {
    const released = new Map<string, SourceRevision | Error>()
    const changes: ChannelChange[] = []
    for (const before of (await this.#deps.store.channels.of(remote)).values()) {
      const own = decision?.ref === before.ref ? decision : undefined
      const decided = (await own?.decide(before)) ?? { channel: before, moves: [] }
      const change = await this.#follow(decided, signal)
      own?.accept?.(change.channel)
      const { tip, pin } = change.channel
      if (change.moves.length > 0 || change.decision !== undefined) changes.push(change)
      if (tip !== null || pin !== null) released.set(before.ref, this.#released(change.channel, undefined))
    }
    return { released, changes }
  }

  /** The changes were stored: logs newly blocked moves. */
  onStored(changes: readonly ChannelChange[]): void {
    for (const { channel, moves } of changes) {
      this.#blocked.update(channel)
      for (const move of moves) this.#log(channel, move)
    }
  }

  async after(decided: ChannelChange, signal: AbortSignal): Promise<Channel> {
    return (await this.#follow(decided, signal)).channel
  }

  /** What follows from a person's decision. If a needed fact is unreachable now, the next poll decides. */
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
      for (let facts = { ...seen, veto: await this.#vetoOf(before, seen.tip, same) }; ;) {
        const next = nextChannel(before, facts, policy, this.#deps.clock.now())
        if (!('needs' in next)) return next
        facts = { ...facts, ...(await this.#find(next.needs, before, seen.tip!, signal)) }
      }
    } catch (error) {
      signal.throwIfAborted()
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  /** A veto of the same commit and ref under another spelling that is still in force. */
  async #vetoOf(before: Channel, tip: NamedRefTip | null, same: readonly Channel[]): Promise<ChannelMove | null> {
    if (tip === null || tip.commit === before.tip?.commit) return null
    for (const other of same) {
      const last = (await this.#deps.store.channels.moveTo(other.remote, other.ref, tip.commit)) ?? null
      if (isStillVetoed(last, other) && isStillVetoed(last, before)) return last
    }
    return null
  }

  async #find(
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
      case 'direction':
        return { direction: await refTips.direction(remote, released!.to!.commit, tip.commit, signal) }
      case 'releases':
        return { releases: await store.channels.releases(remote, ref, clock.now() - hourMs) }
    }
  }

  /**
   * The revision that stacks may follow. `polled`: undefined, the stored tip. An unreachable ref is an error, unless
   * its channel is pinned.
   */
  #released(channel: Channel, polled: SourceRevision | Error | undefined): SourceRevision | Error {
    if (polled instanceof Error && channel.pin === null) return polled
    const revision = polled instanceof Error ? undefined : polled
    if (revision !== undefined && revision.object === undefined) return revision
    const tip = followedTip(channel)
    if (tip === null) return notReleased(channel, this.#policyOf(channel))
    const isSame = revision?.object === tip.object && hashDigits(revision.state) === tip.commit
    return isSame ? revision : { name: tip.name, state: `sha1:${tip.commit}`, object: tip.object }
  }

  #policyOf({ remote, ref, move }: Channel): ChannelPolicy {
    return this.policyOf({ remote, ref, name: move?.name ?? '' })
  }

  #log(channel: Channel, { id, remote, ref, state, blockedBy }: ChannelMove): void {
    const { log } = this.#deps
    const blocker = channelBlocker(channel, this.#policyOf(channel))
    if (channel.move?.id !== id || blocker === undefined) return
    log[state === 'refused' ? 'warn' : 'info']('move blocked', {
      remote,
      ref,
      move: id,
      state,
      why: blockedBy,
      message: blocker.message,
      hint: hintOf(blocker.next),
    })
  }
}

/**
 * The same ref under another spelling of its name or of the address. A new channel begins at the released commit of the
 * other one, and vetoes apply to both: another spelling circumvents no policy and no veto.
 */
function isSameRef(other: Channel, ref: string, tip: NamedRefTip | null | undefined): boolean {
  if (tip == null || chosenTag(ref, '') !== undefined || chosenTag(other.ref, '') !== undefined) return false
  return other.move?.name === tip.name
}

/** null: the ref does not exist; undefined: it is unreachable, or the source has no refs. */
function channelTip(ref: string, polled: SourceRevision | Error): NamedRefTip | null | undefined {
  if (polled instanceof Error) return isMissingRef(polled) ? null : undefined
  const { name, state, object } = polled
  if (object === undefined) return undefined
  const tag = chosenTag(ref, name)
  return { commit: hashDigits(state), object, name, ...(tag === undefined ? {} : { tag }) }
}
