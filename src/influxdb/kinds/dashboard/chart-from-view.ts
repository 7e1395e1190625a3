// The chart that a cell of a dashboard shows, from its view: the inverse of `chartView`.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { chartView } from './chart.js'
import { shapeFromView } from './chart-field.js'
import { chartKinds } from './chart-kinds.js'

/** A cell in the form of InfluxDB's API, with its view. */
export interface CellForm {
  readonly id?: Json
  readonly x?: Json
  readonly y?: Json
  readonly w?: Json
  readonly h?: Json
  readonly name?: Json
  readonly properties?: Json
}

/**
 * A chart in state form. It keeps the cell's `id`. It also keeps the `view`, if a package cannot express all of it; the
 * `kind` of an unknown view is its type. Never throws.
 */
export function chartFromView({ id, x, y, w, h, name, properties }: CellForm): JsonObject {
  const view = isObject(properties) ? properties : {}
  const place = { name: name ?? '', xPos: x ?? 0, yPos: y ?? 0, width: w ?? 0, height: h ?? 0 }
  const cell = id === undefined ? {} : { id }
  const chart = { ...chartOfView(view), ...place }
  return { ...chart, ...cell, ...(isSame(view, chartView(chart)) ? {} : { view }) }
}

/** InfluxDB adds and omits defaults, and writes null for an empty list. */
function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one: Json, at) => isSame(one, b[at] as Json))
  if (!isObject(a) || !isObject(b)) return isDefault(a) && isDefault(b)
  for (const key in a) if (!isSame(a[key], b[key])) return false
  for (const key in b) if (a[key] === undefined && !isDefault(b[key])) return false
  return true
}

/** A map is if its values are. */
function isDefault(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return Object.values(value).every(isDefault)
  return value === undefined || value === null || value === '' || value === 0 || value === false
}

function chartOfView(view: JsonObject): JsonObject {
  const { type } = view
  const kind = typeof type === 'string' ? kindByType.get(type) : undefined
  if (kind !== undefined) return { kind, ...(shapeFromView(view, chartKinds.get(kind)!.shape) as JsonObject) }
  return { kind: typeof type === 'string' && !chartKinds.has(type.trim().toLowerCase()) ? type : '' }
}

const kindByType: ReadonlyMap<string, string> = new Map([...chartKinds].map(([kind, { type }]) => [type, kind]))
