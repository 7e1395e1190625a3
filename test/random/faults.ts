/** How calls of a target fail. `lost`: done, but not answered; `kill`: the process ends. */
export type Mode = 'unavailable' | 'lost' | 'rejected' | 'kill before' | 'kill after'

/** After `skip` calls, `count` of them fail. `unavailable` is any call, the others are writes. */
export interface Fault {
  readonly mode: Mode
  readonly skip: number
  readonly count: number
}

export class Faults {
  #fault: Fault | undefined

  set(fault: Fault): void {
    this.#fault = fault
  }

  clear(): void {
    this.#fault = undefined
  }

  /** How this call fails. undefined: it does not. */
  next(call: 'read' | 'write'): Mode | undefined {
    const fault = this.#fault
    if (fault === undefined || (call === 'read' && fault.mode !== 'unavailable')) return undefined
    if (fault.skip > 0) {
      this.#fault = { ...fault, skip: fault.skip - 1 }
      return undefined
    }
    this.#fault = fault.count > 1 ? { ...fault, count: fault.count - 1 } : undefined
    return fault.mode
  }
}
