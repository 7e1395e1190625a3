// The resources of a stack as a graph in layers, from what is needed to what needs it.
import type { PlanView } from '../../data/types.js'
import { stackPath } from '../../lib/route.js'
import { cutMiddle } from '../../lib/text.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { layered } from './layers.js'

export interface GraphItem {
  readonly address: string
  readonly kind: string
  readonly displayName: string
  readonly needs: readonly string[]
  /** Label mappings: `LabelMapping/…/LABEL`. */
  readonly parts: readonly string[]
}

interface GraphProps {
  readonly stack: string
  readonly items: readonly GraphItem[]
  readonly plan: PlanView | null
}

type Change = PlanView['changes'][number]

const width = 206
const height = 44
const gapX = 54
const gapY = 14
const marks = { create: ['n-add', '+'], update: ['n-mod', '~'], remove: ['n-del', '−'], untrack: ['', '·'] } as const

export function Graph({ stack, items, plan }: GraphProps) {
  const changes = new Map((plan?.changes ?? []).map((change) => [change.address as string, change]))
  const nodes = new Map(items.map((item) => [item.address, item]))
  for (const change of changes.values()) {
    if (change.action !== 'create' || change.partOf !== undefined) continue
    const { address, kind, displayName = address, needs } = change
    nodes.set(address, { address, kind, displayName, needs, parts: [] })
  }
  const edges = edgesOf(nodes, [...changes.values()])
  const layers = layered([...nodes.keys()], edges)
  const tallest = Math.max(...layers.map((layer) => layer.length))
  const total = tallest * (height + gapY) + 20
  const places = new Map(
    layers.flatMap((layer, column) =>
      layer.map((address, row) => {
        const y = total / 2 - height / 2 + (row - (layer.length - 1) / 2) * (height + gapY)
        return [address, { x: 12 + column * (width + gapX), y }] as const
      }),
    ),
  )
  const wide = layers.length * (width + gapX) - gapX + 24
  return (
    <svg
      width={wide}
      height={total}
      viewBox={`0 0 ${wide} ${total}`}
      role="group"
      aria-label={`${nodes.size} resources`}
    >
      {edges.map(([from, to]) => {
        const [a, b] = [places.get(from)!, places.get(to)!]
        const [x1, y1, x2, y2] = [a.x + width, a.y + height / 2, b.x, b.y + height / 2]
        const middle = (x1 + x2) / 2
        return (
          <g key={`${from} ${to}`}>
            <path class="edge" d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2 - 5} ${y2}`} />
            <path class="head" d={`M${x2 - 8} ${y2 - 4}l6 4-6 4`} />
          </g>
        )
      })}
      {[...nodes.values()].map((node) => (
        <Node
          key={node.address}
          stack={stack}
          node={node}
          change={changes.get(node.address)}
          {...places.get(node.address)!}
        />
      ))}
    </svg>
  )
}

interface NodeProps {
  readonly stack: string
  readonly node: GraphItem
  readonly change: Change | undefined
  readonly x: number
  readonly y: number
}

function Node({ stack, node: { address, kind, displayName }, change, x, y }: NodeProps) {
  const [key, sign] = change === undefined ? ['', ''] : marks[change.action]
  return (
    <Link to={`${stackPath(stack, 'resources')}/${address.split('/').map(encodeURIComponent).join('/')}`}>
      <title>{`${address}${change === undefined ? '' : `: ${change.action}`}`}</title>
      <g transform={`translate(${x} ${y})`} class={`node ${key}`}>
        <rect width={width} height={height} rx="8" />
        <g transform="translate(12 14)">
          <Icon name={kind} />
        </g>
        <text x="38" y="19" class="node-name">
          {cutMiddle(displayName, change === undefined ? 18 : 14)}
        </text>
        <text x="38" y="34" class="node-kind">
          {kind}
        </text>
        {change !== undefined && (
          <>
            <rect class="node-mark" x={width - 30} y="11" width="20" height="22" rx="5" />
            <text class="node-sign" x={width - 20} y="27" text-anchor="middle">
              {sign}
            </text>
          </>
        )}
      </g>
    </Link>
  )
}

/** Also from a label to what bears it. */
function edgesOf(
  nodes: ReadonlyMap<string, GraphItem>,
  changes: readonly Change[],
): readonly (readonly [string, string])[] {
  const found = new Map<string, readonly [string, string]>()
  const add = (from: string, to: string): void => {
    if (from !== to && nodes.has(from) && nodes.has(to)) found.set(`${from} ${to}`, [from, to])
  }
  for (const { address, needs, parts } of nodes.values()) {
    for (const need of needs) add(need, address)
    for (const part of parts) add(`Label/${part.split('/').at(-1)}`, address)
  }
  for (const { partOf, needs } of changes) if (partOf !== undefined) for (const need of needs) add(need, partOf)
  return [...found.values()]
}
