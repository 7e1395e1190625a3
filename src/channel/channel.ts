// channel: what becomes of a ref that moved. Takes the stored channel, what a poll found, the policy and the time;
// gives the channel and its changed moves, or the fact that the decision needs first. Pure.
import { isOlderId } from '../model/id.js'
import type {
  Channel,
  ChannelChange,
  ChannelMove,
  BlockedBy,
  DetectedBy,
  Direction,
  NamedRefTip,
  RefTipFacts,
} from '../model/sources/channel.js'
import { isSignedBy, type ChannelPolicy } from './channel-policy.js'

/**
 * A fact that a decision may need. `last`: the newest move to the same commit; `facts`: of the tip, for its signature;
 * `direction`: seen from the released commit; `releases`: the times of recent releases.
 */
export type Need = 'last' | 'facts' | 'direction' | 'releases'

/** What a poll found of a channel, and the facts that are known so far. */
export interface ChannelObservation {
  /** null: the ref does not exist. */
  readonly tip: NamedRefTip | null
  readonly detectedBy: DetectedBy
  /** null: there is none. */
  readonly last?: ChannelMove | null
  /** A veto of this commit by another spelling of the channel; null: there is none. */
  readonly veto?: ChannelMove | null
  readonly direction?: Direction
  readonly facts?: RefTipFacts
  /** Milliseconds since the epoch. */
  readonly releases?: readonly number[]
}

/** `needs`: the decision needs this fact first. */
export type ChannelStep = { readonly needs: Need } | ChannelChange

type Verdict = Pick<ChannelMove, 'state' | 'blockedBy' | 'until'> & { readonly direction?: Direction | null }

export const hourMs = 3_600_000

/** A channel that was never polled. */
export function newChannel(remote: string, ref: string): Channel {
  return { remote, ref, tip: null, seenAt: 0, move: null, released: null, pin: null }
}

/**
 * The next state of a channel. Without `moves`: it did not change. Only the newest move is released; a blocked move is
 * decided again each time. Impossible times, stored before the clock was set back, count as now.
 */
export function nextChannel(
  before: Channel,
  seen: ChannelObservation,
  policy: ChannelPolicy,
  now: number,
): ChannelStep {
  const { tip } = seen
  if (tip === null) return deletedRef(before, seen, now)
  const move = sameTip(before.tip, tip) && before.move !== null ? before.move : undefined
  if (move?.state === 'released' || move?.state === 'vetoed') return { channel: before, moves: [] }
  const judged = move ?? newMove(before, tip, seen, now)
  if ('needs' in judged) return judged
  const verdict = judge(before, { ...judged, seenAt: Math.min(judged.seenAt, now) }, { seen, policy, now })
  if ('needs' in verdict) return verdict
  const decided = decidedMove(before, { ...judged, facts: seen.facts ?? judged.facts }, verdict, now)
  const moves = move === undefined ? [...supersede(before), decided] : isSame(move, decided) ? [] : [decided]
  return { channel: channelAfter(before, tip, decided, move === undefined ? now : before.seenAt), moves }
}

function deletedRef(before: Channel, { detectedBy }: ChannelObservation, now: number): ChannelChange {
  if (before.tip === null) return { channel: before, moves: [] }
  const move = { ...undecidedMove(before, detectedBy, now), from: before.tip, state: 'gone' as const }
  const left = supersede(before)
  return { channel: { ...before, tip: null, seenAt: now, move: left[0] ?? before.move }, moves: [...left, move] }
}

function newMove(
  before: Channel,
  tip: NamedRefTip,
  { detectedBy, last, veto }: ChannelObservation,
  now: number,
): ChannelMove | { readonly needs: Need } {
  const { name, ...to } = tip
  const move = { ...undecidedMove(before, detectedBy, now), from: before.tip, to, name }
  if (veto != null) return { ...move, state: 'vetoed', decision: veto.decision }
  if (before.move === null || isRelease(before.move)) return move
  if (last === undefined) return { needs: 'last' }
  return isStillVetoed(last, before) ? { ...move, state: 'vetoed', decision: last!.decision } : move
}

/**
 * A veto is in force until another commit is released. It does not end if the ref is deleted for a while, moves to a
 * blocked commit for a while, or gets a new tag object at the same commit.
 */
export function isStillVetoed(last: ChannelMove | null, { released }: Channel): boolean {
  if (last?.state !== 'vetoed') return false
  return released === null || !isRelease(released) || isOlderId(released.id, last.id)
}

