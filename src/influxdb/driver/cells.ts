// Which cells of a dashboard change. A cell is never made again to change its chart or its place. Pure.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { sameJson } from '../../plan/diff.js'

/** A cell of the server. `chart`: its chart, normalized. */
export interface Cell {
  readonly id: string
  readonly chart: JsonObject
}

/** `at`: the index of the desired chart. */
export interface ChangedCell {
  readonly id: string
  readonly at: number
}

export interface CellChanges {
  /** Cells with another place or size. */
  readonly moved: readonly ChangedCell[]
  /** Cells with another chart or name. */
  readonly redrawn: readonly ChangedCell[]
  /** Indices of desired charts that have no cell. */
  readonly added: readonly number[]
  /** Ids. */
  readonly removed: readonly string[]
}

/** `desired`: charts, normalized. Charts have no names of their own, so each takes the cell that resembles it most. */
export function cellChanges(cells: readonly Cell[], desired: readonly JsonObject[]): CellChanges {
  const left = new Map(cells.map((cell) => [cell.id, cell]))
  const taken = new Map<number, Cell>()
  for (const likeness of likenesses) takeAlike(likeness, { left, taken, desired })
  const pairs = [...taken].sort(([a], [b]) => a - b).map(([at, { id, chart }]) => ({ id, at, chart }))
  const differing = (part: (chart: JsonObject) => Json): readonly ChangedCell[] =>
    pairs.filter(({ at, chart }) => !sameJson(part(chart), part(desired[at]!))).map(({ id, at }) => ({ id, at }))
  return {
    moved: differing(placeOf),
    redrawn: differing(viewOf),
    added: desired.flatMap((_, at) => (taken.has(at) ? [] : [at])),
    removed: [...left.keys()],
  }
}

/** From the best to the least: what two charts must have in common. */
const likenesses: readonly ((chart: JsonObject) => string)[] = [
  (chart) => JSON.stringify([placeOf(chart), viewOf(chart)]),
  (chart) => JSON.stringify(viewOf(chart)),
  ({ name, kind }) => JSON.stringify([name ?? '', kind ?? '']),
  (chart) => JSON.stringify(placeOf(chart)),
  ({ kind }) => JSON.stringify(kind ?? ''),
]

/** Each desired chart without a cell takes the first one that is alike and left. */
function takeAlike(
  likeness: (chart: JsonObject) => string,
  {
    left,
    taken,
    desired,
  }: {
    readonly left: Map<string, Cell>
    readonly taken: Map<number, Cell>
    readonly desired: readonly JsonObject[]
  },
): void {
  const alike = new Map<string, Cell[]>()
  for (const cell of left.values()) {
    const key = likeness(cell.chart)
    const others = alike.get(key)
    if (others === undefined) alike.set(key, [cell])
    else others.push(cell)
  }
  for (const cells of alike.values()) cells.reverse()
  for (const [at, chart] of desired.entries()) {
    const cell = taken.has(at) ? undefined : alike.get(likeness(chart))?.pop()
    if (cell === undefined) continue
    taken.set(at, cell)
    left.delete(cell.id)
  }
}

function placeOf({ xPos, yPos, width, height }: JsonObject): Json {
  return [xPos ?? 0, yPos ?? 0, width ?? 0, height ?? 0]
}

function viewOf({ xPos: _x, yPos: _y, width: _w, height: _h, ...view }: JsonObject): JsonObject {
  return view
}

/** Entries of a list that are maps. */
export function mapsIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(isObject) : []
}
