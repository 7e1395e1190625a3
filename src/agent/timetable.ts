/** When what is due. The keys are stacks and remotes. */
export class Timetable {
  readonly #due = new Map<string, number>()
  readonly #onSooner: () => void

  /** `onSooner`: called when something is due earlier than all before. */
  constructor(onSooner: () => void) {
    this.#onSooner = onSooner
  }

  set(key: string, at: number): void {
    const sooner = at < this.next()
    this.#due.set(key, at)
    if (sooner) this.#onSooner()
  }

  /** Only brings it forward. */
  atLatest(key: string, at: number): void {
    if (at < (this.#due.get(key) ?? Number.POSITIVE_INFINITY)) this.set(key, at)
  }

  delete(key: string): void {
    this.#due.delete(key)
  }

  get(key: string): number | undefined {
    return this.#due.get(key)
  }

  /** Milliseconds since the epoch; infinite when nothing is due ever. */
  next(): number {
    let next = Number.POSITIVE_INFINITY
    for (const at of this.#due.values()) if (at < next) next = at
    return next
  }

  /** Takes out what is due. */
  take(now: number): readonly string[] {
    const due = [...this.#due].filter(([, at]) => at <= now).map(([key]) => key)
    for (const key of due) this.#due.delete(key)
    return due
  }
}
