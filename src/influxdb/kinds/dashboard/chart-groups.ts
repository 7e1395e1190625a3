// Groups of fields that several kinds of chart share.
import { type Json, type JsonObject, isObject } from '../../../model/json.js'
import { dimension } from './chart-axes.js'
import { colors, layerColors } from './chart-colors.js'
import {
  choice,
  flag,
  int32,
  integer,
  list,
  map,
  name,
  number,
  size,
  text,
  texts,
  mapEntries,
  notInView,
  viewShape,
  within,
  type ChartField,
  type Shape,
  listEntries,
} from './chart-field.js'
import { largest } from '../fields/number-limits.js'
import { readQueries } from './chart-queries.js'
import { setsOption } from '../flux/flux-words.js'
import { queryDocument } from '../wire.js'

export const place = { name: notInView(name()), xPos: notInView(int32()), yPos: notInView(int32()) }

export const common = {
  ...place,
  width: notInView(size()),
  height: notInView(size()),
  note: text(),
  noteOnEmpty: flag('showNoteWhenEmpty'),
  queries: queries(),
  colors: colors(),
}

export const affixes = { prefix: text(), suffix: text() }
export const tickAffixes = { tickPrefix: text(), tickSuffix: text() }
export const ticksX = { generateXAxisTicks: texts(), xTotalTicks: integer(), xTickStart: number(), xTickStep: number() }
export const ticks = {
  ...ticksX,
  generateYAxisTicks: texts(),
  yTotalTicks: integer(),
  yTickStart: number(),
  yTickStep: number(),
}
export const columns = { xCol: text('xColumn'), yCol: text('yColumn') }
export const timeFormat = { timeFormat: text() }
export const hover = { hoverDimension: text() }
export const shade = { shade: flag('shadeBelow') }
export const legend = {
  legendColorizeRows: flag(),
  legendHide: flag(),
  legendOpacity: number(),
  legendOrientationThreshold: integer(),
}

/** null: the target chooses the format; a number, even 0, is enforced. */
export const decimals: { readonly decimalPlaces: ChartField } = {
  decimalPlaces: {
    read: (chart, key) => chart.integer(key, largest.int32) ?? null,
    normalise: (value) => value ?? null,
    view: (value, key) => ({
      [key]: { isEnforced: typeof value === 'number', digits: typeof value === 'number' ? value : 0 },
    }),
    fromView: (view, key) => {
      const places = view[key]
      return isObject(places) && places['isEnforced'] === true ? (places['digits'] ?? 0) : null
    },
  },
}

export const staticLegend = {
  staticLegend: withoutDefaults({
    colorizeRows: flag(),
    heightRatio: number(),
    opacity: number(),
    orientationThreshold: integer(),
    show: flag(),
    valueAxis: text(),
    widthRatio: number(),
  }),
}

const geometries = ['line', 'step', 'stacked', 'bar', 'monotoneX', 'stepAfter', 'stepBefore']
export const geom = { geom: choice(geometries, { anyCase: false }) }
export const position = { position: choice(['', 'overlaid', 'stacked'], { anyCase: true }) }

export const tableOptions = {
  tableOptions: map({
    verticalTimeAxis: flag(),
    sortBy: sortColumn(),
    wrapping: choice(['', 'single-line', 'truncate', 'wrap'], { anyCase: false }),
    fixFirstColumn: flag(),
  }),
}

const layer = {
  layerType: text('type'),
  radiusField: text(),
  colorField: text(),
  intensityField: text(),
  viewColors: layerColors(),
  radius: int32(),
  blur: int32(),
  radiusDimension: dimension(),
  colorDimension: dimension(),
  intensityDimension: dimension(),
  interpolateColors: flag(),
  trackWidth: int32(),
  speed: int32(),
  randomColors: flag(),
  isClustered: flag(),
}

export const geo = {
  lat: within('center', number()),
  lon: within('center', number()),
  zoom: number(),
  mapStyle: text(),
  allowPanAndZoom: flag(),
  detectCoordinateFields: flag(),
  geoLayers: list(layer, 'layers'),
}

/** The column to sort by. A view stores more about a column than its name. */
function sortColumn(): ChartField {
  const internalName = text('internalName')
  return {
    ...text(),
    view: (value, key) => ({ [key]: { ...internalName.view(value, key), displayName: '', visible: false } }),
    fromView: (view, key) => (isObject(view[key]) ? internalName.fromView(view[key], key) : undefined),
  }
}

/** A map that a view stores without its default values. */
function withoutDefaults(shape: Shape): ChartField {
  const view = (value: Json | undefined): JsonObject => {
    const shown = Object.entries(viewShape(value, shape)).filter(([, one]) => one !== '' && one !== 0 && one !== false)
    return Object.fromEntries(shown)
  }
  return { ...map(shape), view: (value, key) => ({ [key]: view(value) }) }
}

// The queries of a chart, converted between package, state and view.
/** State: `[{query}]`. The dashboard compares them in canonical form. Empty queries of a view are none. */
function queries(): ChartField {
  return {
    read: (chart, _key, at) => readQueries(chart, at),
    normalise: (value) => value ?? [],
    view: (value, key) => ({ [key]: listEntries(value).map(viewQuery) }),
    fromView: (view, key) => {
      const found = mapEntries(view[key], (one) => (isObject(one) ? { query: one['text'] ?? '' } : one))
      return Array.isArray(found) ? found.filter((one: Json) => !isObject(one) || one['query'] !== '') : found
    },
  }
}

function viewQuery(one: Json): JsonObject {
  const query = isObject(one) ? one['query'] : undefined
  return queryDocument(typeof query === 'string' ? shown(query) : '', 'advanced')
}

/** Trimmed, unless the query was printed to fill in its parameters: printed text is not changed. */
function shown(query: string): string {
  return setsOption(query, 'params') ? query : query.trim()
}
