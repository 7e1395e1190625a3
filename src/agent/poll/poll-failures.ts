import type { Failure } from '../../model/stack.js'

/** Why a source of a stack was not seen. */
export interface PollFailure {
  readonly failure: Failure
  readonly error: unknown
  /** It waits for its first package: that is no failure, and not told as one. */
  readonly awaits?: boolean
}

/** Which remotes of a stack the last look did not see, and why. */
export class PollFailures {
  readonly #stacks = new Map<string, Map<string, PollFailure>>()

  /** The remote that is unseen longest. */
  of(stack: string): PollFailure | undefined {
    return this.#stacks.get(stack)?.values().next().value
  }

  /** What of it is a failure. */
  failureOf(stack: string): Failure | undefined {
    const why = this.of(stack)
    return why?.awaits === true ? undefined : why?.failure
  }

  /** The same of all stacks. */
  get failures(): ReadonlyMap<string, Failure> {
    return new Map(
      [...this.#stacks.keys()].flatMap((stack) => {
        const failure = this.failureOf(stack)
        return failure === undefined ? [] : [[stack, failure] as const]
      }),
    )
  }

  /** False: the same was known already. */
  add(stack: string, remote: string, why: PollFailure): boolean {
    const remotes = this.#stacks.get(stack) ?? new Map<string, PollFailure>()
    const known = remotes.get(remote)?.failure.message === why.failure.message
    this.#stacks.set(stack, remotes.set(remote, why))
    return !known
  }

  /** The remote was seen. True: it was not, before, which was a failure. */
  end(stack: string, remote: string): boolean {
    const remotes = this.#stacks.get(stack)
    const before = remotes?.get(remote)
    remotes?.delete(remote)
    if (remotes?.size === 0) this.#stacks.delete(stack)
    return before !== undefined && before.awaits !== true
  }

  /** The stack follows these, and no others any more. */
  keep(stack: string, followed: readonly string[]): void {
    const gone = [...(this.#stacks.get(stack)?.keys() ?? [])].filter((remote) => !followed.includes(remote))
    for (const remote of gone) this.end(stack, remote)
  }

  remove(stack: string): void {
    this.#stacks.delete(stack)
  }
}
