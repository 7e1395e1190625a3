import type { Clock } from '../../lib/clock.js'
import { describeError } from '../../model/errors.js'
import type { Source } from '../../source/source.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../watch/log.js'

/** `everyMs`: the longest time between two, 0 is never. `kept`: how many of the automatic copies. */
export interface CopySettings {
  readonly everyMs: number
  readonly kept: number
}

export interface UpkeepDeps {
  readonly store: Pick<Store, 'files' | 'copies' | 'checkFiles'>
  readonly source: Pick<Source, 'keepOnly'>
  /** The remotes that stacks follow. */
  readonly followed: () => readonly string[]
  readonly clock: Clock
  readonly log: Log
  readonly limits: { readonly runsKept: number; readonly revisionsKept: number }
  /** Default: no copies. */
  readonly copies?: CopySettings
  readonly signal: AbortSignal
}

const checkFilesEveryMs = 10_000
const pruneEveryMs = 300_000
const sweepEveryMs = 86_400_000
const copyAgainMs = 3_600_000
/** After a start. Each pause until the next copy is twice as long as the one before, up to `everyMs`. */
const firstCopyMs = 120_000

/** What is done every so often and belongs to no stack. A failure is a warning, and the next time is soon enough. */
export class Upkeep {
  readonly #deps: UpkeepDeps
  #copyPauseMs = firstCopyMs

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
  }

  /** When each is due for the first time, in milliseconds since the epoch: a restart puts off no copy. */
  async firstTimes(): Promise<ReadonlyMap<string, number>> {
    const { store, clock, copies } = this.#deps
    const now = clock.now()
    const due = new Map([
      ['sweep', now],
      ['prune', now + pruneEveryMs],
      ['files', now + checkFilesEveryMs],
    ])
    if (copies === undefined || copies.everyMs === 0) return due
    const newest = Math.min((await store.copies.newest()) ?? now, now)
    return due.set('copy', Math.min(now + firstCopyMs, Math.max(now, newest + copies.everyMs)))
  }

  /** Does it; gives when it is due again. undefined: it is none of these. */
  perform(key: string): Promise<number> | undefined {
    if (key === 'prune') return this.#prune()
    if (key === 'sweep') return this.#sweep()
    if (key === 'copy') return this.#copy()
    if (key === 'files') return Promise.resolve(this.#checkFiles())
    return undefined
  }

  #checkFiles(): number {
    this.#deps.store.checkFiles()
    return this.#deps.clock.now() + checkFilesEveryMs
  }

  async #prune(): Promise<number> {
    const { store, clock, limits, log } = this.#deps
    await store.files
      .prune(limits)
      .catch((error: unknown) => log.warn('history was not tidied', { error: describeError(error) }))
    return clock.now() + pruneEveryMs
  }

  /** What was fetched of remotes that nobody follows any more is not kept. */
  async #sweep(): Promise<number> {
    const { source, followed, clock, log } = this.#deps
    const swept = await source.keepOnly(followed()).catch((error: unknown) => {
      log.warn('what nobody follows was not removed', { error: describeError(error) })
      return 0
    })
    if (swept > 0) log.info('removed what nobody follows', { remotes: swept })
    return clock.now() + sweepEveryMs
  }

  async #copy(): Promise<number> {
    const { store, clock, log, copies, signal } = this.#deps
    const { everyMs, kept } = copies!
    try {
      log.info('database copied', { file: await store.copies.make({ kept, everyMs }, signal) })
      const pauseMs = Math.min(this.#copyPauseMs, everyMs)
      this.#copyPauseMs = pauseMs * 2
      return clock.now() + pauseMs
    } catch (error) {
      if (!signal.aborted) log.warn('database was not copied', { error: describeError(error) })
      return clock.now() + Math.min(copyAgainMs, everyMs)
    }
  }
}
