import { idBefore } from '../tables/id-before.js'
import { sql, type Selectable } from 'kysely'
import { chunks } from '../../../lib/chunks.js'
import type {
  Channel,
  ChannelMove,
  ChannelDecision,
  Direction,
  RefTip,
  RefTipFacts,
  SoughtMove,
} from '../../../model/sources/channel.js'
import type { ChannelPolicy } from '../../../channel/channel-policy.js'
import type { PageRequest } from '../../page-request.js'
import type { ChannelTable } from '../../channel-table.js'
import { parsed } from '../tables/rows.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import type { Tables } from '../tables/tables.js'

/** The id of the only row. */
const policiesId = 1

export class SqliteChannels implements ChannelTable {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  list({ limit, after }: PageRequest): Promise<readonly Channel[]> {
    const [, remote = '', ref = ''] = /^([^#]*)#(.*)$/s.exec(after ?? '') ?? []
    const query = this.#file.build
      .selectFrom('channels')
      .selectAll()
      .where((where) =>
        where.or([where('remote', '>', remote), where.and([where('remote', '=', remote), where('ref', '>', ref)])]),
      )
      .orderBy('remote')
      .orderBy('ref')
      .limit(limit)
    return this.#file.read(() => this.#channels(this.#file.all(query)))
  }

  remotes(): Promise<readonly string[]> {
    const query = this.#file.build.selectFrom('channels').select('remote').distinct()
    return this.#file.read(() => this.#file.all(query).map(({ remote }) => remote))
  }

  of(remote: string): Promise<ReadonlyMap<string, Channel>> {
    const query = this.#file.build.selectFrom('channels').selectAll().where('remote', '=', remote)
    return this.#file.read(
      () => new Map(this.#channels(this.#file.all(query)).map((channel) => [channel.ref, channel])),
    )
  }

  blocked(): Promise<readonly Channel[]> {
    const query = this.#file.build
      .selectFrom('channels')
      .selectAll()
      .where((where) =>
        where.or([where('pin', 'is not', null), where('move', 'is distinct from', where.ref('released'))]),
      )
    return this.#file.read(() => this.#channels(this.#file.all(query)))
  }

  async policies(): Promise<readonly ChannelPolicy[]> {
    const query = this.#file.build.selectFrom('policies').select('declared').where('id', '=', policiesId)
    const row = await this.#file.read(() => this.#file.get(query))
    return row === undefined ? [] : (JSON.parse(row.declared) as readonly ChannelPolicy[])
  }

  async keepPolicies(policies: readonly ChannelPolicy[]): Promise<void> {
    const declared = JSON.stringify(policies)
    if (JSON.stringify(await this.policies()) === declared) return
    const row = { id: policiesId, declared }
    const query = this.#file.build.insertInto('policies').values(row)
    await this.#file.write(() =>
      this.#file.run(query.onConflict((conflict) => conflict.column('id').doUpdateSet({ declared }))),
    )
  }

  async moves(remote: string, ref: string, { limit, after }: PageRequest): Promise<readonly ChannelMove[]> {
    const query = this.#of(remote, ref).where('id', '<', idBefore(after)).orderBy('id', 'desc').limit(limit)
    return this.#file.read(() => this.#file.all(query).map(toMove))
  }

  allMoves({ limit, after }: PageRequest): Promise<readonly ChannelMove[]> {
    const query = this.#file.build.selectFrom('moves').selectAll()
    const page = query.where('id', '<', idBefore(after)).orderBy('id', 'desc').limit(limit)
    return this.#file.read(() => this.#file.all(page).map(toMove))
  }

  move(id: string): Promise<ChannelMove | undefined> {
    const query = this.#file.build.selectFrom('moves').selectAll().where('id', '=', Number(id))
    return this.#file.read(() => this.#file.all(query).map(toMove)[0])
  }

  releasedBefore({ id, remote, ref, to }: ChannelMove): Promise<ChannelMove | null> {
    const query = this.#of(remote, ref)
      .where('id', '<', Number(id))
      .where('state', '=', 'released')
      .where('to_commit', 'is distinct from', to?.commit ?? null)
      .where((where) => {
        const again = where.selectFrom('moves as later').select('later.id').whereRef('later.id', '>', 'moves.id')
        const there = again.whereRef('later.remote', '=', 'moves.remote').whereRef('later.ref', '=', 'moves.ref')
        return where.not(
          where.exists(there.whereRef('later.to_commit', '=', 'moves.to_commit').where('later.state', '=', 'vetoed')),
        )
      })
      .orderBy('id', 'desc')
      .limit(1)
    return this.#file.read(() => this.#file.all(query).map(toMove)[0] ?? null)
  }

