import { printable } from '../model/printable.js'
import type { ChannelView, MoveView } from '../stacks/views.js'
import { age, atTag, shortRevision, showTime } from './short.js'
import type { Look } from './style.js'
import { table } from './table.js'

export function channelLines(channels: readonly ChannelView[], look: Look): readonly string[] {
  if (channels.length === 0) return ['No channels yet: a channel is a ref that a stack follows.']
  const rows = channels.map((channel) => [
    printable(channel.name),
    channel.commit === null ? 'not there' : atTag(shortRevision(channel.commit), channel.tag),
    age(channel.seenAt, look.now),
    channel.stacks.map(printable).join(' '),
  ])
  return table(['CHANNEL', 'COMMIT', 'SEEN', 'STACKS'], rows, look.style)
}

export function moveLines(moves: readonly MoveView[], look: Look): readonly string[] {
  if (moves.length === 0) return ['It has not moved yet.']
  const end = (at: MoveView['from']): string => (at === null ? 'not there' : atTag(shortRevision(at.commit), at.tag))
  const tag = (at: MoveView['from']): string => (at === null || at.object === at.commit ? '-' : shortRevision(at.object))
  const rows = moves.map((move) => [showTime(move.seenAt), end(move.from), end(move.to), tag(move.to), printable(move.learnt)])
  return table(['SEEN', 'FROM', 'TO', 'TAG OBJECT', 'LEARNT BY'], rows, look.style)
}
