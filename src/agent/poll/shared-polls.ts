interface PollInProgress<T> {
  readonly now: Promise<T>
  next?: Promise<T>
}

/**
 * One poll at a time for each remote. Requests during a poll share the next one, since the poll in progress may have
 * missed the change that they are about.
 */
export class SharedPolls<T> {
  readonly #remotes = new Map<string, PollInProgress<T>>()

  poll(remote: string, work: () => Promise<T>): Promise<T> {
    const at = this.#remotes.get(remote)
    if (at === undefined) return this.#begin(remote, work)
    at.next ??= at.now.then(
      () => this.#begin(remote, work),
      () => this.#begin(remote, work),
    )
    return at.next
  }

  isInProgress(remote: string): boolean {
    return this.#remotes.has(remote)
  }

  #begin(remote: string, work: () => Promise<T>): Promise<T> {
    const now = work().finally(() => {
      if (this.#remotes.get(remote) === at && at.next === undefined) this.#remotes.delete(remote)
    })
    const at: PollInProgress<T> = { now }
    this.#remotes.set(remote, at)
    return now
  }
}
