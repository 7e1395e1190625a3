// The switch that kills the process of a world: once closed, it stops every call of a port, and every answer.

/** What ends the calls of a world that was killed. */
export class Killed extends Error {}

export class Gate {
  #closed = false
  #inFlight = 0
  #passed = 0

  get closed(): boolean {
    return this.#closed
  }

  close(): void {
    this.#closed = true
  }

  /** Calls that have begun and not ended. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** How many calls began or ended. */
  get passed(): number {
    return this.#passed
  }

  /** Lets a call through, unless the process is dead before it or when it answers. */
  async pass<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Killed('dead')
    this.#inFlight++
    this.#passed++
    try {
      const answer = await call()
      if (this.#closed) throw new Killed('dead')
      return answer
    } finally {
      this.#inFlight--
      this.#passed++
    }
  }

  /** The port with every asynchronous verb behind the gate; what is named in `sync` answers at once. */
  guard<T extends object>(port: T, sync: readonly (keyof T)[] = []): T {
    return new Proxy(port, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args)
        return sync.includes(name as keyof T) ? call : (...args: unknown[]) => this.pass(async () => call(...args))
      },
    })
  }
}

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
