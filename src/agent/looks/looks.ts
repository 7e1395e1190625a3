/** One look at a time for each remote. Who asks while one is under way gets the next one, shared by all who ask meanwhile. */
export class Looks {
  readonly #remotes = new Map<string, { readonly now: Promise<void>; next?: Promise<void> }>()

  look(remote: string, work: () => Promise<void>): Promise<void> {
    const at = this.#remotes.get(remote)
    if (at === undefined) return this.#begin(remote, work)
    at.next ??= at.now.then(
      () => this.#begin(remote, work),
      () => this.#begin(remote, work),
    )
    return at.next
  }

  #begin(remote: string, work: () => Promise<void>): Promise<void> {
    const now = work().finally(() => {
      if (this.#remotes.get(remote) === at && at.next === undefined) this.#remotes.delete(remote)
    })
    const at: { readonly now: Promise<void>; next?: Promise<void> } = { now }
    this.#remotes.set(remote, at)
    return now
  }
}
