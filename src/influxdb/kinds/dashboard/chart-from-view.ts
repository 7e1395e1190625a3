// The chart that a cell of a dashboard shows, from its view: the inverse of `chartView`.
import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { chartView, withoutDefaults } from './chart.js'
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
  return { ...chart, ...cell, ...(isExpressed(view, chartView(chart)) ? {} : { view }) }
}

/** InfluxDB adds and omits defaults, and writes null for an empty list. */
function isExpressed(view: JsonObject, expressed: JsonObject): boolean {
  return isDeepStrictEqual(withoutDefaults(expressed), withoutDefaults(view))
}

function chartOfView(view: JsonObject): JsonObject {
  const { type } = view
  const kind = typeof type === 'string' ? kindByType.get(type) : undefined
  if (kind !== undefined) return { kind, ...(shapeFromView(view, chartKinds.get(kind)!.shape) as JsonObject) }
  return { kind: typeof type === 'string' && !chartKinds.has(type.trim().toLowerCase()) ? type : '' }
}

const kindByType: ReadonlyMap<string, string> = new Map([...chartKinds].map(([kind, { type }]) => [type, kind]))
