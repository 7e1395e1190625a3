// Which remotes are read now. A remote that was being read when the agent ended abnormally is read later than the
// others after the next start, and alone.
import type { Clock } from '../../lib/clock.js'
import { Unavailable } from '../../model/errors.js'
import type { Source } from '../../source/source.js'
import type { RefTips } from '../../source/ref-tips.js'
import type { ReadsRecord } from './reads-file.js'

export interface RemoteReadsDeps {
  readonly record: { read(): ReadsRecord; write(record: ReadsRecord): void }
  readonly clock: Clock
}

/** `heldUntil`: by `Clock.elapsed`. `polls`: that ended since the start. */
interface Suspect {
  readonly crashes: number
  readonly delayedUntil: number
  readonly polls: number
}

/** The code of the error of a read that a crash delays. */
export const delayedAfterCrash = 'source/held-after-crash'
/**
 * After the first crash; each further one in a row makes it so many times as long. A hold of 5 s lets the other stacks
 * begin.
 */
const firstDelayMs = 5_000
const delayGrowth = 6
export const longestDelayMs = 10 * 60_000
/** A run or a person waits so long for a read instead of failing: most deaths of a process are innocent. */
const patienceMs = 15_000
const never = new AbortController().signal
/** Between the first reads of two suspects; less where there are many. */
const apartMs = 5_000
const longestSpreadMs = 5 * 60_000
/**
 * A remote is no suspect any more when so many polls of it ended: what follows the first one, its fetch, is over by
 * then.
 */
const enoughPolls = 2

/** To be disposed when the agent ends normally. */
export class RemoteReads implements Disposable {
  readonly #deps: RemoteReadsDeps
  readonly #reading = new Map<string, number>()
  readonly #suspects: Map<string, Suspect>
  #isStale = false
  #isClosed = false

  constructor(deps: RemoteReadsDeps) {
    this.#deps = deps
    this.#suspects = suspects(deps.record.read(), deps.clock.elapsed())
    this.#write()
  }

  /** Remotes that are read now. */
  get reading(): readonly string[] {
    return [...this.#reading.keys()]
  }

  /** Remotes that are read later, since the agent ended abnormally while it read them, with how often that was. */
  get suspects(): ReadonlyMap<string, number> {
    return new Map([...this.#suspects].map(([remote, { crashes }]) => [remote, crashes]))
  }

  /**
   * The source, with its reads recorded. A suspect waits until its time has come, or throws `Unavailable` where that is
   * long.
   */
  source(source: Source): Source {
    return {
      remoteOf: (spec, stack) => source.remoteOf(spec, stack),
      poll: (...asked) => this.#during(asked[0], asked[2], () => source.poll(...asked), true),
      fetch: (...asked) => this.#during(asked[0], asked[2], () => source.fetch(...asked)),
      content: (...asked) => this.#during(asked[0], asked[3] ?? never, () => source.content(...asked)),
      files: (...asked) => this.#during(asked[0], asked[4], () => source.files(...asked)),
      keepOnly: (remotes) => source.keepOnly(remotes),
      watch: (remote, watching) => source.watch(remote, watching),
    }
  }

  /** The same for tips. */
  refTips(tips: RefTips): RefTips {
    return {
      describe: (...asked) => this.#during(asked[0], asked[2], () => tips.describe(...asked)),
      isForward: (...asked) => this.#during(asked[0], asked[2], () => tips.isForward(...asked)),
      promote: (...asked) => this.#during(asked[0], asked[2], () => tips.promote(...asked)),
    }
  }

  /** A normal end is no crash: reads that still go on are not recorded, and nothing is written after this. */
  [Symbol.dispose](): void {
    this.#write([])
    this.#isClosed = true
  }

  async #during<T>(remote: string, signal: AbortSignal, read: () => Promise<T>, isPoll = false): Promise<T> {
    const leftMs = this.#leftMs(remote)
    if (leftMs > patienceMs) throw delayed(remote, this.#suspects.get(remote)!.crashes, leftMs)
    if (leftMs > 0) await this.#deps.clock.sleep(leftMs, signal)
    this.#begin(remote)
    try {
      return await read()
    } finally {
      if (isPoll) this.#polled(remote)
      this.#end(remote)
    }
  }

  #leftMs(remote: string): number {
    const suspect = this.#suspects.get(remote)
    return suspect === undefined ? 0 : suspect.delayedUntil - this.#deps.clock.elapsed()
  }

  #begin(remote: string): void {
    const before = this.#reading.get(remote) ?? 0
    this.#reading.set(remote, before + 1)
    if (before === 0) this.#write()
  }

  /** The record follows soon: until then, what has ended is recorded as a read. */
  #end(remote: string): void {
    const left = this.#reading.get(remote)! - 1
    if (left > 0) return void this.#reading.set(remote, left)
    this.#reading.delete(remote)
    if (this.#isStale) return
    this.#isStale = true
    setImmediate(() => this.#isStale && this.#write())
  }

  #polled(remote: string): void {
    const suspect = this.#suspects.get(remote)
    if (suspect === undefined) return
    const polls = suspect.polls + 1
    if (polls >= enoughPolls) this.#suspects.delete(remote)
    else this.#suspects.set(remote, { ...suspect, polls })
  }

  #write(reading = this.reading): void {
    this.#isStale = false
    if (this.#isClosed) return
    this.#deps.record.write({ reading, crashes: Object.fromEntries(this.suspects) })
  }
}

/** Those that were being read, and those that were suspects before: the fewest crashes first. */
function suspects({ reading, crashes }: ReadsRecord, now: number): Map<string, Suspect> {
  const counts = new Map(Object.entries(crashes))
  for (const remote of reading) counts.set(remote, (counts.get(remote) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => one - other)
  const stepMs = Math.min(apartMs, longestSpreadMs / sorted.length)
  return new Map(
    sorted.map(([remote, times], nth) => {
      const holdMs = Math.min(longestDelayMs, firstDelayMs * delayGrowth ** (times - 1)) + nth * stepMs
      return [remote, { crashes: times, delayedUntil: now + holdMs, polls: 0 }]
    }),
  )
}

function delayed(remote: string, crashes: number, leftMs: number): Unavailable {
  const times = crashes === 1 ? '' : `, ${crashes} times in a row`
  return new Unavailable(
    `The agent ended abnormally while it read ${remote}${times}. It reads it again in ${Math.ceil(leftMs / 1000)} s.`,
    {
      code: delayedAfterCrash,
      hint: 'If that happens again, suspend the stacks that follow it and report the log of the agent before the last start.',
      retryAfterMs: leftMs,
    },
  )
}
