import { afterRunning } from '../../model/after-running.js'
import { Unavailable } from '../../model/errors.js'

export interface Waits {
  /** Longest silence of the other side. */
  readonly silenceMs: number
  /** Longest time for all of it. */
  readonly totalMs: number
  /** The settings that say so; left out: those of a source. */
  readonly settings?: { readonly silence: string; readonly total: string }
}

const settingsOfSources = { silence: 'limits.gitRequest', total: 'limits.fetch' }

/** How long an exchange may take. Its `signal` is aborted with `Unavailable` where time is up, with the reason of `outer` where that is. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  readonly #waits: Waits
  readonly #who: string
  readonly #outer: AbortSignal
  readonly #endTotal: () => void
  #endSilence: () => void = () => {}
  readonly #onAbort = (): void => this.#controller.abort(this.#outer.reason)

  constructor(waits: Waits, who: string, outer: AbortSignal) {
    this.#waits = waits
    this.#who = who
    this.#outer = outer
    this.#endTotal = afterRunning(waits.totalMs, () => this.#end('did not finish', waits.totalMs, this.#settings.total))
    if (outer.aborted) this.#onAbort()
    else outer.addEventListener('abort', this.#onAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** It is the other side's turn: silence counts from now. */
  listen(): void {
    this.#endSilence()
    this.#endSilence = afterRunning(this.#waits.silenceMs, () => this.#end('sent nothing', this.#waits.silenceMs, this.#settings.silence))
  }

  /** It is our turn: silence does not count. */
  rest(): void {
    this.#endSilence()
  }

  [Symbol.dispose](): void {
    this.#endSilence()
    this.#endTotal()
    this.#outer.removeEventListener('abort', this.#onAbort)
  }

  get #settings(): { readonly silence: string; readonly total: string } {
    return this.#waits.settings ?? settingsOfSources
  }

  #end(what: string, ms: number, limit: string): void {
    this.#controller.abort(
      new Unavailable(`${this.#who} ${what} within ${ms / 1000} s (${limit}).`, {
        code: 'source/timeout',
        hint: `gitmoor tries again by itself. If the server is slow but works, raise ${limit}.`,
      }),
    )
  }
}
