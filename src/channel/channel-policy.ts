// What may become of the moves of a channel: what a person declares under `channels` of the configuration file.
import type { Signature } from '../model/channel.js'
import { isBelow } from '../source/repository-identity.js'

/** One entry of `channels`. */
export interface ChannelPolicy {
  /** Beginning of the remote's address, in whole segments and in any spelling; absent: any remote. */
  readonly remote?: string
  /** Name of the ref, `*` in it for any characters; absent: any ref. */
  readonly ref?: string
  /** What becomes of a move that is not proven to go forward. */
  readonly moves: 'any' | 'approve-back' | 'forward-only'
  /** How long a ref has to stand at a move before it is released. 0: it need not. */
  readonly minAgeMs: number
  /** Moves released within 60 minutes, at most; absent: any number. */
  readonly movesPerHour?: number
  /** Names of keys, one of which must have signed it; absent: nobody need have. */
  readonly signedBy?: readonly string[]
}

/** Every move is released at once. */
export const releaseAtOnce: ChannelPolicy = { moves: 'any', minAgeMs: 0 }

/** `name`: the full ref that is followed under the name `ref`; '' where nobody knows. */
export interface NamedChannel {
  readonly remote: string
  readonly ref: string
  readonly name: string
}

/**
 * The first entry that fits counts; where none does, the free policy. A ref fits by any of its names, a remote by any
 * spelling: nobody gets round a policy by writing one out.
 */
export function policyOf(policies: readonly ChannelPolicy[], { remote, ref, name }: NamedChannel): ChannelPolicy {
  const names = [ref, name, shortName(ref), shortName(name)]
  const fits = (policy: ChannelPolicy): boolean => fitsRef(policy.ref, names) && fitsRemote(policy.remote, remote)
  return policies.find(fits) ?? releaseAtOnce
}

/** `names`: of keys, one of which must have made it. */
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
