import type { HintResult } from './hint.js'

/** Who sends, by the form of what is sent. */
export const providers = ['github', 'gitlab', 'gitea', 'forgejo', 'gogs', 'bitbucket', 'generic'] as const

export type Provider = (typeof providers)[number]

/** What a delivery told of one ref. `commit`: a commit or a tag object; null: the ref is gone; absent: not told. */
export interface ToldChange {
  readonly ref?: string
  readonly commit?: string | null
}

/**
 * What came of a delivery: what came of its hint; `ignored`: it told of no change of a ref; `unfollowed`: no stack follows what it told of; `refused`: it was
 * not what it must be, or not from whom it must be.
 */
export type DeliveryResult = HintResult | 'ignored' | 'refused'

/** What a webhook was sent. The body and its signature are not kept. */
export interface Delivery {
  readonly id: string
  /** Name of the webhook. */
  readonly hook: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** As its sender numbers it; '' where he does not. */
  readonly key: string
  readonly event: string
  /** The remotes it was about that stacks follow. */
  readonly remotes: readonly string[]
  readonly changes: readonly ToldChange[]
  /** null: the remote is being looked at. */
  readonly result: DeliveryResult | null
  /** What came of it, in words. */
  readonly message: string
  /** Ids of the runs it caused. */
  readonly runs: readonly string[]
  /** Until its result was known. */
  readonly tookMs: number
}

/** A delivery whose key begins so was made by the agent itself, for a person who wanted to know whether the webhook is right. */
export const testKey = 'gitmoor-test-'
