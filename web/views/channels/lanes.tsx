// The channels over time. Below the lanes, a table has the same content.
import { useEffect, useRef, useState } from 'preact/hooks'
import { repositoryOf } from '../../data/channel-names.js'
import { tintOf } from '../../data/tints.js'
import type { ChannelView, MoveView } from '../../data/types.js'
import { query, withQuery } from '../../lib/route.js'
import { counted, firstLine, repositoryName } from '../../lib/text.js'
import { dayText, now, until } from '../../lib/time.js'
import { Link } from '../../parts/link.js'
import { bandsOf, offersOf, type Band, type Offer } from './bands.js'
import { Promotions } from './promotions.js'
import { laneHeight, top, type Scale } from './scale.js'

interface LanesProps {
  readonly channels: readonly ChannelView[]
  /** Also those without a lane. */
  readonly all: readonly ChannelView[]
  readonly moves: readonly MoveView[]
  /** The name of the chosen channel. */
  readonly chosen: string
}

const dayMs = 86_400_000
const ranges = [
  ['1d', 1.2, '1 d'],
  ['9d', 9, '9 d'],
  ['3wk', 21.8, '3 wk'],
  ['3mo', 92, '3 mo'],
] as const

function useWidth() {
  const ref = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry!.contentRect.width)))
    observer.observe(ref.current!)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}

/** Moves of each channel that a person wants to see at first. */
const newestMoves = 3

/** The shortest range that has them, and at most that which is readable. `moves`: the newest first. */
function usualRange(
  moves: readonly MoveView[],
  {
    channels,
    at,
    isNarrow,
  }: { readonly channels: readonly ChannelView[]; readonly at: number; readonly isNarrow: boolean },
): string {
  const shown = channels.flatMap(({ name }) => moves.filter(({ channel }) => channel === name).slice(0, newestMoves))
  const oldest = Math.min(at, ...shown.map(({ observedAt }) => Date.parse(observedAt)))
  const longest = isNarrow ? '9d' : '3wk'
  return ranges.find(([key, days]) => key === longest || oldest >= at - days * dayMs)![0]
}

export function Lanes({ channels, all, moves, chosen }: LanesProps) {
  const [ref, width] = useWidth()
  const isNarrow = width < 600
  const { value: at } = now
  const asked = query.value.get('range') ?? usualRange(moves, { channels, at, isNarrow })
  const days = ranges.find(([key]) => key === asked)?.[1] ?? 21.8
  const from = at - days * dayMs
  const ends = channels.flatMap(({ newest }) => (newest?.until ? [Date.parse(newest.until) + (at - from) * 0.02] : []))
  const until = Math.max(at + (at - from) * 0.06, ...ends)
  const left = isNarrow ? 62 : 104
  const x = (time: number): number =>
    left + ((Math.min(Math.max(time, from), until) - from) / (until - from)) * (width - left - 10)
  const scale = { x, from, until, left, width, isNarrow }
  const height = top + laneHeight * channels.length
  return (
    <figure class="box lanes" ref={ref}>
      {width > 0 && (
        <svg
          width={width}
          height={height + 6}
          role="group"
          data-entries
          aria-label={`${channels.length} channels over time. The moves are in the table below.`}
        >
          <defs>
            <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <path d="M0 0v6" class="hatch" />
            </pattern>
          </defs>
          <Axis scale={scale} days={days} at={at} height={height} />
          {channels.map((channel, row) => (
            <Lane
              key={channel.name}
              channel={channel}
              repository={repositoryOf(channel, all)}
              moves={moves.filter((move) => move.channel === channel.name)}
              y={top + row * laneHeight}
              isChosen={channel.name === chosen}
              scale={scale}
              at={at}
            />
          ))}
          <Promotions channels={channels} moves={moves} scale={scale} />
        </svg>
      )}
      <figcaption>
        <span>
          <i class="key" />
          stacks are at
        </span>
        <span>
          <i class="key key-veto" />
          vetoed
        </span>
        <span>
          <i class="key key-offer" />
          the ref, while blocked
        </span>
        <span>
          <i class="key key-promotion" />
          promoted
        </span>
        <span class="tabs range" role="group" aria-label="Range">
          {ranges.map(([key, , name]) => (
            <Link key={key} to={withQuery({ range: key })} replace aria-current={key === asked ? 'true' : undefined}>
              {name}
            </Link>
          ))}
        </span>
      </figcaption>
    </figure>
  )
}

interface AxisProps {
  readonly scale: Scale
  readonly days: number
  readonly at: number
  readonly height: number
}

function Axis({ scale: { x, from, until, left, isNarrow }, days, at, height }: AxisProps) {
  const step = days > 60 ? 14 : days > 15 ? (isNarrow ? 7 : 3) : days > 5 && isNarrow ? 2 : 1
  const ticks: number[] = []
  for (let day = Math.ceil(from / dayMs) * dayMs; day < until; day += dayMs * step)
    if (Math.abs(x(day) - x(at)) > 44 && x(day) > left + 8) ticks.push(day)
  return (
    <>
      {ticks.map((day) => (
        <g key={day}>
          <line x1={x(day)} x2={x(day)} y1={top - 6} y2={height} class="grid" />
          <text x={x(day)} y="16" class="tick" text-anchor="middle">
            {dayText(day)}
          </text>
        </g>
      ))}
      <line x1={x(at)} x2={x(at)} y1={top - 6} y2={height} class="now" />
      <text x={x(at)} y="16" class="tick now-text" text-anchor="middle">
        now
      </text>
    </>
  )
}

