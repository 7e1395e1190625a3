import type { Failure } from '../../model/stacks/stack.js'

/** Why a poll failed for a stack. */
export interface PollFailure {
  readonly failure: Failure
  readonly error: unknown
  /** It waits for its first package or release: this is not reported as a failure. */
  readonly awaits?: boolean
}

function since(why: PollFailure, { failure: { since: began } }: PollFailure): PollFailure {
  const { since: _, ...failure } = why.failure
  return { ...why, failure: began === undefined ? failure : { ...failure, since: began } }
}

/** Remotes of stacks whose last poll failed, and why. */
export class PollFailures {
  readonly #stacks = new Map<string, Map<string, PollFailure>>()

  /** Of the remote that is unreachable the longest. */
  of(stack: string): PollFailure | undefined {
    return this.#stacks.get(stack)?.values().next().value
  }

  /** True if the last poll of another remote of the stack failed. */
  isElsewhere(stack: string, remote: string): boolean {
    return [...(this.#stacks.get(stack)?.keys() ?? [])].some((failed) => failed !== remote)
  }

  /** The failure to report, if there is one. */
  failureOf(stack: string): Failure | undefined {
    const why = this.of(stack)
    return why?.awaits === true ? undefined : why?.failure
  }

  /** The failures to report, by stack. */
  get failures(): ReadonlyMap<string, Failure> {
    return new Map(
      [...this.#stacks.keys()].flatMap((stack) => {
        const failure = this.failureOf(stack)
        return failure === undefined ? [] : [[stack, failure] as const]
      }),
    )
  }

  /** False if the same failure was known. A failure of the remote keeps the time of the first one in a row. */
  add(stack: string, remote: string, why: PollFailure): boolean {
    const remotes = this.#stacks.get(stack) ?? new Map<string, PollFailure>()
    const before = remotes.get(remote)
    this.#stacks.set(stack, remotes.set(remote, before === undefined ? why : since(why, before)))
    return before?.failure.message !== why.failure.message
  }

  /** A poll of the remote succeeded. True if this ends a reported failure. */
  end(stack: string, remote: string): boolean {
    const remotes = this.#stacks.get(stack)
    const before = remotes?.get(remote)
    remotes?.delete(remote)
    if (remotes?.size === 0) this.#stacks.delete(stack)
    return before !== undefined && before.awaits !== true
  }

  /** The stack follows only these remotes. */
  keep(stack: string, followed: readonly string[]): void {
    const gone = [...(this.#stacks.get(stack)?.keys() ?? [])].filter((remote) => !followed.includes(remote))
    for (const remote of gone) this.end(stack, remote)
  }

  remove(stack: string): void {
    this.#stacks.delete(stack)
  }
}
