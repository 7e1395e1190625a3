import type { RemoteLook } from '../../stacks/dispatch.js'

/**
 * How the last look at each remote went, as long as somebody follows it. Not kept across a restart: the first look
 * tells it again.
 */
export class RemoteHealth {
  readonly #looks = new Map<string, RemoteLook>()

  note(look: RemoteLook): void {
    this.#looks.set(look.remote, look)
  }

  of(remote: string): RemoteLook | undefined {
    return this.#looks.get(remote)
  }

  forget(remote: string): void {
    this.#looks.delete(remote)
  }
}
