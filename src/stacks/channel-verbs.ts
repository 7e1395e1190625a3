// The channels that stacks follow, and how they moved.
import type { ChannelMove } from '../model/channel.js'
import { Refused } from '../model/errors.js'
import { refOf } from '../model/source-spec.js'
import type { Desk } from './desk.js'
import { everyStack } from './every-stack.js'
import type { Paging, Verbs } from './verbs.js'
import { time } from './view-stack.js'
import type { ChannelView, MoveView, Page } from './views.js'

export class ChannelVerbs implements Pick<Verbs, 'channels' | 'moves'> {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async channels({ limit = 100, after }: Paging): Promise<Page<ChannelView>> {
    const channels = await this.#desk.store.channels.list({ limit, ...(after === undefined ? {} : { after }) })
    const followers = await this.#followers()
    const items = channels.map(({ remote, ref, commit, tag, seenAt }) => {
      const name = `${remote}#${ref}`
      return { name, remote, ref, commit, tag, stacks: followers.get(name) ?? [], seenAt: time(seenAt) }
    })
    return { items, next: channels.length < limit ? null : (items.at(-1)?.name ?? null) }
  }

  async moves(channel: string, { limit = 100, after }: Paging): Promise<Page<MoveView>> {
    const { remote, ref } = await this.#channelNamed(channel)
    const moves = await this.#desk.store.channels.moves(remote, ref, { limit, ...(after === undefined ? {} : { after }) })
    const items = moves.map(viewMove)
    return { items, next: moves.length < limit ? null : (items.at(-1)?.id ?? null) }
  }

  async #followers(): Promise<ReadonlyMap<string, string[]>> {
    const followers = new Map<string, string[]>()
    for await (const { spec } of everyStack(this.#desk.store)) {
      const channels = spec.sources
        .filter(({ kind }) => kind === 'git')
        .map((one) => `${this.#desk.remoteOf(one, spec.name)}#${refOf(one)}`)
      for (const name of new Set(channels)) followers.set(name, [...(followers.get(name) ?? []), spec.name])
    }
    return followers
  }

  async #channelNamed(name: string): Promise<{ readonly remote: string; readonly ref: string }> {
    const found: { remote: string; ref: string }[] = []
    for (let after: string | undefined; ;) {
      const { items, next } = await this.channels({ limit: 500, ...(after === undefined ? {} : { after }) })
      found.push(...items.filter((channel) => channel.name === name || channel.ref === name))
      if (next === null) break
      after = next
    }
    if (found.length === 1) return found[0]!
    if (found.length === 0)
      throw new Refused('not-found', `No stack ever followed a channel named ${name}.`, {
        hint: 'See which there are: gitmoor channel list',
      })
    throw new Refused('conflict', `Several remotes have a channel ${name}.`, {
      hint: `Name one whole: ${found.map(({ remote, ref }) => `${remote}#${ref}`).join(', ')}`,
    })
  }
}

export function viewMove({ id, from, to, seenAt, learnt }: ChannelMove): MoveView {
  return { id, from, to, seenAt: time(seenAt), learnt }
}