/** The move changed the released commit. */
function isRelease({ state, releasedAt }: ChannelMove): boolean {
  return state === 'released' && releasedAt !== null
}

function undecidedMove({ remote, ref }: Channel, detectedBy: DetectedBy, now: number): ChannelMove {
  const undecided = {
    state: 'waiting',
    blockedBy: null,
    until: null,
    direction: null,
    facts: null,
    releasedAt: null,
    decision: null,
  } as const
  return { id: '', remote, ref, from: null, to: null, name: '', seenAt: now, detectedBy, ...undecided }
}

/** The newest move, if the ref left it before it was released. */
function supersede({ move }: Channel): readonly ChannelMove[] {
  if (move === null || (move.state !== 'waiting' && move.state !== 'blocked')) return []
  return [{ ...move, state: 'superseded', until: null }]
}

/** Checks in this order: veto, pin, signature, same commit, direction, approval, age, rate. */
function judge(
  { pin, released }: Channel,
  move: ChannelMove,
  { seen, policy, now }: { readonly seen: ChannelObservation; readonly policy: ChannelPolicy; readonly now: number },
): Verdict | { readonly needs: Need } {
  const { moves, minAgeMs, movesPerHour, signedBy } = policy
  if (move.state === 'vetoed') return move
  if (pin !== null) return blocked('blocked', 'pin')
  if (signedBy !== undefined && seen.facts === undefined) return { needs: 'facts' }
  if (signedBy !== undefined && !isSignedBy(seen.facts!.signature, signedBy)) return blocked('refused', 'signedBy')
  if (released === null || released.to?.commit === move.to?.commit) return releasedVerdict
  const asks = moves !== 'any'
  if (asks && seen.direction === undefined) return { needs: 'direction' }
  const known = asks ? { direction: seen.direction! } : {}
  const approved = move.decision?.kind === 'approve'
  if (moves === 'forward-only' && seen.direction !== 'forward')
    return { ...blocked('refused', 'forward-only'), ...known }
  if (moves === 'approve-back' && seen.direction !== 'forward' && !approved)
    return { ...blocked('blocked', 'approval'), ...known }
  if (approved) return { ...releasedVerdict, ...known }
  const until = move.seenAt + minAgeMs
  if (now < until) return { state: 'waiting', blockedBy: 'minAge', until, ...known }
  if (movesPerHour === undefined) return { ...releasedVerdict, ...known }
  if (seen.releases === undefined) return { needs: 'releases' }
  const next = nextReleaseAt(seen.releases, movesPerHour, now)
  return next === undefined
    ? { ...releasedVerdict, ...known }
    : { state: 'waiting', blockedBy: 'movesPerHour', until: next, ...known }
}

const releasedVerdict: Verdict = { state: 'released', blockedBy: null, until: null }

function blocked(state: 'blocked' | 'refused', blockedBy: BlockedBy): Verdict {
  return { state, blockedBy, until: null }
}

/**
 * When the rate allows the next release; undefined: now. Times in the future were stored before the clock was set back,
 * and are ignored.
 */
function nextReleaseAt(releases: readonly number[], most: number, now: number): number | undefined {
  const lately = releases.filter((at) => at > now - hourMs && at <= now).sort((a, b) => b - a)
  return lately.length < most ? undefined : lately[most - 1]! + hourMs
}

function decidedMove(
  { released }: Channel,
  move: ChannelMove,
  { state, blockedBy, until, direction }: Verdict,
  now: number,
): ChannelMove {
  const moves = state === 'released' && released?.to?.commit !== move.to?.commit
  const seenAt = Math.min(move.seenAt, now)
  return {
    ...move,
    seenAt,
    state,
    blockedBy,
    until,
    ...(direction === undefined ? {} : { direction }),
    ...(moves ? { releasedAt: now } : {}),
  }
}

function channelAfter(
  before: Channel,
  { name: _name, ...tip }: NamedRefTip,
  move: ChannelMove,
  seenAt: number,
): Channel {
  return { ...before, tip, seenAt, move, released: move.state === 'released' ? move : before.released }
}

function sameTip(one: Channel['tip'], other: NamedRefTip): boolean {
  return one?.commit === other.commit && one.object === other.object && one.tag === other.tag
}

function isSame(one: ChannelMove, other: ChannelMove): boolean {
  return (['state', 'blockedBy', 'until', 'direction', 'seenAt'] as const).every((field) => one[field] === other[field])
}