interface LaneProps {
  readonly channel: ChannelView
  /** undefined: no other channel has the same ref. */
  readonly repository: string | undefined
  readonly moves: readonly MoveView[]
  readonly y: number
  readonly isChosen: boolean
  readonly scale: Scale
  readonly at: number
}

function Lane({ channel, repository, moves, y, isChosen, scale, at }: LaneProps) {
  const { left, width, from, isNarrow } = scale
  const followers = channel.stacks.length
  return (
    <g class={`lane ${isChosen ? 'on' : ''}`}>
      <line x1="0" x2={width} y1={y} y2={y} class="grid" />
      <Link to={withQuery({ channel: channel.name })}>
        <title>{`Channel ${channel.ref}${repository === undefined ? '' : ` of ${repository}`}, ${counted(followers, 'stack')}`}</title>
        <rect x="0" y={y + 1} width={left - 8} height={laneHeight - 2} class="hit" />
        <text x={isNarrow ? 8 : 16} y={y + 29} class="ref">
          {clip(channel.ref, isNarrow ? 7 : 12)}
        </text>
        <text x={isNarrow ? 8 : 16} y={y + 45} class="tick">
          {repository === undefined
            ? isNarrow
              ? followers
              : counted(followers, 'stack')
            : clip(repositoryName(repository), isNarrow ? 8 : 14)}
        </text>
      </Link>
      {bandsOf(moves, at).map(
        (band) =>
          band.to > from && <BandShape key={`${band.move.id} ${band.from}`} band={band} y={y} scale={scale} at={at} />,
      )}
      {offersOf(channel, moves, at).map(
        (offer) =>
          offer.to > from && (
            <OfferShape key={offer.move.id} offer={offer} channel={channel} y={y} scale={scale} at={at} />
          ),
      )}
    </g>
  )
}

const clip = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, Math.max(0, Math.floor(most) - 1))}…` : text

/** Mean widths of characters, in pixels. */
const characterWidth = 6.4

function BandShape({
  band: { move, from, to, isVetoed, isCurrent },
  y,
  scale: { x },
  at,
}: {
  readonly band: Band
  readonly y: number
  readonly scale: Scale
  readonly at: number
}) {
  const commit = move.to?.commit ?? ''
  const message = move.facts === null ? '' : firstLine(move.facts.commit.message)
  const width = Math.max(isCurrent ? 9 : 3, x(to) - x(from) - 1.5)
  const left = isCurrent ? Math.min(x(from), x(at) - width - 1) : x(from)
  return (
    <g class={`band t-${tintOf(commit)}`}>
      <title>{`${commit.slice(0, 7)} ${message}`}</title>
      <rect x={left} y={y + 13} width={width} height="28" rx="5" />
      {isVetoed && <rect x={left} y={y + 13} width={width} height="28" rx="5" fill="url(#hatch)" />}
      {width > 44 && !isVetoed && (
        <text x={left + 8} y={y + 31.5} class="id">
          {commit.slice(0, width > 66 ? 7 : 4)}
        </text>
      )}
      {width > 150 && (
        <text x={left + 68} y={y + 31.5} class="message">
          {clip(message, (width - 80) / characterWidth)}
        </text>
      )}
    </g>
  )
}

interface OfferProps {
  readonly offer: Offer
  readonly channel: ChannelView
  readonly y: number
  readonly scale: Scale
  readonly at: number
}

function OfferShape({ offer: { move, from, to }, channel, y, scale: { x, width }, at }: OfferProps) {
  const left = x(from)
  const length = Math.max(6, x(to) - left)
  const commit = move.to?.commit.slice(0, 7) ?? ''
  const [state, word] = offerWords(move, channel.pin !== null)
  const isAtEnd = width - left < 190
  const isCurrent = to >= at
  const text = `${commit} ${word}`
  return (
    <g class={`offer s-${state}`}>
      <title>{text}</title>
      <path d={`M${left} ${y + 44}v4q0 3 3 3h${Math.max(0, length - 3)}`} />
      <circle cx={left} cy={y + 44} r="2.6" />
      {(length > 44 || isCurrent) && (
        <text x={isAtEnd ? left + length : left + 8} text-anchor={isAtEnd ? 'end' : 'start'} y={y + 64}>
          {isCurrent ? text : clip(text, Math.max(7, length / 5.6 + 24))}
        </text>
      )}
    </g>
  )
}

function offerWords(move: MoveView, isPinned: boolean): readonly [state: string, word: string] {
  if (move.state === 'vetoed') return ['failed', `vetoed by ${move.decision?.by ?? 'a person'}`]
  if (move.state === 'waiting') return ['waiting', `waits, ${move.until === null ? '' : until(move.until)}`]
  if (move.state === 'refused') return ['failed', 'refused by the policy']
  return isPinned ? ['pinned', 'blocked by the pin'] : ['approval', 'needs approval']
}
