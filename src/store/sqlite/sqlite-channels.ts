import type { Channel, ChannelMove, Tip } from '../../model/channel.js'
import type { ChannelTable, PageOf } from '../store.js'
import type { SqliteFile } from './sqlite-file.js'
import type { Tables } from './tables.js'

export class SqliteChannels implements ChannelTable {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  list({ limit, after }: PageOf): Promise<readonly Channel[]> {
    const [remote = '', ref = ''] = after?.split('#') ?? []
    const query = this.#file.build
      .selectFrom('channels')
      .selectAll()
      .where((where) => where.or([where('remote', '>', remote), where.and([where('remote', '=', remote), where('ref', '>', ref)])]))
      .orderBy('remote')
      .orderBy('ref')
      .limit(limit)
    return this.#file.read(() => this.#file.all(query).map(channelOf))
  }

  of(remote: string): Promise<ReadonlyMap<string, Channel>> {
    const query = this.#file.build.selectFrom('channels').selectAll().where('remote', '=', remote)
    return this.#file.read(() => new Map(this.#file.all(query).map((row) => [row.ref, channelOf(row)])))
  }

  moves(remote: string, ref: string, { limit, after }: PageOf): Promise<readonly ChannelMove[]> {
    const query = this.#file.build
      .selectFrom('moves')
      .selectAll()
      .where('remote', '=', remote)
      .where('ref', '=', ref)
      .where('id', '<', after === undefined ? Number.MAX_SAFE_INTEGER : Number(after))
      .orderBy('id', 'desc')
      .limit(limit)
    return this.#file.read(() =>
      this.#file.all(query).map((row) => ({
        id: String(row.id),
        remote,
        ref,
        from: tipOf(row.from_commit, row.from_object, row.from_tag),
        to: tipOf(row.to_commit, row.to_object, row.to_tag),
        seenAt: row.seen_at,
        learnt: row.learnt,
      })),
    )
  }

  tagAt(remote: string, ref: string, commit: string): Promise<string | undefined> {
    const query = this.#file.build
      .selectFrom('moves')
      .select('to_tag')
      .where('remote', '=', remote)
      .where('ref', '=', ref)
      .where('to_commit', '=', commit)
      .orderBy('id', 'desc')
      .limit(1)
    return this.#file.read(() => this.#file.all(query)[0]?.to_tag ?? undefined)
  }
}

function tipOf(commit: string | null, object: string | null, tag: string | null): Tip | null {
  return commit === null ? null : { object: object ?? commit, commit, ...(tag === null ? {} : { tag }) }
}

function channelOf(row: Tables['channels']): Channel {
  return { remote: row.remote, ref: row.ref, commit: row.commit_id, object: row.object_id, tag: row.tag, seenAt: row.seen_at }
}
