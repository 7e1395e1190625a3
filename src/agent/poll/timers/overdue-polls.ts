interface PlannedPoll {
  readonly dueAt: number
  readonly intervalMs: number
  readonly begun: boolean
}

/** A poll that is overdue: due `lateMs` ago and not begun, or in progress for so long. */
export interface LatePoll {
  readonly remote: string
  readonly lateMs: number
}

/** A poll is overdue after so many intervals. */
const intervals = 3
/** A poll in progress ends by its own limits, which are longer than short intervals. */
const leastInProgressMs = 300_000

/** Finds polls that are overdue. Times are those of `Clock.elapsed`. */
export class OverduePolls {
  readonly #remotes = new Map<string, PlannedPoll>()

  /** A poll is due; one in progress stays so until it has ended. */
  follow(remote: string, now: number, intervalMs: number): void {
    const { dueAt = now, begun = false } = this.#remotes.get(remote) ?? {}
    this.#remotes.set(remote, { dueAt: Math.min(dueAt, now), intervalMs, begun })
  }

  /** The next poll, after one that ended. Without an interval, the interval stays; unknown remotes are ignored. */
  plan(remote: string, dueAt: number, intervalMs = this.#remotes.get(remote)?.intervalMs): void {
    if (intervalMs !== undefined) this.#remotes.set(remote, { dueAt, intervalMs, begun: false })
  }

  begin(remote: string, now: number): void {
    const planned = this.#remotes.get(remote)
    if (planned !== undefined)
      this.#remotes.set(remote, { ...planned, dueAt: Math.min(planned.dueAt, now), begun: true })
  }

  remove(remote: string): void {
    this.#remotes.delete(remote)
  }

  /** How long ago the oldest poll that is due or in progress was due; 0: none is. */
  oldestMs(now: number): number {
    return Math.max(0, ...[...this.#remotes.values()].map(({ dueAt }) => now - dueAt))
  }

  /** The remote that is overdue the longest. */
  late(now: number): LatePoll | undefined {
    const late = [...this.#remotes]
      .map(([remote, planned]) => ({ remote, lateMs: now - planned.dueAt, most: mostMs(planned) }))
      .filter(({ lateMs, most }) => lateMs > most)
      .sort((a, b) => b.lateMs - a.lateMs)[0]
    return late && { remote: late.remote, lateMs: late.lateMs }
  }
}

function mostMs({ intervalMs, begun }: PlannedPoll): number {
  return begun ? Math.max(intervals * intervalMs, leastInProgressMs) : intervals * intervalMs
}
