// Above eight channels, the other lanes are folded.
import type { ChannelView } from '../../data/types.js'
import { query, withQuery } from '../../lib/route.js'
import { counted } from '../../lib/text.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'

const mostLanes = 8

/** The lanes that are shown; the chosen one is among them. */
export function lanesOf(channels: readonly ChannelView[], chosen: ChannelView): readonly ChannelView[] {
  if (channels.length <= mostLanes || query.value.get('lanes') === 'all') return channels
  const first = channels.slice(0, mostLanes)
  return first.includes(chosen) ? first : [...first.slice(0, -1), chosen]
}

interface FoldProps {
  readonly channels: readonly ChannelView[]
  readonly shown: readonly ChannelView[]
}

export function Fold({ channels, shown }: FoldProps) {
  if (channels.length <= mostLanes) return null
  const folded = channels.filter((channel) => !shown.includes(channel))
  const blocked = folded.filter(({ blocker, pin }) => blocker !== null || pin !== null).length
  if (folded.length === 0)
    return (
      <Link class="btn fold-lanes" to={withQuery({ lanes: '' })} replace>
        Fold all but {mostLanes} channels
      </Link>
    )
  return (
    <Link class="btn fold-lanes" to={withQuery({ lanes: 'all' })} replace>
      <Icon name="down" />
      {counted(folded.length, 'more channel')}
      {blocked > 0 && `, ${blocked} blocked`}
    </Link>
  )
}
