import type { NotificationResult } from './notification.js'

/** Senders, distinguished by the form of their deliveries. */
export const providers = ['github', 'gitlab', 'gitea', 'forgejo', 'gogs', 'bitbucket', 'generic'] as const

export type Provider = (typeof providers)[number]

/** The notification of one ref. `commit`: a commit or a tag object; null: the ref was deleted; absent: unknown. */
export interface RefChange {
  readonly ref?: string
  readonly commit?: string | null
}

/**
 * The result of a delivery: that of its notification; `ignored`: it names no change of a ref; `unfollowed`: no stack
 * follows the ref; `refused`: invalid, or not from an authenticated sender; `error`: valid, and gitmoor failed.
 */
export type DeliveryResult = NotificationResult | 'ignored' | 'refused' | 'error'

/** A delivery to a webhook. The body and its signature are not stored. */
export interface Delivery {
  readonly id: string
  /** Name of the webhook. */
  readonly hook: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The sender's id of the delivery; '' if it has none. */
  readonly key: string
  readonly event: string
  /** The remotes in it that stacks follow. */
  readonly remotes: readonly string[]
  readonly changes: readonly RefChange[]
  /** null: gitmoor is polling the remote. */
  readonly result: DeliveryResult | null
  /** The result, in words. */
  readonly message: string
  /** Ids of the runs it caused. */
  readonly runs: readonly string[]
  /** Until the result was known. */
  readonly tookMs: number
}

/** The prefix of keys of deliveries that the agent itself sends to test a webhook. */
export const testKeyPrefix = 'gitmoor-test-'
