// Records which remotes are being read. If the agent crashes meanwhile, they are read later than others after the next
// start, and not all at the same time.
import { InProcessLocks } from '../../lib/async/in-process-locks.js'
import type { Clock } from '../../lib/clock.js'
import { timeText } from '../../lib/text/time-text.js'
import { Unavailable } from '../../model/errors.js'
import type { Source } from '../../source/source.js'
import type { RefTips } from '../../source/ref-tips.js'
import type { ReadsRecord } from './reads-file.js'

export interface RemoteReadsDeps {
  readonly record: { read(): ReadsRecord; write(record: ReadsRecord): void }
  readonly clock: Clock
}

/** `delayedUntil`: by `Clock.elapsed`. `polls`: polls that ended since the start. */
interface Suspect {
  readonly crashes: number
  readonly delayedUntil: number
  /** How much later than this one the next one is first read, at least. */
  readonly apartMs: number
  readonly polls: number
}

/** The code of the error of a read that is delayed after a crash. */
export const delayedAfterCrash = 'source/delayed-after-crash'

/** When suspects are read: at least `apartMs` between the first reads of two, less if there are many. */
interface Care {
  readonly delayMs: number
  readonly apartMs: number
  readonly longestSpreadMs: number
}

/** After one crash: few crashes are caused by a read, so no stack waits long. */
const quick: Care = { delayMs: 1_000, apartMs: 250, longestSpreadMs: 2_000 }
/** After further crashes in a row during a read of the same remote: the other stacks have time to sync. */
const careful: Care = { delayMs: 30_000, apartMs: 5_000, longestSpreadMs: 5 * 60_000 }
/** The careful delay grows by this factor with each further crash. */
const delayGrowth = 6
/** The first read of a suspect keeps others waiting until it ends, but not longer than this times `apartMs`. */
const longestTurn = 4
export const longestDelayMs = 10 * 60_000
/** Runs and requests wait so long for a delayed read instead of failing: few crashes are caused by a read. */
const patienceMs = 15_000
const never = new AbortController().signal
/**
 * A remote is no longer a suspect after so many polls: the fetch that follows the first one has ended by then.
 */
const enoughPolls = 2

/** To be disposed when the agent ends normally. */
export class RemoteReads implements Disposable {
  readonly #deps: RemoteReadsDeps
  readonly #reading = new Map<string, number>()
  /** The remotes of the last record: those that are being read, and those whose read just ended. */
  #recorded: ReadonlySet<string> = new Set()
  readonly #suspects: Map<string, Suspect>
  /** Suspects that were read. */
  readonly #read = new Set<string>()
  readonly #turns = new InProcessLocks()
  readonly #closing = new AbortController()
  #isStale = false
  #isClosed = false

  constructor(deps: RemoteReadsDeps) {
    this.#deps = deps
    this.#suspects = suspects(deps.record.read(), deps.clock.elapsed())
    this.#write()
  }

