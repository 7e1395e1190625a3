// Requests for a poll of a remote, by people, webhooks and use cases. A remote that fails is polled for a request only
// some time after the last one, and failed requests do not make the backoff longer.
import type { Clock } from '../../lib/clock.js'

/** Between two requested polls of a remote that fails. */
export const requestedApartMs = 10_000

export class PollRequests {
  readonly #clock: Clock
  readonly #stop: AbortSignal
  /** Remotes whose next poll was requested, and is not only due by its interval. */
  readonly #requested = new Set<string>()
  /** When the last requested poll of a remote began, by `Clock.elapsed`. */
  readonly #requestedAt = new Map<string, number>()
  /** Failed polls in a row; requested ones count at most once. */
  readonly #failures = new Map<string, number>()
  /** Requests that wait. `until`: milliseconds since the epoch; `end`: the wait. */
  readonly #waits = new Set<{ readonly remote: string; readonly until: number; readonly end: () => void }>()

  /** `stop`: the agent stops. */
  constructor({ clock, stop }: { readonly clock: Clock; readonly stop: AbortSignal }) {
    this.#clock = clock
    this.#stop = stop
  }

  /**
   * Resolves when a request may poll the remote: at once after a poll succeeded. Its next poll is a requested one.
   */
  async add(remote: string, signal: AbortSignal): Promise<void> {
    const leftMs = this.#failures.has(remote)
      ? (this.#requestedAt.get(remote) ?? -requestedApartMs) + requestedApartMs - this.#clock.elapsed()
      : 0
    if (leftMs > 0) await this.#wait(remote, leftMs, signal)
    this.#requestedAt.set(remote, this.#clock.elapsed())
    this.#requested.add(remote)
  }

  /** When the first request that waits may poll one of the remotes; null: none waits. */
  waitingUntil(remotes: readonly string[]): number | null {
    const times = [...this.#waits].flatMap(({ remote, until }) => (remotes.includes(remote) ? [until] : []))
    return times.length === 0 ? null : Math.min(...times)
  }

  /** A poll begins. True: it was requested. */
  take(remote: string): boolean {
    return this.#requested.delete(remote)
  }

  /** A poll ended. Gives the failed polls in a row. */
  countFailures(remote: string, error: unknown, isRequested: boolean): number {
    const before = this.#failures.get(remote) ?? 0
    const failures = error === undefined ? 0 : isRequested ? Math.max(1, before) : before + 1
    if (failures > 0) this.#failures.set(remote, failures)
    else if (this.#failures.delete(remote)) for (const wait of this.#waits) if (wait.remote === remote) wait.end()
    return failures
  }

  remove(remote: string): void {
    for (const known of [this.#requested, this.#requestedAt, this.#failures]) known.delete(remote)
  }

  async #wait(remote: string, ms: number, signal: AbortSignal): Promise<void> {
    const ended = new AbortController()
    const wait = { remote, until: this.#clock.now() + ms, end: () => ended.abort() }
    this.#waits.add(wait)
    try {
      await this.#clock.sleep(ms, AbortSignal.any([signal, this.#stop, ended.signal]))
    } catch (error) {
      if (signal.aborted || this.#stop.aborted) throw error
    } finally {
      this.#waits.delete(wait)
    }
  }
}
