// Watches a folder. Several changes in quick succession are reported once.
import { watch, type FSWatcher } from 'chokidar'
import type { Stats } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import type { Clock } from '../../lib/clock.js'
import type { Watching } from '../source.js'
import { skippedFolders } from './walk-directory.js'

export interface WatchedOptions {
  readonly isPackageFile: (path: string) => boolean
  readonly depth: number
  readonly clock: Clock
  readonly watching: Watching
}

const quietMs = 300
/** A folder that never becomes quiet is reported after this time. */
const patienceMs = 3_000

export class WatchedDirectory implements Disposable {
  readonly #directory: string
  readonly #options: WatchedOptions
  #watcher: FSWatcher | undefined
  #isLost = false
  #waiting: { readonly since: number; readonly quiet: AbortController } | undefined

  constructor(directory: string, options: WatchedOptions) {
    this.#directory = directory
    this.#options = options
    this.#start()
  }

  /** The folder could not be read. */
  markGone(): void {
    this.#isLost = true
  }

  /** The folder was read; if it was missing before, it is watched again. */
  markPresent(): void {
    if (this.#isLost) this.#start()
  }

  [Symbol.dispose](): void {
    this.#waiting?.quiet.abort(new Error('The watch was disposed.'))
    void this.#watcher?.close()
    this.#watcher = undefined
  }

  #start(): void {
    void this.#watcher?.close()
    this.#isLost = false
    const { depth } = this.#options
    const watcher = watch(this.#directory, {
      ignored: (path, stats) => this.#isIgnored(path, stats),
      ignoreInitial: true,
      atomic: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      depth,
    })
    watcher.on('ready', () => this.#options.watching.onReady?.())
    watcher.on('all', (event, path) => {
      if (event === 'unlinkDir' && path === this.#directory) this.#isLost = true
      this.#changed()
    })
    watcher.on('error', (error) => this.#options.watching.onError(error))
    this.#watcher = watcher
  }

  #isIgnored(path: string, stats: Stats | undefined): boolean {
    if (path === this.#directory) return false
    if (skippedFolders.includes(basename(path))) return true
    return (
      stats?.isFile() === true && !this.#options.isPackageFile(relative(this.#directory, path).replaceAll(sep, '/'))
    )
  }

  /** Waits until there are no more changes; each change restarts the wait. */
  #changed(): void {
    const { clock } = this.#options
    const since = this.#waiting?.since ?? clock.elapsed()
    if (clock.elapsed() - since > patienceMs) return
    this.#waiting?.quiet.abort(new Error('There was another change.'))
    const quiet = new AbortController()
    this.#waiting = { since, quiet }
    void this.#notifyWhenQuiet(quiet.signal)
  }

  async #notifyWhenQuiet(signal: AbortSignal): Promise<void> {
    const { clock, watching } = this.#options
    const isQuiet = await clock.sleep(quietMs, signal).then(
      () => true,
      () => false,
    )
    if (!isQuiet) return
    this.#waiting = undefined
    watching.onChange()
  }
}
