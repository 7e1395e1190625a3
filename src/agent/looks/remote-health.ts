import type { RemoteLook } from '../../stacks/dispatch.js'

/** How the last look at each remote went, as long as somebody follows it. Not kept across a restart: the first look tells it again. */
export class RemoteHealth {
  readonly #looks = new Map<string, RemoteLook>()
  /** Looks in a row that saw nothing. */
  readonly #failures = new Map<string, number>()

  note(look: RemoteLook): void {
    this.#looks.set(look.remote, look)
    this.#failures.set(look.remote, look.failure === null ? 0 : this.failuresOf(look.remote) + 1)
  }

  of(remote: string): RemoteLook | undefined {
    return this.#looks.get(remote)
  }

  failuresOf(remote: string): number {
    return this.#failures.get(remote) ?? 0
  }

  forget(remote: string): void {
    this.#looks.delete(remote)
    this.#failures.delete(remote)
  }
}
