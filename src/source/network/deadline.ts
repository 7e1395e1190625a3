import { onAbort } from '../../lib/async/on-abort.js'
import { afterRunning } from '../../lib/async/after-running.js'
import { Unavailable } from '../../model/errors.js'

export interface Timeouts {
  /** The longest silence of the server. */
  readonly silenceMs: number
  /** The longest total time. */
  readonly totalMs: number
  /** The settings for messages. Default: those of a source. */
  readonly settings?: { readonly silence: string; readonly total: string }
}

const settingsOfSources = { silence: 'limits.gitRequest', total: 'limits.fetch' }

/**
 * The deadline of an exchange. It ends with `Unavailable` when the time is up, or with the reason of `outer` when that
 * aborts. Creating an AbortSignal costs as much as half a poll, so `signal` is created on demand.
 */
export class Deadline implements Disposable {
  readonly #timeouts: Timeouts
  readonly #who: string
  #ignoreOuter: (() => void) | undefined
  readonly #endings = new Set<() => void>()
  readonly #endTotal: () => void
  #endSilence: (() => void) | undefined
  /** When the silence started; undefined: the server is not expected to send. */
  #silentSince: number | undefined
  #over: { readonly reason: unknown } | undefined
  #controller: AbortController | undefined

  constructor(timeouts: Timeouts, who: string, outer: AbortSignal) {
    this.#timeouts = timeouts
    this.#who = who
    this.#endTotal = afterRunning(timeouts.totalMs, () =>
      this.#timeIsUp('did not finish', timeouts.totalMs, this.#settings.total),
    )
    if (outer.aborted) this.#end(outer.reason)
    else this.#ignoreOuter = onAbort(outer, () => this.#end(outer.reason))
  }

  /** Why it ended; undefined: it has not ended. */
  get over(): { readonly reason: unknown } | undefined {
    return this.#over
  }

  /** Aborts when the deadline ends. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      this.onOver(() => controller.abort(this.#over!.reason))
    }
    return this.#controller.signal
  }

  /** Calls `act` when the deadline ends, or at once if it has ended. Returns a function that cancels the call. */
  onOver(act: () => void): () => void {
    if (this.#over === undefined) this.#endings.add(act)
    else act()
    return () => void this.#endings.delete(act)
  }

  /** The server is expected to send: its silence counts from now. */
  startSilence(): void {
    this.#silentSince = performance.now()
    this.#endSilence ??= this.#afterSilence(this.#timeouts.silenceMs)
  }

  /** The server is not expected to send: its silence does not count. */
  stopSilence(): void {
    this.#silentSince = undefined
  }

  [Symbol.dispose](): void {
    this.#endSilence?.()
    this.#endTotal()
    this.#endings.clear()
    this.#ignoreOuter?.()
  }

  get #settings(): { readonly silence: string; readonly total: string } {
    return this.#timeouts.settings ?? settingsOfSources
  }

  /** Data that arrived while this process was busy is read before the silence is checked. */
  #afterSilence(ms: number): () => void {
    return afterRunning(ms, () => {
      const check = setImmediate(() => this.#checkSilence())
      this.#endSilence = (): void => clearImmediate(check)
    })
  }

  #checkSilence(): void {
    this.#endSilence = undefined
    if (this.#silentSince === undefined) return
    const { silenceMs } = this.#timeouts
    const leftMs = silenceMs - (performance.now() - this.#silentSince)
    if (leftMs > 0) this.#endSilence = this.#afterSilence(leftMs)
    else this.#timeIsUp('sent nothing', silenceMs, this.#settings.silence)
  }

  #timeIsUp(what: string, ms: number, limit: string): void {
    this.#end(
      new Unavailable(`${this.#who} ${what} within ${ms / 1000} s (${limit}).`, {
        code: 'source/timeout',
        hint: `If the server is slow but works, raise ${limit}.`,
      }),
    )
  }

  #end(reason: unknown): void {
    if (this.#over !== undefined) return
    this.#over = { reason }
    for (const act of this.#endings) act()
  }
}
