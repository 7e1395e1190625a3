// When pieces of work begin: after those that they wait for, at most `concurrency` at once. A policy decides the rest.
// No recursion: chains of any length fit on the stack.

/** Pieces of work, by number, and their order. */
export interface Work {
  readonly count: number
  /** How many endings a piece waits for. */
  readonly waits: (at: number) => number
  /** The pieces that wait for this one. */
  readonly dependants: (at: number) => readonly number[]
}

export interface Policy<Result> {
  /** All that a piece waited for has ended. True: it ends at once, and is not performed. */
  readonly ready: (at: number) => boolean
  /** Takes the piece that begins now; undefined: none, until another one ends. */
  readonly next: () => number | undefined
  /** The result of a piece. Returns the pieces whose dependants no longer wait for them. */
  readonly ended: (at: number, result: Result) => readonly number[]
}

export interface PacerOptions<Result> {
  readonly work: Work
  readonly policy: Policy<Result>
  readonly concurrency: number
  /** Never rejects: a failure is a result. */
  readonly perform: (at: number) => Promise<Result>
}

/** Performs each piece of work once. */
export class Pacer<Result> {
  readonly #work: Work
  readonly #policy: Policy<Result>
  readonly #concurrency: number
  readonly #perform: (at: number) => Promise<Result>
  readonly #waits: number[]
  #running = 0
  #finish: () => void = () => {}

  constructor({ work, policy, concurrency, perform }: PacerOptions<Result>) {
    this.#work = work
    this.#policy = policy
    this.#concurrency = concurrency
    this.#perform = perform
    this.#waits = Array.from({ length: work.count }, (_, at) => work.waits(at))
  }

  /** Resolves when nothing is in progress, and the policy gives nothing next. Call it once. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#finish = resolve
      const first: number[] = []
      for (const [at, waits] of this.#waits.entries()) if (waits === 0 && this.#policy.ready(at)) first.push(at)
      this.#release(first)
      this.#pump()
    })
  }

  #release(ended: number[]): void {
    for (let at = ended.pop(); at !== undefined; at = ended.pop())
      for (const next of this.#work.dependants(at))
        if (--this.#waits[next]! === 0 && this.#policy.ready(next)) ended.push(next)
  }

  #pump(): void {
    while (this.#running < this.#concurrency) {
      const at = this.#policy.next()
      if (at === undefined) break
      this.#running++
      void this.#perform(at).then((result) => this.#end(at, result))
    }
    if (this.#running === 0) this.#finish()
  }

  #end(at: number, result: Result): void {
    this.#running--
    this.#release([...this.#policy.ended(at, result)])
    this.#pump()
  }
}
