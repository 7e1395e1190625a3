import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.js'
import type { Event, NumberedEvent } from '../../model/stacks/event.js'
import type { Subscription } from '../../stacks/scheduler.js'

/** Events that are kept for listeners that reconnect. */
const mostKept = 1_000

/** Recent events and their listeners. Nothing is stored: a new process begins without events. */
export class EventLog {
  readonly #process = randomBytes(4).toString('hex')
  readonly #clock: Clock
  readonly #listeners = new Set<(event: NumberedEvent) => void>()
  #recent: NumberedEvent[] = []
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The id of the last event. */
  get lastId(): string {
    return this.#idOf(this.#count)
  }

  publish(event: Event): void {
    const numbered = { id: this.#idOf(++this.#count), at: this.#clock.now(), event }
    this.#recent.push(numbered)
    if (this.#recent.length > 2 * mostKept) this.#recent = this.#recent.slice(-mostKept)
    for (const listener of this.#listeners) listener(numbered)
  }

  /** `after`: the id of the last event that the listener knows; later ones are replayed before this returns. */
  subscribe(after: string | undefined, listener: (event: NumberedEvent) => void): Subscription {
    const missed = after === undefined ? [] : this.#since(after)
    for (const event of missed ?? []) listener(event)
    this.#listeners.add(listener)
    return {
      id: this.lastId,
      missed: missed === undefined,
      stop: () => void this.#listeners.delete(listener),
    }
  }

  /** undefined: some of them are no longer kept. */
  #since(after: string): readonly NumberedEvent[] | undefined {
    const [, process, count] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(after) ?? []
    const behind = this.#count - Number(count)
    if (process !== this.#process || behind < 0 || behind > mostKept) return undefined
    return behind === 0 ? [] : this.#recent.slice(-behind)
  }

  #idOf(count: number): string {
    return `${this.#process}-${count}`
  }
}