  /** Remotes that are being read. */
  get reading(): readonly string[] {
    return [...this.#reading.keys()]
  }

  /** Remotes whose reads are delayed, with the number of crashes while they were read. */
  get suspects(): ReadonlyMap<string, number> {
    return new Map([...this.#suspects].map(([remote, { crashes }]) => [remote, crashes]))
  }

  /** How long a read of the remote waits now; 0: it begins, or fails, at once. */
  waitMs(remote: string): number {
    const leftMs = this.#leftMs(remote)
    return leftMs > patienceMs ? 0 : Math.max(0, leftMs)
  }

  /**
   * The source with recorded reads. A read of a suspect waits for the end of its delay, or throws `Unavailable` if that
   * is long.
   */
  source(source: Source): Source {
    return {
      remoteOf: (spec, stack) => source.remoteOf(spec, stack),
      poll: (...args) => this.#during(args[0], args[2], () => source.poll(...args), true),
      fetch: (...args) => this.#during(args[0], args[2], () => source.fetch(...args)),
      content: (...args) => this.#during(args[0], args[3] ?? never, () => source.content(...args)),
      files: (...args) => this.#during(args[0], args[4], () => source.files(...args)),
      keepOnly: (remotes) => source.keepOnly(remotes),
      watch: (remote, watching) => source.watch(remote, watching),
    }
  }

  /** The same for ref tips. */
  refTips(tips: RefTips): RefTips {
    return {
      describe: (...args) => this.#during(args[0], args[2], () => tips.describe(...args)),
      direction: (...args) => this.#during(args[0], args[2], () => tips.direction(...args)),
      commitsBetween: (...args) => this.#during(args[0], args[2], () => tips.commitsBetween(...args)),
      promote: (...args) => this.#during(args[0], args[2], () => tips.promote(...args)),
    }
  }

  /** Normal shutdown: reads in progress are no longer recorded, and remotes that were polled are no longer suspects. */
  [Symbol.dispose](): void {
    for (const [remote, { polls }] of this.#suspects)
      if (polls > 0 && !this.#reading.has(remote)) this.#suspects.delete(remote)
    this.#write([])
    this.#isClosed = true
    this.#closing.abort()
  }

  async #during<T>(remote: string, signal: AbortSignal, read: () => Promise<T>, isPoll = false): Promise<T> {
    for (let leftMs = this.#leftMs(remote); leftMs > 0; leftMs = this.#leftMs(remote)) {
      if (leftMs > patienceMs) throw this.#delayed(remote, leftMs)
      await this.#deps.clock.sleep(leftMs, signal)
    }
    const recorded = (): Promise<T> => this.#record(remote, signal, read, isPoll)
    return this.#suspects.has(remote) && !this.#read.has(remote) ? this.#inTurn(remote, signal, recorded) : recorded()
  }

  async #record<T>(remote: string, signal: AbortSignal, read: () => Promise<T>, isPoll: boolean): Promise<T> {
    this.#begin(remote)
    try {
      return await read()
    } finally {
      this.#judge(remote, { isPoll, isAborted: signal.aborted })
      this.#end(remote)
    }
  }

  /** Suspects are first read one after the other: a crash then shows which of them caused it. */
  async #inTurn<T>(remote: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    const turn = await this.#turns.acquire('first read', signal)
    const suspect = this.#suspects.get(remote)
    const reading = read()
    if (suspect === undefined || this.#read.has(remote)) turn[Symbol.dispose]()
    else void this.#endTurn(turn, reading, suspect.apartMs)
    this.#read.add(remote)
    return reading
  }

  async #endTurn(turn: Disposable, reading: Promise<unknown>, apartMs: number): Promise<void> {
    const sleep = (ms: number): Promise<void> => this.#deps.clock.sleep(ms, this.#closing.signal)
    const read = Promise.race([reading, sleep(longestTurn * apartMs)])
    await Promise.allSettled([sleep(apartMs), read])
    turn[Symbol.dispose]()
  }

  #delayed(remote: string, leftMs: number): Unavailable {
    return delayed(remote, this.#suspects.get(remote)!.crashes, { now: this.#deps.clock.now(), leftMs })
  }

  #leftMs(remote: string): number {
    const suspect = this.#suspects.get(remote)
    return suspect === undefined ? 0 : suspect.delayedUntil - this.#deps.clock.elapsed()
  }

  #begin(remote: string): void {
    const before = this.#reading.get(remote) ?? 0
    this.#reading.set(remote, before + 1)
    if (!this.#recorded.has(remote)) this.#write()
  }

  /** The record is updated soon, not at once: until then it includes the ended read. */
  #end(remote: string): void {
    const left = this.#reading.get(remote)! - 1
    if (left > 0) return void this.#reading.set(remote, left)
    this.#reading.delete(remote)
    if (this.#isStale) return
    this.#isStale = true
    setImmediate(() => this.#isStale && this.#write())
  }

  /** An aborted read proves nothing. */
  #judge(remote: string, { isPoll, isAborted }: { readonly isPoll: boolean; readonly isAborted: boolean }): void {
    const suspect = this.#suspects.get(remote)
    if (suspect === undefined) return
    const polls = isAborted ? 0 : suspect.polls + (isPoll ? 1 : 0)
    if (polls >= enoughPolls) this.#suspects.delete(remote)
    else this.#suspects.set(remote, { ...suspect, polls })
  }

  #write(reading = this.reading): void {
    this.#isStale = false
    if (this.#isClosed) return
    this.#recorded = new Set(reading)
    this.#deps.record.write({ reading, crashes: Object.fromEntries(this.suspects) })
  }
}

/** Remotes that were being read, and earlier suspects: the fewest crashes first. */
function suspects({ reading, crashes }: ReadsRecord, now: number): Map<string, Suspect> {
  const counts = new Map(Object.entries(crashes))
  for (const remote of reading) counts.set(remote, (counts.get(remote) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => one - other)
  const first = sorted.filter(([, times]) => times === 1)
  return new Map([...spread(first, quick, now), ...spread(sorted.slice(first.length), careful, now)])
}

/** Each is read after the one before. */
function spread(
  counts: readonly (readonly [string, number])[],
  { delayMs, apartMs, longestSpreadMs }: Care,
  now: number,
): readonly (readonly [string, Suspect])[] {
  const stepMs = Math.min(apartMs, longestSpreadMs / counts.length)
  return counts.map(([remote, crashes], nth) => {
    const grownMs = delayMs * delayGrowth ** Math.max(0, crashes - 2)
    const delayedUntil = now + Math.min(longestDelayMs, grownMs) + nth * stepMs
    return [remote, { crashes, delayedUntil, apartMs: stepMs, polls: 0 }]
  })
}

/** The stored message names the time of the next read, rounded up to the second: nothing counts a duration down. */
function delayed(
  remote: string,
  crashes: number,
  { now, leftMs }: { readonly now: number; readonly leftMs: number },
): Unavailable {
  const next = timeText(Math.ceil((now + leftMs) / 1_000) * 1_000)
  const times = crashes === 1 ? '' : `, ${crashes} times in a row`
  return new Unavailable(`The agent crashed while it read ${remote}${times}. The next read is at ${next}.`, {
    code: delayedAfterCrash,
    hint:
      'If it happens again, suspend the stacks that follow this remote, ' +
      'and report the log from before the last start.',
    retryAfterMs: Math.ceil(leftMs), // the clock counts parts of milliseconds, the database does not
  })
}
