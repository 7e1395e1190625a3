import type { ChannelChange, ChannelMove } from '../../../model/sources/channel.js'
import { jsonText } from '../tables/rows.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import type { Tables } from '../tables/tables.js'

/** Inside a transaction: stores a channel, its moves and a decision. Returns the change with the ids of the moves. */
export function writeChannelChange(file: SqliteFile, change: ChannelChange): ChannelChange {
  const { channel, moves, decision } = change
  const written = new Map(moves.map((move) => [move, writeMove(file, move)]))
  const named = (move: ChannelMove | null): ChannelMove | null => move && (written.get(move) ?? move)
  const now = { ...channel, move: named(channel.move), released: named(channel.released) }
  const { remote, ref, tip, seenAt, pin } = channel
  const state = {
    commit_id: tip?.commit ?? null,
    object_id: tip?.object ?? null,
    tag: tip?.tag ?? null,
    seen_at: seenAt,
    move: idOf(now.move),
    released: idOf(now.released),
    pin: jsonText(pin),
  }
  file.run(
    file.build
      .insertInto('channels')
      .values({ remote, ref, ...state })
      .onConflict((conflict) => conflict.columns(['remote', 'ref']).doUpdateSet(state)),
  )
  if (decision !== undefined) {
    const { kind, move, commit, by, why, at } = decision
    const about = { move: move === null ? null : Number(move), commit_id: commit }
    file.run(file.build.insertInto('decisions').values({ remote, ref, kind, ...about, decided_by: by, why, at }))
  }
  return { ...change, channel: now, moves: [...written.values()] }
}

function idOf(move: ChannelMove | null): number | null {
  return move && Number(move.id)
}

function writeMove(file: SqliteFile, move: ChannelMove): ChannelMove {
  const row = toMoveRow(move)
  if (move.id === '') return { ...move, id: String(file.run(file.build.insertInto('moves').values(row)).id) }
  file.run(file.build.updateTable('moves').set(row).where('id', '=', Number(move.id)))
  return move
}

function toMoveRow({
  remote,
  ref,
  from,
  to,
  name,
  seenAt,
  detectedBy,
  state,
  blockedBy,
  until,
  direction,
  facts,
  releasedAt,
  decision,
}: ChannelMove): Omit<Tables['moves'], 'id'> {
  return {
    remote,
    ref,
    name,
    from_object: from?.object ?? null,
    from_commit: from?.commit ?? null,
    to_object: to?.object ?? null,
    to_commit: to?.commit ?? null,
    from_tag: from?.tag ?? null,
    to_tag: to?.tag ?? null,
    seen_at: seenAt,
    detected_by: detectedBy,
    state,
    blocked_by: blockedBy,
    until,
    direction,
    facts: jsonText(facts),
    released_at: releasedAt,
    decision: jsonText(decision),
  }
}
