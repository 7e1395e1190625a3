import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.js'
import type { Event, NumberedEvent } from '../../model/event.js'
import type { Subscription } from '../../stacks/scheduler.js'

/** So many are remembered for who comes back. */
const remembered = 1_000

/** What happened lately, and who is told of it. Nothing of it is written down: a new process begins anew. */
export class EventLog {
  readonly #process = randomBytes(4).toString('hex')
  readonly #clock: Clock
  readonly #listeners = new Set<(happening: NumberedEvent) => void>()
  #recent: NumberedEvent[] = []
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  publish(event: Event): void {
    const numbered = { id: this.#idOf(++this.#count), at: this.#clock.now(), event }
    this.#recent.push(numbered)
    if (this.#recent.length > 2 * remembered) this.#recent = this.#recent.slice(-remembered)
    for (const listener of this.#listeners) listener(numbered)
  }

  /** `after`: the last happening that the listener knows; what came since is told at once, before this returns. */
  subscribe(after: string | undefined, listener: (happening: NumberedEvent) => void): Subscription {
    const missed = after === undefined ? [] : this.#since(after)
    for (const happening of missed ?? []) listener(happening)
    this.#listeners.add(listener)
    return {
      id: this.#idOf(this.#count),
      missed: missed === undefined,
      stop: () => void this.#listeners.delete(listener),
    }
  }

  /** undefined: not all of it is remembered. */
  #since(after: string): readonly NumberedEvent[] | undefined {
    const [, process, count] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(after) ?? []
    const behind = this.#count - Number(count)
    if (process !== this.#process || behind < 0 || behind > remembered) return undefined
    return behind === 0 ? [] : this.#recent.slice(-behind)
  }

  #idOf(count: number): string {
    return `${this.#process}-${count}`
  }
}
