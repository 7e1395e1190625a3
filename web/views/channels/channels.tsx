// What is released where, and what is blocked?
import { channelLabel } from '../../data/channel-names.js'
import { useRead } from '../../data/read.js'
import type { ChannelView, MoveView, Page } from '../../data/types.js'
import { query, withQuery } from '../../lib/route.js'
import { counted } from '../../lib/text.js'
import { Empty } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Loaded } from '../../parts/section.js'
import { Fold, lanesOf } from './fold.js'
import { Lanes } from './lanes.js'
import { One } from './one-channel.js'

export function Channels() {
  const channels = useRead<Page<ChannelView>>('channels?limit=100')
  const moves = useRead<Page<MoveView>>('channels/moves?limit=500', ({ channels: changed, reset }) => changed || reset)
  return (
    <Loaded read={channels} rows={6} what="the channels">
      {({ items }) =>
        items.length === 0 ? (
          <Nothing />
        ) : (
          <Loaded read={moves} rows={6} what="the moves">
            {(page) => <Shown channels={inOrder(items, page.items)} moves={page.items} />}
          </Loaded>
        )
      }
    </Loaded>
  )
}

function Nothing() {
  return (
    <>
      <header class="top">
        <h1>Channels</h1>
      </header>
      <Empty>
        No stack follows a ref yet. A channel is a branch or a tag that stacks follow:{' '}
        <code>gitmoor stack create NAME --repo URL --ref stable</code>
      </Empty>
    </>
  )
}

/** By the number of moves; a channel that was promoted comes after the one whose commits it got. */
function inOrder(channels: readonly ChannelView[], moves: readonly MoveView[]): readonly ChannelView[] {
  const count = (name: string): number => moves.filter(({ channel }) => channel === name).length
  const ordered = [...channels].sort((a, b) => count(b.name) - count(a.name) || a.name.localeCompare(b.name))
  for (const channel of channels) {
    const origin = originOf(channel.name, moves)
    const at = ordered.findIndex(({ name }) => name === origin)
    if (at < 0) continue
    ordered.splice(ordered.indexOf(channel), 1)
    ordered.splice(ordered.findIndex(({ name }) => name === origin) + 1, 0, channel)
  }
  return ordered
}

/** The channel that had the commit of the last promotion most recently before; undefined: it was not promoted. */
function originOf(name: string, moves: readonly MoveView[]): string | undefined {
  const promoted = moves.find(({ channel, detectedBy }) => channel === name && detectedBy === 'promote')
  if (promoted === undefined) return undefined
  return moves.find(
    ({ channel, to, id }) => channel !== name && to?.commit === promoted.to?.commit && Number(id) < Number(promoted.id),
  )?.channel
}

function Shown({
  channels,
  moves,
}: {
  readonly channels: readonly ChannelView[]
  readonly moves: readonly MoveView[]
}) {
  const asked = query.value.get('channel') ?? ''
  const chosen = channels.find(({ name, ref }) => name === asked || ref === asked) ?? channels[0]!
  const blocked = channels.filter(({ blocker, pin }) => blocker !== null || pin !== null)
  const lanes = lanesOf(channels, chosen)
  const followers = channels.reduce((sum, { stacks }) => sum + stacks.length, 0)
  return (
    <>
      <header class="top">
        <div>
          <h1>Channels</h1>
          <p class="sub">
            {counted(channels.length, 'ref')} {channels.length === 1 ? 'releases' : 'release'} to{' '}
            {counted(followers, 'stack')}.{' '}
            {blocked.length === 0 ? (
              'None is blocked.'
            ) : (
              <>
                {blocked.length === 1 ? 'One is blocked: ' : `${blocked.length} are blocked: `}
                {blocked.map((channel, at) => (
                  <>
                    {at > 0 && ', '}
                    <Link to={withQuery({ channel: channel.name })}>
                      <b>{channelLabel(channel, channels)}</b>
                    </Link>
                  </>
                ))}
                .
              </>
            )}
          </p>
        </div>
        <Link class="btn primary" to={`/channels/promote?from=${encodeURIComponent(chosen.name)}`}>
          <Icon name="promote" />
          Promote
        </Link>
      </header>
      <Lanes channels={lanes} all={channels} moves={moves} chosen={chosen.name} />
      <Fold channels={channels} shown={lanes} />
      <One
        key={chosen.name}
        channel={chosen}
        channels={channels}
        moves={moves.filter(({ channel }) => channel === chosen.name)}
      />
    </>
  )
}
