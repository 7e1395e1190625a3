import type { ConfigurationStatus } from '../../model/agent/configuration-status.js'
import type { DeliveryResult } from '../../model/agent/delivery.js'
import type { Run } from '../../model/stacks/run.js'
import type { PendingMessages } from '../../store/message-table.js'
import type { MetricsSnapshot } from '../../stacks/status/metrics.js'

export type PollResult = 'unchanged' | 'moved' | 'failed'

/**
 * One poll. `method`: of the request, `none` if the remote was not reached; `ms`: until the answer; `bytes`: of the
 * answer.
 */
export interface PollSample {
  readonly method: string
  readonly result: PollResult
  readonly ms: number
  readonly bytes: number
}

/** A webhook delivery. `hook`: the name of the webhook, or `unknown`; `repeated`: it was delivered before. */
export interface DeliverySample {
  readonly hook: string
  readonly result: DeliveryResult | 'repeated'
}

/** `receiver`: the name of the receiver. */
export interface MessageSample {
  readonly receiver: string
  readonly result: 'sent' | 'retried' | 'failed' | 'dropped'
}

/**
 * Counters of the agent. Each distinct label value is kept until the process ends: no revision, address or error text
 * is one.
 */
export interface Meters {
  polled(poll: PollSample): void
  runEnded(run: Run): void
  delivered(delivery: DeliverySample): void
  /** An attempt to send a message ended, or a pending message was dropped. */
  messageEnded(message: MessageSample): void
}

/** Counters and status, for a monitoring system that scrapes them. */
export interface MetricsPage {
  readonly type: string
  print(page: MetricsInput): Promise<string>
}

export interface MetricsInput {
  readonly metrics: MetricsSnapshot
  /** The size of the data directory, by part. */
  readonly bytes: ReadonlyMap<string, number>
  /** Longest stall of the event loop. */
  readonly stallMs: number
  readonly configuration: ConfigurationStatus
  /** Messages that are not sent yet. */
  readonly pendingMessages: readonly PendingMessages[]
}

/** Counts nothing. */
export const noMeters: Meters = { polled: () => {}, runEnded: () => {}, delivered: () => {}, messageEnded: () => {} }
