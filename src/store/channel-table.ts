import type { Channel, ChannelMove, DecisionRow } from '../model/channel.js'
import type { TipFacts } from '../model/tip-facts.js'
import type { ChannelPolicy } from '../source/channel/channel-policy.js'
import type { PageOf } from './page-of.js'

export interface ChannelTable {
  list(page: PageOf): Promise<readonly Channel[]>
  /** Of one remote, by ref. */
  of(remote: string): Promise<ReadonlyMap<string, Channel>>
  /** Newest first. */
  moves(remote: string, ref: string, page: PageOf): Promise<readonly ChannelMove[]>
  move(id: string): Promise<ChannelMove | undefined>
  /** What stacks followed before a move came, at another commit than it leads to. */
  releasedBefore(move: ChannelMove): Promise<ChannelMove | null>
  /** The tag that was chosen when a range of versions was last seen at a commit. */
  tagAt(remote: string, ref: string, commit: string): Promise<string | undefined>
  /** The newest move that leads to a commit. */
  moveTo(remote: string, ref: string, commit: string): Promise<ChannelMove | undefined>
  /** When moves were released, of those after `since`: milliseconds since the epoch. */
  releases(remote: string, ref: string, since: number): Promise<readonly number[]>
  /** Channels whose newest move is not released, or that are pinned. */
  heldBack(): Promise<readonly Channel[]>
  /** Those that the configuration file declared when it was read last. */
  policies(): Promise<readonly ChannelPolicy[]>
  keepPolicies(policies: readonly ChannelPolicy[]): Promise<void>
  /** Newest first. */
  decisions(remote: string, ref: string, page: PageOf): Promise<readonly DecisionRow[]>
  /** What was found out about a move after it was written down. */
  learn(move: string, found: { readonly facts?: TipFacts; readonly forward?: boolean | null }): Promise<void>
}
