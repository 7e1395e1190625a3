// Changes of the cells of a dashboard. A cell keeps its id while others come, go and move. Pure.
import { randomBytes } from 'node:crypto'
import { Refused } from '../../model/errors.js'
import type { Json, JsonObject } from '../../model/json.js'
import { chartFromView, dashboardCells, type CellForm, type DashboardCell } from '../kinds/kinds.js'

/** The dashboard with other cells, given and returned in InfluxDB's form. Errors: `Refused` not-found, usage. */
export type CellChange = (cells: readonly DashboardCell[]) => readonly CellForm[]

/** The state of a dashboard whose charts show the changed cells. */
export function withCells(state: JsonObject, dashboard: string, change: CellChange): JsonObject {
  return { ...state, charts: change(dashboardCells(state, dashboard)).map(chartFromView) }
}

/** A new cell after the others. `usingView`: the id of a cell whose view it copies; else it has none. */
export function addedCell(body: JsonObject): { readonly id: string; readonly change: CellChange } {
  const id = randomBytes(8).toString('hex')
  const { name, usingView } = body
  const change: CellChange = (cells) => {
    const copied = typeof usingView === 'string' && usingView !== '' ? findCell(cells, usingView) : undefined
    const view = copied ?? { name: '', properties: { shape: 'empty' } }
    const named = typeof name === 'string' && name !== '' ? name : view.name
    return [...cells, { id, ...place(body), name: named, properties: view.properties }]
  }
  return { id, change }
}

/** The cells that the list names, in its order, at its places; others are removed. */
export function replacedCells(body: Json): CellChange {
  if (!Array.isArray(body)) throw new Refused('usage', 'The body must be a list of cells.')
  const list = body as readonly Json[]
  return (cells) =>
    list.map((one) => {
      const cell = one as JsonObject | null
      const known = findCell(cells, typeof cell?.['id'] === 'string' ? cell['id'] : '')
      return { ...known, ...place(cell!) }
    })
}

export function movedCell(id: string, body: JsonObject): CellChange {
  return (cells) => changed(cells, id, (cell) => ({ ...cell, ...place({ ...cellPlace(cell), ...withoutNull(body) }) }))
}

export function removedCell(id: string): CellChange {
  return (cells) => {
    findCell(cells, id)
    return cells.filter((cell) => cell.id !== id)
  }
}

export function changedView(id: string, { name, properties }: JsonObject): CellChange {
  return (cells) =>
    changed(cells, id, (cell) => ({
      ...cell,
      ...(typeof name === 'string' ? { name } : {}),
      ...(properties === undefined || properties === null ? {} : { properties }),
    }))
}

function changed(
  cells: readonly DashboardCell[],
  id: string,
  change: (cell: DashboardCell) => CellForm,
): readonly CellForm[] {
  findCell(cells, id)
  return cells.map((cell) => (cell.id === id ? change(cell) : cell))
}

function findCell(cells: readonly DashboardCell[], id: string): DashboardCell {
  const found = cells.find((cell) => cell.id === id)
  if (found === undefined)
    throw id === ''
      ? new Refused('usage', 'A cell has no id.')
      : new Refused('not-found', `The dashboard has no cell ${JSON.stringify(id.slice(0, 100))}.`)
  return found
}

function cellPlace({ x, y, w, h }: DashboardCell): JsonObject {
  return { x, y, w, h }
}

function withoutNull(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

/** Whole numbers of 32 bits; absent ones are 0. */
function place(body: JsonObject): Pick<DashboardCell, 'x' | 'y' | 'w' | 'h'> {
  const [x, y, w, h] = ['x', 'y', 'w', 'h'].map((key) => {
    const value = body[key] ?? 0
    if (typeof value === 'number' && (value | 0) === value) return value
    throw new Refused('usage', `The ${key} of a cell must be a whole number.`)
  })
  return { x: x!, y: y!, w: w!, h: h! }
}
