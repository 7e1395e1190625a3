import type { RemotePoll } from '../../stacks/scheduler.js'

/**
 * How the last look at each remote went, as long as somebody follows it. Not kept across a restart: the first look
 * tells it again.
 */
export class LastPolls {
  readonly #looks = new Map<string, RemotePoll>()

  set(look: RemotePoll): void {
    this.#looks.set(look.remote, look)
  }

  get(remote: string): RemotePoll | undefined {
    return this.#looks.get(remote)
  }

  remove(remote: string): void {
    this.#looks.delete(remote)
  }
}
