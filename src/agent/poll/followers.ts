/** Which stacks and fleets (`fleet:boards`) follow which remotes. */
export class Followers {
  readonly #stacks = new Map<string, Set<string>>()
  readonly #remotes = new Map<string, readonly string[]>()

  /** The stack follows only these remotes from now on. Returns the remotes that no stack follows any more. */
  follow(stack: string, remotes: readonly string[]): readonly string[] {
    const before = this.remotesOf(stack)
    for (const remote of remotes) this.#stacks.set(remote, (this.#stacks.get(remote) ?? new Set<string>()).add(stack))
    if (remotes.length === 0) this.#remotes.delete(stack)
    else this.#remotes.set(stack, remotes)
    return before.filter((remote) => !remotes.includes(remote) && this.#isAbandoned(stack, remote))
  }

  /** Stacks by remote. */
  get all(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#stacks
  }

  of(remote: string): readonly string[] {
    return [...(this.#stacks.get(remote) ?? [])]
  }

  remotesOf(stack: string): readonly string[] {
    return this.#remotes.get(stack) ?? []
  }

  get remotes(): readonly string[] {
    return [...this.#stacks.keys()]
  }

  #isAbandoned(stack: string, remote: string): boolean {
    const stacks = this.#stacks.get(remote)!
    stacks.delete(stack)
    if (stacks.size > 0) return false
    return this.#stacks.delete(remote)
  }
}
