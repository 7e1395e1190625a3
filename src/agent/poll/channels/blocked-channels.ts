import type { Channel } from '../../../model/sources/channel.js'

/** Channels that are pinned, or whose newest move is not released. */
export class BlockedChannels {
  readonly #channels = new Map<string, Channel>()

  /** The channel as it is stored now. */
  update(channel: Channel): void {
    const name = `${channel.remote}#${channel.ref}`
    if (channel.move?.state === 'released' && channel.pin === null) this.#channels.delete(name)
    else this.#channels.set(name, channel)
  }

  of(remote: string, ref: string): Channel | undefined {
    return this.#channels.get(`${remote}#${ref}`)
  }

  get remotes(): ReadonlySet<string> {
    return new Set([...this.#channels.values()].map(({ remote }) => remote))
  }

  /** By remote: the earliest time at which one of its moves may be released. */
  get dueAt(): ReadonlyMap<string, number> {
    const due = new Map<string, number>()
    for (const { remote, move } of this.#channels.values())
      if (move?.until != null) due.set(remote, Math.min(due.get(remote) ?? move.until, move.until))
    return due
  }
}