  moveTo(remote: string, ref: string, commit: string): Promise<ChannelMove | undefined> {
    return this.#file.read(() => {
      const row = this.#file.get(moveTo({ remote, ref, commit }))
      return row && toMove(row)
    })
  }

  movesTo(sought: readonly SoughtMove[]): Promise<readonly (ChannelMove | undefined)[]> {
    const rows = JSON.stringify(
      sought.map(({ remote, ref, commit, until }) => [remote, ref, commit, until ?? Number.MAX_SAFE_INTEGER]),
    )
    return this.#file.read(() => {
      const found = new Map(this.#file.all(newestMoves(rows)).map((row) => [row.at, toMove(row)]))
      return sought.map((_, at) => found.get(at))
    })
  }

  releases(remote: string, ref: string, since: number): Promise<readonly number[]> {
    const query = this.#of(remote, ref).where('released_at', '>', since)
    return this.#file.read(() => this.#file.all(query).flatMap(({ released_at }) => released_at ?? []))
  }

  async decisions(remote: string, ref: string, { limit, after }: PageRequest): Promise<readonly ChannelDecision[]> {
    const query = this.#file.build
      .selectFrom('decisions')
      .selectAll()
      .where('remote', '=', remote)
      .where('ref', '=', ref)
      .where('id', '<', idBefore(after))
      .orderBy('id', 'desc')
      .limit(limit)
    return this.#file.read(() => this.#file.all(query).map(toDecision))
  }

  async allDecisions({ limit, after }: PageRequest): Promise<readonly ChannelDecision[]> {
    const query = this.#file.build.selectFrom('decisions').selectAll()
    const page = query.where('id', '<', idBefore(after)).orderBy('id', 'desc').limit(limit)
    return this.#file.read(() => this.#file.all(page).map(toDecision))
  }

  learn(
    move: string,
    { facts, direction }: { readonly facts?: RefTipFacts; readonly direction?: Direction | null },
  ): Promise<void> {
    const set = {
      ...(facts === undefined ? {} : { facts: JSON.stringify(facts) }),
      ...(direction === undefined ? {} : { direction }),
    }
    return this.#file.write(() => {
      if (Object.keys(set).length > 0)
        this.#file.run(this.#file.build.updateTable('moves').set(set).where('id', '=', Number(move)))
    })
  }

  #of(remote: string, ref: string) {
    return this.#file.build.selectFrom('moves').selectAll().where('remote', '=', remote).where('ref', '=', ref)
  }

  /** The channels with the moves that their rows refer to. */
  #channels(rows: readonly Tables['channels'][]): readonly Channel[] {
    const ids = [...new Set(rows.flatMap(({ move, released }) => [move, released]).filter((id) => id !== null))]
    const moves = new Map<number, ChannelMove>()
    for (const some of chunks(ids)) {
      const query = this.#file.build.selectFrom('moves').selectAll().where('id', 'in', some)
      for (const row of this.#file.all(query)) moves.set(row.id, toMove(row))
    }
    return rows.map((row) => toChannel(row, moves))
  }
}

/** Each run asks it. SQLite prepares a statement again whose limit is a parameter. */
const moveTo = preparedQuery(({ remote, ref, commit }: Pick<SoughtMove, 'remote' | 'ref' | 'commit'>) =>
  build
    .selectFrom('moves')
    .selectAll()
    .where('remote', '=', remote)
    .where('ref', '=', ref)
    .where('to_commit', '=', commit)
    .orderBy('id', 'desc')
    .limit(1),
)

/** `sought`: JSON of `[remote, ref, commit, until]`. `at`: the index in it. */
function newestMoves(sought: string) {
  return sql<Selectable<Tables['moves']> & { readonly at: number }>`
    select s.key as at, moves.* from json_each(${sought}) s join moves on moves.id = (
      select m.id from moves m where m.remote = s.value ->> 0 and m.ref = s.value ->> 1
        and m.to_commit = s.value ->> 2 and m.seen_at <= s.value ->> 3
      order by m.id desc limit 1)`
}

function toChannel(row: Tables['channels'], moves: ReadonlyMap<number, ChannelMove>): Channel {
  return {
    remote: row.remote,
    ref: row.ref,
    tip: toRefTip(row.commit_id, row.object_id, row.tag),
    seenAt: row.seen_at,
    move: moves.get(row.move ?? 0) ?? null,
    released: moves.get(row.released ?? 0) ?? null,
    pin: parsed(row.pin),
  }
}

function toMove(row: Selectable<Tables['moves']>): ChannelMove {
  return {
    id: String(row.id),
    remote: row.remote,
    ref: row.ref,
    from: toRefTip(row.from_commit, row.from_object, row.from_tag),
    to: toRefTip(row.to_commit, row.to_object, row.to_tag),
    name: row.name,
    seenAt: row.seen_at,
    detectedBy: row.detected_by,
    state: row.state,
    blockedBy: row.blocked_by,
    until: row.until,
    direction: row.direction,
    facts: parsed(row.facts),
    releasedAt: row.released_at,
    decision: parsed(row.decision),
  }
}

function toDecision(row: Selectable<Tables['decisions']>): ChannelDecision {
  const { id, remote, ref, kind, move, commit_id: commit, decided_by: by, why, at } = row
  return { id: String(id), remote, ref, kind, move: move === null ? null : String(move), commit, by, why, at }
}

function toRefTip(commit: string | null, object: string | null, tag: string | null): RefTip | null {
  return commit === null ? null : { object: object ?? commit, commit, ...(tag === null ? {} : { tag }) }
}
