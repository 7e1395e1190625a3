import { describeError } from '../../model/errors.js'
import type { Source } from '../../source/source.js'
import type { Log } from '../watch/log.js'

export interface DirectoryWatchesDeps {
  readonly source: Source
  readonly log: Log
  /** Called with the remote when its directory changed. */
  readonly onChange: (remote: string) => void
  /** The agent stops: ends all watches. */
  readonly stop: AbortSignal
}

/** Watches the directories among the followed remotes. Other remotes are in it, too, without a watch. */
export class DirectoryWatches {
  readonly #deps: DirectoryWatchesDeps
  readonly #watches = new Map<string, Disposable | undefined>()

  constructor(deps: DirectoryWatchesDeps) {
    this.#deps = deps
    const deleteAll = (): void => [...this.#watches.keys()].forEach((remote) => this.delete(remote))
    deps.stop.addEventListener('abort', deleteAll, { once: true })
  }

  get size(): number {
    return this.#watches.size
  }

  add(remote: string): void {
    const { source, log, stop } = this.#deps
    if (this.#watches.has(remote) || stop.aborted) return
    let isLogged = false
    const onChange = (): void => this.#deps.onChange(remote)
    const onError = (error: unknown): void => {
      if (!isLogged) log.warn('cannot watch the directory, polling only', { remote, error: describeError(error) })
      isLogged = true
    }
    this.#watches.set(remote, source.watch(remote, { onChange, onError }))
  }

  delete(remote: string): void {
    this.#watches.get(remote)?.[Symbol.dispose]()
    this.#watches.delete(remote)
  }
}
