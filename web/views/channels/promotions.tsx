// Promotions between lanes.
import type { ChannelView, MoveView } from '../../data/types.js'
import { laneHeight, top, type Scale } from './scale.js'

/** An arrow from the lane of the commit to the lane that was promoted to it. */
export function Promotions({
  channels,
  moves,
  scale: { x, from },
}: {
  readonly channels: readonly ChannelView[]
  readonly moves: readonly MoveView[]
  readonly scale: Scale
}) {
  const rowOf = (name: string): number => channels.findIndex((channel) => channel.name === name)
  const promoted = moves.filter(
    ({ detectedBy, releasedAt }) => detectedBy === 'promote' && releasedAt !== null && Date.parse(releasedAt) > from,
  )
  return (
    <>
      {promoted.map((move) => {
        const row = rowOf(move.channel)
        const at = Date.parse(move.releasedAt!)
        const origin = moves.find(
          ({ channel, to, observedAt }) =>
            channel !== move.channel &&
            to?.commit === move.to?.commit &&
            rowOf(channel) === row - 1 &&
            Date.parse(observedAt) <= at,
        )
        if (row < 1 || origin === undefined) return null
        const [start, end, left] = [top + (row - 1) * laneHeight + 42, top + row * laneHeight + 12, x(at)]
        return (
          <g key={move.id} class="promotion">
            <path d={`M${left} ${start}V${end - 1}`} />
            <path d={`M${left - 3.5} ${end - 5}l3.5 4 3.5-4`} />
          </g>
        )
      })}
    </>
  )
}
