// The timer of each remote: its next poll comes after the interval, and later after failures, with a proven webhook, or
// if its host must not be polled yet.
import type { Clock } from '../../../lib/clock.js'
import type { PollDelay } from '../../../stacks/scheduler.js'
import type { Timers } from '../../schedule/schedule.js'
import type { Live } from '../../watch/live.js'
import { nextPoll, type EndedPoll } from './next-poll.js'
import { OverduePolls, type LatePoll } from './overdue-polls.js'
import { nextProof, type PollFound, type WebhookProof } from './webhook-proof.js'

export interface PollTimersDeps {
  readonly clock: Clock
  readonly random: () => number
  readonly timers: Timers
  readonly live: Pick<Live, 'pollDelays'>
}

/** A poll that ended. `isRequested`: its failure does not make the next poll later. */
interface FinishedPoll extends Omit<EndedPoll, 'proof'>, Omit<PollFound, 'now'> {
  readonly isRequested: boolean
}

/** When a remote is polled next. `intervalMs`: if it changed. */
interface PlannedNext {
  readonly ms: number
  readonly why: PollDelay | null
  readonly intervalMs?: number
}

export class PollTimers {
  readonly #deps: PollTimersDeps
  readonly #overdue = new OverduePolls()
  readonly #proofs = new Map<string, WebhookProof>()

  constructor(deps: PollTimersDeps) {
    this.#deps = deps
  }

  get provenWebhooks(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#proofs].flatMap(([remote, proof]) => (proof.kind === 'proven' ? [[remote, proof.by] as const] : [])),
    )
  }

  get late(): LatePoll | undefined {
    return this.#overdue.late(this.#deps.clock.elapsed())
  }

  get oldestMs(): number {
    return this.#overdue.oldestMs(this.#deps.clock.elapsed())
  }

  /** What these webhooks have proven is unproven again: their remotes are polled now, then at their interval. */
  doubtWebhooks(names: ReadonlySet<string>): void {
    for (const [remote, proof] of this.#proofs)
      if (proof.kind === 'proven' && names.has(proof.by)) {
        this.#proofs.set(remote, { kind: 'unproven' })
        this.atLatest(remote, 0)
      }
  }

  /** When the first of the remotes is polled next; null: none has a timer. */
  nextAt(remotes: readonly string[]): number | null {
    const times = remotes.flatMap((remote) => this.#deps.timers.get(keyOf(remote)) ?? [])
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Polls it at the latest after this time. */
  atLatest(remote: string, afterMs: number): void {
    this.#deps.timers.atLatest(keyOf(remote), this.#deps.clock.now() + afterMs)
  }

  /** A stack follows the remote from now on. */
  follow(remote: string, afterMs: number, intervalMs: number): void {
    this.atLatest(remote, afterMs)
    this.#overdue.follow(remote, this.#deps.clock.elapsed() + afterMs, intervalMs)
  }

  begin(remote: string): void {
    this.#overdue.begin(remote, this.#deps.clock.elapsed())
  }

  /** Plans the next poll after one that ended. */
  ended(remote: string, { error, failures, moved, notifiedBy, intervalMs, isRequested }: FinishedPoll): void {
    const { clock, random, timers } = this.#deps
    const found = { moved, notifiedBy, now: clock.elapsed() }
    const proof = nextProof(this.#proofs.get(remote) ?? { kind: 'unproven' }, found)
    this.#proofs.set(remote, proof)
    const next = nextPoll({ intervalMs, failures, error, proof }, random())
    const plannedAt = isRequested && failures > 0 ? timers.get(keyOf(remote)) : undefined
    const ms = Math.min(next.ms, Math.max(0, (plannedAt ?? Infinity) - clock.now()))
    this.plan(remote, { ...next, ms, intervalMs })
  }

  plan(remote: string, { ms, why, intervalMs }: PlannedNext): void {
    const { timers, clock, live } = this.#deps
    timers.set(keyOf(remote), clock.now() + ms)
    this.#overdue.plan(remote, clock.elapsed() + ms, intervalMs)
    if (why === null) live.pollDelays.delete(remote)
    else live.pollDelays.set(remote, why)
  }

  /** The last stack left the remote. */
  delete(remote: string): void {
    this.#deps.timers.delete(keyOf(remote))
  }

  remove(remote: string): void {
    this.#overdue.remove(remote)
    this.#proofs.delete(remote)
    this.#deps.live.pollDelays.delete(remote)
  }
}

function keyOf(remote: string): string {
  return `remote ${remote}`
}
