/** Which stacks follow which remote. */
export class Followers {
  readonly #stacks = new Map<string, Set<string>>()
  readonly #remotes = new Map<string, string>()

  /** It follows this remote, and no other any more. */
  follow(stack: string, remote: string): void {
    const stacks = this.#stacks.get(remote) ?? new Set<string>()
    this.#stacks.set(remote, stacks.add(stack))
    this.#remotes.set(stack, remote)
  }

  /** Gives the remote that nobody follows any more by that, if there is one. */
  forget(stack: string): string | undefined {
    const remote = this.#remotes.get(stack)
    if (remote === undefined) return undefined
    this.#remotes.delete(stack)
    const stacks = this.#stacks.get(remote)!
    stacks.delete(stack)
    if (stacks.size > 0) return undefined
    this.#stacks.delete(remote)
    return remote
  }

  of(remote: string): readonly string[] {
    return [...(this.#stacks.get(remote) ?? [])]
  }

  remoteOf(stack: string): string | undefined {
    return this.#remotes.get(stack)
  }
}
