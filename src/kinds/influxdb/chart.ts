// The cells of a dashboard (packages 1.8). They are carried whole; what all kinds of chart have in common is checked and written out.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { quoted } from '../../model/printable.js'
import { readQueries, type ChartPlace } from './chart-queries.js'
import type { Fields } from './fields.js'

const chartKinds = [
  'gauge',
  'geo',
  'heatmap',
  'histogram',
  'markdown',
  'mosaic',
  'scatter',
  'single_stat',
  'single_stat_plus_line',
  'table',
  'xy',
  'band',
]

/** The chart in its held form: everything that was written, with the common fields in their own types and with defaults. */
export function readChart(chart: Fields, at: ChartPlace): JsonObject {
  const kind = chart.text('kind')?.trim().toLowerCase() ?? ''
  const common = {
    kind,
    name: chart.text('name') ?? '',
    xPos: chart.integer('xPos') ?? 0,
    yPos: chart.integer('yPos') ?? 0,
    width: chart.integer('width') ?? 0,
    height: chart.integer('height') ?? 0,
    note: chart.text('note') ?? '',
    noteOnEmpty: chart.boolean('noteOnEmpty') ?? false,
  }
  if (!chartKinds.includes(kind)) chart.error('kind', 'not-allowed', unknownChart(kind), `One of ${chartKinds.join(', ')}.`)
  // Nothing about markdown is validated, and it has neither queries nor colors.
  if (kind === 'markdown') return { ...chart.whole(), ...common }
  checkSize(chart, common)
  return { ...chart.whole(), ...common, queries: readQueries(chart, at), colors: chart.each('colors').map(readColor) }
}

/** The same chart in one spelling; what is no map stays. */
export function normaliseChart(chart: Json): Json {
  if (!isObject(chart) || typeof chart['kind'] !== 'string') return chart
  return { ...chart, kind: chart['kind'].trim().toLowerCase() }
}

function unknownChart(kind: string): string {
  return kind === '' ? 'the chart has no kind' : `there is no chart of kind ${quoted(kind)}`
}

function checkSize(chart: Fields, size: { readonly width: number; readonly height: number }): void {
  for (const side of ['width', 'height'] as const) {
    if (size[side] <= 0) chart.error(side, 'too-small', `the ${side} of a chart is ${size[side]}`, 'Write a number of cells above 0.')
  }
}

function readColor(color: Fields): JsonObject {
  const hex = color.text('hex') ?? ''
  if (hex === '') color.error('hex', 'required', 'a color has no hex', 'Write one, such as "#8F8AF4".')
  return {
    ...color.whole(),
    id: color.text('id') ?? '',
    name: color.text('name') ?? '',
    type: color.text('type') ?? '',
    hex,
    value: color.number('value') ?? 0,
  }
}
