import type {
  Channel,
  ChannelMove,
  ChannelDecision,
  Direction,
  RefTipFacts,
  SoughtMove,
} from '../model/sources/channel.js'
import type { ChannelPolicy } from '../channel/channel-policy.js'
import type { PageRequest } from './page-request.js'

export interface ChannelTable {
  list(page: PageRequest): Promise<readonly Channel[]>
  /** Of all channels, once each. */
  remotes(): Promise<readonly string[]>
  /** The channels of one remote, by ref. */
  of(remote: string): Promise<ReadonlyMap<string, Channel>>
  /** Of all channels, newest first. */
  allMoves(page: PageRequest): Promise<readonly ChannelMove[]>
  /** Newest first. */
  moves(remote: string, ref: string, page: PageRequest): Promise<readonly ChannelMove[]>
  move(id: string): Promise<ChannelMove | undefined>
  /** The release before a move, at another commit than the move's. */
  releasedBefore(move: ChannelMove): Promise<ChannelMove | null>
  /** The newest move to a commit. */
  moveTo(remote: string, ref: string, commit: string): Promise<ChannelMove | undefined>
  /** `moveTo` for each of them, in order, by one read. */
  movesTo(sought: readonly SoughtMove[]): Promise<readonly (ChannelMove | undefined)[]>
  /** Times of releases after `since`: milliseconds since the epoch. */
  releases(remote: string, ref: string, since: number): Promise<readonly number[]>
  /** Channels whose newest move is not released, or that are pinned. */
  blocked(): Promise<readonly Channel[]>
  /** The policies of the configuration file as it was read last. */
  policies(): Promise<readonly ChannelPolicy[]>
  keepPolicies(policies: readonly ChannelPolicy[]): Promise<void>
  /** About all channels, newest first. */
  allDecisions(page: PageRequest): Promise<readonly ChannelDecision[]>
  /** Newest first. */
  decisions(remote: string, ref: string, page: PageRequest): Promise<readonly ChannelDecision[]>
  /** Stores facts about a move that were found after the move was stored. */
  learn(move: string, found: { readonly facts?: RefTipFacts; readonly direction?: Direction | null }): Promise<void>
}
