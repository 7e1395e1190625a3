import type { Clock } from '../../lib/clock.js'
import { describeError } from '../../model/errors.js'
import type { Source, UsedRemotes } from '../../source/source.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../watch/log.js'

/** `everyMs`: the longest time between two copies; 0: never. `kept`: the number of automatic copies to keep. */
export interface CopySettings {
  readonly everyMs: number
  readonly kept: number
}

export interface UpkeepDeps {
  readonly store: Pick<Store, 'files' | 'copies' | 'checkFiles'>
  readonly source: Pick<Source, 'keepOnly'>
  /** Checked once a minute, in this order. */
  readonly references: readonly { check(): Promise<void> }[]
  /** Of all stored stacks. */
  readonly remotes: () => Promise<UsedRemotes>
  readonly clock: Clock
  readonly log: Log
  readonly limits: { readonly runsKept: number; readonly revisionsKept: number }
  /** Default: no copies. */
  readonly copies?: CopySettings
  readonly signal: AbortSignal
}

const checkFilesEveryMs = 10_000
const checkReferencesEveryMs = 60_000
const pruneEveryMs = 300_000
const sweepEveryMs = 86_400_000
const copyAgainMs = 3_600_000
/** After a start. Each pause is twice as long as the last one, up to `everyMs`. */
const firstCopyMs = 120_000

/** Periodic tasks that belong to no stack. A failure is a warning; the task is repeated at its next time. */
export class Upkeep {
  readonly #deps: UpkeepDeps
  #copyPauseMs = firstCopyMs

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
  }

  /** When each task is due first, in milliseconds since the epoch. A restart delays no copy. */
  async firstTimes(): Promise<ReadonlyMap<string, number>> {
    const { store, clock, copies } = this.#deps
    const now = clock.now()
    const due = new Map([
      ['sweep', now],
      ['prune', now + pruneEveryMs],
      ['files', now + checkFilesEveryMs],
      ['references', now + checkReferencesEveryMs],
    ])
    if (copies === undefined || copies.everyMs === 0) return due
    const newest = Math.min((await store.copies.newest()) ?? now, now)
    return due.set('copy', Math.min(now + firstCopyMs, Math.max(now, newest + copies.everyMs)))
  }

  /** Performs a task; resolves with the next time. undefined: it is not one of these tasks. */
  perform(key: string): Promise<number> | undefined {
    if (key === 'prune') return this.#prune()
    if (key === 'sweep') return this.#sweep()
    if (key === 'copy') return this.#copy()
    if (key === 'files') return Promise.resolve(this.#checkFiles())
    if (key === 'references') return this.#checkReferences()
    return undefined
  }

  #checkFiles(): number {
    this.#deps.store.checkFiles()
    return this.#deps.clock.now() + checkFilesEveryMs
  }

  async #checkReferences(): Promise<number> {
    for (const some of this.#deps.references) await some.check()
    return this.#deps.clock.now() + checkReferencesEveryMs
  }

  async #prune(): Promise<number> {
    const { store, clock, limits, log } = this.#deps
    await store.files
      .prune(limits)
      .catch((error: unknown) => log.warn('history cleanup failed', { error: describeError(error) }))
    return clock.now() + pruneEveryMs
  }

  /** Deletes the clones of remotes that no stored stack has. */
  async #sweep(): Promise<number> {
    const { source, remotes, clock, log } = this.#deps
    try {
      const removed = await source.keepOnly(await remotes())
      if (removed > 0) log.info('unused clones removed', { remotes: removed })
    } catch (error) {
      log.warn('cleanup of unused clones failed', { error: describeError(error) })
    }
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
