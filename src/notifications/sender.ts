// Sends the pending messages of one receiver, one at a time, until it is closed. A message that fails delays no message
// about other stacks for longer than the first pause. A receiver that is down gets one attempt for each pause.
import type { Clock } from '../lib/clock.js'
import { abortAfter } from '../lib/async/abort-after.js'
import { describeError } from '../model/errors.js'
import type { Message } from '../model/agent/message.js'
import type { MessageTable } from '../store/message-table.js'
import type { NotificationReceiver, StatusReceiver } from './receiver.js'
import { attemptMs, sendMessage, type SendAttempt, type SendDeps } from './send-message.js'

export interface NotifierLog {
  info(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
}

export type MessageResult = 'sent' | 'retried' | 'failed' | 'dropped'

export interface SenderDeps extends SendDeps {
  readonly messages: MessageTable
  readonly clock: Clock
  readonly log: NotifierLog
  readonly publicUrl: () => string | undefined
  readonly onResult: (receiver: string, result: MessageResult) => void
}

/** A message is retried this long. */
export const retriedMs = 86_400_000
const firstDelayMs = 5_000
const longestDelayMs = 600_000
/** So many failed attempts in a row are failures of the receiver, not of a message. */
const failuresOfOutage = 2
/** Set clocks are noticed, and the database is asked again after an error. */
const longestSleepMs = 60_000
/** GitHub asks for a second between requests that write. */
const pauseMs = { github: 1_000, gitlab: 0, gitea: 0, forgejo: 0 } as const

export class Sender implements AsyncDisposable {
  readonly receiver: NotificationReceiver | StatusReceiver
  readonly #deps: SenderDeps
  readonly #stop = new AbortController()
  readonly #work: Promise<void>
  #wake = new AbortController()
  /** Failed attempts since the receiver took or refused a message. */
  #failures = 0
  /** Until when nothing is sent, in elapsed time. */
  #pausedUntil = 0

  constructor(receiver: NotificationReceiver | StatusReceiver, deps: SenderDeps) {
    this.receiver = receiver
    this.#deps = deps
    this.#work = this.#sendAll()
  }

  /** There may be a message that is due. `now`: a person asks for it, so a pause ends. */
  wake({ now }: { readonly now: boolean }): void {
    if (now) this.#pausedUntil = 0
    this.#wake.abort()
  }

  /** An attempt in progress ends; the next start repeats it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#work
  }

  async #sendAll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController() // before the read: what comes after it wakes
      const nextAt = await this.#sendNext().catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#deps.log.warn('messages not read', { receiver: this.receiver.name, error: describeError(error) })
        return this.#deps.clock.elapsed() + longestSleepMs
      })
      await this.#sleepUntil(nextAt)
    }
  }

  /** Returns until when nothing is due, in elapsed time. */
  async #sendNext(): Promise<number> {
    const { messages, clock } = this.#deps
    const latest = clock.elapsed() + longestSleepMs
    if (this.#pausedUntil > clock.elapsed()) return Math.min(this.#pausedUntil, latest)
    const next = await messages.next(this.receiver.name, { begun: this.#failures >= failuresOfOutage })
    const waitMs = next === undefined ? longestSleepMs : next.dueAt - clock.now()
    if (next === undefined || waitMs > 0) return Math.min(clock.elapsed() + waitMs, latest)
    await this.#attempt(next)
    return clock.elapsed() + ('forge' in this.receiver ? pauseMs[this.receiver.forge] : 0)
  }

  async #attempt({ id }: Message): Promise<void> {
    const { messages, publicUrl } = this.#deps
    const message = await messages.begin(id)
    if (message === undefined) return
    const signal = abortAfter(attemptMs, this.#stop.signal)
    const attempt = await sendMessage(this.receiver, message, { ...this.#deps, publicUrl: publicUrl(), signal })
    if (this.#stop.signal.aborted && attempt.result !== 'sent') return
    await this.#ended(message, attempt)
  }

  async #ended(message: Message, attempt: SendAttempt): Promise<void> {
    const { messages, clock, log, onResult } = this.#deps
    const { id, receiver, attempts, createdAt } = message
    this.#pause(attempt)
    if (attempt.result === 'sent') {
      log.info('message sent', { receiver, message: id, kind: message.kind, status: attempt.status })
      onResult(receiver, 'sent')
      return messages.end(id, { state: 'sent', status: attempt.status, error: '' })
    }
    const { status, error, retryAfterMs = 0 } = attempt
    const facts = { receiver, message: id, attempts, status, error }
    if (attempt.result === 'refused' || clock.now() - createdAt >= retriedMs) {
      log.error('message not sent', { ...facts, hint: `Send it again: gitmoor notification redeliver ${id}` })
      onResult(receiver, 'failed')
      return messages.end(id, { state: 'failed', status, error })
    }
    log.warn('message is retried', facts)
    onResult(receiver, 'retried')
    const dueAt = clock.now() + Math.max(retryAfterMs, backoffMs(attempts))
    return messages.end(id, { state: 'pending', status, error, dueAt })
  }

  #pause(attempt: SendAttempt): void {
    this.#failures = attempt.result === 'retry' ? this.#failures + 1 : 0
    if (attempt.result !== 'retry') return
    this.#pausedUntil = this.#deps.clock.elapsed() + Math.max(attempt.retryAfterMs ?? 0, backoffMs(this.#failures))
  }

  async #sleepUntil(at: number): Promise<void> {
    const ms = at - this.#deps.clock.elapsed()
    if (ms <= 0) return
    const signal = AbortSignal.any([this.#wake.signal, this.#stop.signal])
    await this.#deps.clock.sleep(ms, signal).catch(() => {})
  }
}

/** After so many attempts that failed. */
function backoffMs(failed: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failed - 1, 10))
}
