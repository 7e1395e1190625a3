// Policies of channels, declared under `channels` of the configuration file.
import type { BlockedBy, Channel, ChannelMove, Signature } from '../model/sources/channel.js'
import { isBelow } from '../source/repository-identity.js'

/** One entry of `channels`. */
export interface ChannelPolicy {
  /** The remote, or a prefix of it in whole segments, in any spelling; absent: any remote. */
  readonly remote?: string
  /** The name of the ref, with `*` for any characters; absent: any ref. */
  readonly ref?: string
  /** What happens to a move whose direction is not `forward`. */
  readonly moves: 'any' | 'approve-back' | 'forward-only'
  /** How long a ref must stay at a commit before the move is released; 0: no time. */
  readonly minAgeMs: number
  /** At most so many moves are released within 60 minutes; absent: unlimited. */
  readonly movesPerHour?: number
  /** The tip must be signed with one of these keys; absent: no signature is needed. */
  readonly signedBy?: readonly string[]
}

/** Every move is released at once. */
export const releaseAtOnce: ChannelPolicy = { moves: 'any', minAgeMs: 0 }

/** `name`: the full name of `ref`; '' if unknown. */
export interface NamedChannel {
  readonly remote: string
  readonly ref: string
  readonly name: string
}

/**
 * The first matching entry, or the policy that releases at once. A ref matches by any of its names, a remote by any
 * spelling: another spelling does not circumvent a policy.
 */
export function policyOf(policies: readonly ChannelPolicy[], { remote, ref, name }: NamedChannel): ChannelPolicy {
  const names = [ref, name, shortName(ref), shortName(name)]
  const fits = (policy: ChannelPolicy): boolean => fitsRef(policy.ref, names) && fitsRemote(policy.remote, remote)
  return policies.find(fits) ?? releaseAtOnce
}

/**
 * The setting that refuses the move, also if a person approves it; undefined: there is none, as far as the facts about
 * the move are known.
 */
export function refusedBy(
  { moves, signedBy }: ChannelPolicy,
  { released }: Pick<Channel, 'released'>,
  { to, facts, direction }: Pick<ChannelMove, 'to' | 'facts' | 'direction'>,
): Extract<BlockedBy, 'signedBy' | 'forward-only'> | undefined {
  if (signedBy !== undefined && facts !== null && !isSignedBy(facts.signature, signedBy)) return 'signedBy'
  if (released === null || released.to?.commit === to?.commit) return undefined
  return moves === 'forward-only' && direction !== null && direction !== 'forward' ? 'forward-only' : undefined
}

/** `names`: of keys, one of which must have signed. */
export function isSignedBy(signature: Signature, names: readonly string[]): boolean {
  return signature.state === 'good' && names.includes(signature.by)
}

function fitsRemote(match: string | undefined, remote: string): boolean {
  return match === undefined || isBelow(remote, match)
}

function fitsRef(glob: string | undefined, names: readonly string[]): boolean {
  if (glob === undefined) return true
  const pattern = new RegExp(`^${glob.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's')
  return names.some((name) => name !== '' && pattern.test(name))
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, '')
}
