import type { DeliveryResult } from '../../model/delivery.js'
import type { Run } from '../../model/run.js'
import type { MetricsSnapshot } from '../../stacks/status/metrics.js'

export type PollResult = 'unchanged' | 'moved' | 'failed'

/**
 * One look at a remote. `method`: how it is reached, `none` where it was not; `ms`: until it had answered; `bytes`: of
 * its answer.
 */
export interface PollSample {
  readonly method: string
  readonly result: PollResult
  readonly ms: number
  readonly bytes: number
}

/** What a webhook was sent. `hook`: its name, or `unknown`; `repeated`: it had come before. */
export interface DeliverySample {
  readonly hook: string
  readonly result: DeliveryResult | 'repeated'
}

/**
 * What is counted while the agent runs. It keeps each distinct value as long as the process lives: none is a revision,
 * an address or the text of an error.
 */
export interface Meters {
  polled(look: PollSample): void
  runEnded(run: Run): void
  delivered(delivery: DeliverySample): void
}

/** What is counted and how it stands, for a program that asks every so often. */
export interface MetricsPage {
  readonly type: string
  print(page: MetricsInput): Promise<string>
}

export interface MetricsInput {
  readonly metrics: MetricsSnapshot
  /** Used by the data directory, by part. */
  readonly bytes: ReadonlyMap<string, number>
  /** Longest stall of the event loop. */
  readonly stallMs: number
}

/** Where nobody counts. */
export const noMeters: Meters = { polled: () => {}, runEnded: () => {}, delivered: () => {} }
