interface PlannedPoll {
  readonly dueAt: number
  readonly intervalMs: number
  readonly begun: boolean
}

/** A look that is not as it should be: due `lateMs` ago and not begun, or under way for so long. */
export interface LatePoll {
  readonly remote: string
  readonly lateMs: number
}

/** So many intervals may pass before the agent is not keeping time any more. */
const intervals = 3
/** What is under way ends by its own limits, and they are longer than a short interval. */
const leastUnderWayMs = 300_000

/** When which remote is due, and whether it was looked at then. Times are those of `Clock.elapsed`. */
export class OverduePolls {
  readonly #remotes = new Map<string, PlannedPoll>()

  /** Planned again; what is under way stays so until it has ended. */
  follow(remote: string, now: number, intervalMs: number): void {
    const { dueAt = now, begun = false } = this.#remotes.get(remote) ?? {}
    this.#remotes.set(remote, { dueAt: Math.min(dueAt, now), intervalMs, begun })
  }

  /** Without an interval it is as before; nothing where nobody follows it any more. */
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

  /** How long ago the oldest look that is due or under way was due; 0: none is. */
  oldestMs(now: number): number {
    return Math.max(0, ...[...this.#remotes.values()].map(({ dueAt }) => now - dueAt))
  }

  /** The remote that is due longest, of those due for three of their intervals. */
  late(now: number): LatePoll | undefined {
    const late = [...this.#remotes]
      .map(([remote, planned]) => ({ remote, lateMs: now - planned.dueAt, most: mostMs(planned) }))
      .filter(({ lateMs, most }) => lateMs > most)
      .sort((a, b) => b.lateMs - a.lateMs)[0]
    return late && { remote: late.remote, lateMs: late.lateMs }
  }
}

function mostMs({ intervalMs, begun }: PlannedPoll): number {
  return begun ? Math.max(intervals * intervalMs, leastUnderWayMs) : intervals * intervalMs
}
