import { afterRunning } from '../../lib/after-running.js'
import { Unavailable } from '../../model/errors.js'

export interface Timeouts {
  /** Longest silence of the other side. */
  readonly silenceMs: number
  /** Longest time for all of it. */
  readonly totalMs: number
  /** The settings that say so; left out: those of a source. */
  readonly settings?: { readonly silence: string; readonly total: string }
}

const settingsOfSources = { silence: 'limits.gitRequest', total: 'limits.fetch' }

/**
 * How long an exchange may take. It is over, with `Unavailable`, where time is up, and with the reason of `outer` where
 * that is aborted; then everything that waits for it ends. A signal of the runtime costs as much as half a look at a
 * remote, so there is one only where it is asked for.
 */
export class Deadline implements Disposable {
  readonly #waits: Timeouts
  readonly #who: string
  readonly #outer: AbortSignal
  readonly #onAbort = (): void => this.#end(this.#outer.reason)
  readonly #endings = new Set<() => void>()
  readonly #endTotal: () => void
  #endSilence: (() => void) | undefined
  /** Since when the other side is silent; undefined: it is our turn. */
  #silentSince: number | undefined
  #over: { readonly reason: unknown } | undefined
  #controller: AbortController | undefined

  constructor(waits: Timeouts, who: string, outer: AbortSignal) {
    this.#waits = waits
    this.#who = who
    this.#outer = outer
    this.#endTotal = afterRunning(waits.totalMs, () =>
      this.#timeIsUp('did not finish', waits.totalMs, this.#settings.total),
    )
    if (outer.aborted) this.#onAbort()
    else outer.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Why it is over; undefined: it is not. */
  get over(): { readonly reason: unknown } | undefined {
    return this.#over
  }

  /** Is aborted when it is over. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      this.onOver(() => controller.abort(this.#over!.reason))
    }
    return this.#controller.signal
  }

  /** Calls `act` when it is over, at once where it is; gives the way to call it off. */
  onOver(act: () => void): () => void {
    if (this.#over === undefined) this.#endings.add(act)
    else act()
    return () => void this.#endings.delete(act)
  }

  /** It is the other side's turn: silence counts from now. */
  startSilence(): void {
    this.#silentSince = performance.now()
    this.#endSilence ??= this.#afterSilence(this.#waits.silenceMs)
  }

  /** It is our turn: silence does not count. */
  stopSilence(): void {
    this.#silentSince = undefined
  }

  [Symbol.dispose](): void {
    this.#endSilence?.()
    this.#endTotal()
    this.#endings.clear()
    this.#outer.removeEventListener('abort', this.#onAbort)
  }

  get #settings(): { readonly silence: string; readonly total: string } {
    return this.#waits.settings ?? settingsOfSources
  }

  /** What came while this process was busy is read before that is held to be silence. */
  #afterSilence(ms: number): () => void {
    return afterRunning(ms, () => {
      const check = setImmediate(() => this.#checkSilence())
      this.#endSilence = (): void => clearImmediate(check)
    })
  }

  #checkSilence(): void {
    this.#endSilence = undefined
    if (this.#silentSince === undefined) return
    const { silenceMs } = this.#waits
    const leftMs = silenceMs - (performance.now() - this.#silentSince)
    if (leftMs > 0) this.#endSilence = this.#afterSilence(leftMs)
    else this.#timeIsUp('sent nothing', silenceMs, this.#settings.silence)
  }

  #timeIsUp(what: string, ms: number, limit: string): void {
    this.#end(
      new Unavailable(`${this.#who} ${what} within ${ms / 1000} s (${limit}).`, {
        code: 'source/timeout',
        hint: `gitmoor tries again by itself. If the server is slow but works, raise ${limit}.`,
      }),
    )
  }

  #end(reason: unknown): void {
    if (this.#over !== undefined) return
    this.#over = { reason }
    for (const act of this.#endings) act()
  }
}
