interface Due {
  readonly key: string
  readonly at: number
}

/**
 * Due times by key, in a heap: with 10,000 keys, each operation takes a few steps.
 */
export class TimerHeap {
  readonly #due = new Map<string, number>()
  /**
   * All times that were set, each earlier than its two children. Those that were replaced or deleted are skipped when
   * they come to the top.
   */
  #heap: Due[] = []
  readonly #onSooner: () => void

  /** `onSooner`: called if a new time is earlier than all others. */
  constructor(onSooner: () => void) {
    this.#onSooner = onSooner
  }

  set(key: string, at: number): void {
    const sooner = at < this.next()
    this.#due.set(key, at)
    this.#push({ key, at })
    if (this.#heap.length > 64 + 2 * this.#due.size) this.#tidy()
    if (sooner) this.#onSooner()
  }

  /** Only makes it earlier. */
  atLatest(key: string, at: number): void {
    if (at < (this.#due.get(key) ?? Number.POSITIVE_INFINITY)) this.set(key, at)
  }

  delete(key: string): void {
    this.#due.delete(key)
  }

  get(key: string): number | undefined {
    return this.#due.get(key)
  }

  /** The earliest time; infinite if there is none. */
  next(): number {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (this.#due.get(first.key) === first.at) return first.at
      this.#pop()
    }
    return Number.POSITIVE_INFINITY
  }

  /** Removes and returns the due keys, the earliest first. */
  take(now: number): readonly string[] {
    const due: string[] = []
    while (this.next() <= now) {
      const { key } = this.#pop()
      this.#due.delete(key)
      due.push(key)
    }
    return due
  }

  #push(one: Due): void {
    const heap = this.#heap
    let at = heap.length
    for (let parent = (at - 1) >> 1; at > 0 && heap[parent]!.at > one.at; parent = (at - 1) >> 1) {
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = one
  }

  #pop(): Due {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length > 0) this.#sink(last)
    return first
  }

  /** Places an entry at the top and moves it down to its position. */
  #sink(one: Due): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++
      if (child >= heap.length || heap[child]!.at >= one.at) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = one
  }

  /** Removes replaced and deleted entries. A sorted list is a heap. */
  #tidy(): void {
    this.#heap = [...this.#due].map(([key, at]) => ({ key, at })).sort((a, b) => a.at - b.at)
  }
}
