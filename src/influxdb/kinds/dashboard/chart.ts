// The charts of a dashboard: reading them, their canonical form, and what an export declares.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import { normaliseShape, readShape, viewShape } from './chart-field.js'
import { chartKinds, type ChartKind } from './chart-kinds.js'
import type { ChartContext } from './chart-queries.js'
import type { Fields } from '../fields/fields.js'

/** State: `kind` in lower case, and every field of that kind of chart. undefined: the chart has errors. */
export function readChart(chart: Fields, at: ChartContext): JsonObject | undefined {
  const { problems } = chart.report
  const before = problems.length
  const name = chart.text('kind')?.trim().toLowerCase() ?? ''
  const kind = chartKinds.get(name)
  if (kind === undefined) {
    chart.error('kind', 'not-allowed', unknownChart(name), `One of ${[...chartKinds.keys()].join(', ')}.`)
    return undefined
  }
  warnForeign(chart, name, kind)
  const state = { kind: name, ...readShape(chart, kind.shape, at) }
  return problems.slice(before).some(({ severity }) => severity === 'error') ? undefined : state
}

/**
 * The canonical form of a chart, without what only its target knows: the `id` of its cell, and the `view` beyond what a
 * package can express. Other values stay. Charts of an unchanged package are cached.
 */
export function normaliseChart(chart: Json): Json {
  if (!isObject(chart)) return chart
  const kind = findChartKind(chart)
  const { id: _cell, ...rest } = chart
  if (kind === undefined) return rest
  const known = normal.get(chart)
  if (known !== undefined) return known
  const { view: _view, ...declared } = rest
  const spelt = { ...(normaliseShape(declared, kind.shape) as JsonObject), kind: kindName(chart) }
  normal.set(chart, spelt)
  return spelt
}

const normal = new WeakMap<JsonObject, JsonObject>()

/** The properties of the chart's view: its `view` if it has one. Cached by chart. */
export function chartView(chart: Json): JsonObject {
  const kind = findChartKind(chart)
  if (isObject(chart) && isObject(chart['view'])) return chart['view']
  if (kind === undefined || !isObject(chart)) return { shape: 'empty' }
  const known = views.get(chart)
  if (known !== undefined) return known
  const view = { shape: 'chronograf-v2', type: kind.type, ...kind.fixedProperties, ...viewShape(chart, kind.shape) }
  views.set(chart, view)
  return view
}

const views = new WeakMap<JsonObject, JsonObject>()

/** Sorted by x, then y. Charts at the same position keep their order. */
export function byPosition(charts: readonly Json[]): readonly Json[] {
  const at = (chart: Json, key: string): number => (isObject(chart) && typeof chart[key] === 'number' ? chart[key] : 0)
  return [...charts].sort((a, b) => at(a, 'xPos') - at(b, 'xPos') || at(a, 'yPos') - at(b, 'yPos'))
}

/** A declaration of the chart, without default values. undefined: the chart's kind is unknown. */
export function declareChart(chart: Json): JsonObject | undefined {
  const kind = findChartKind(chart)
  if (kind === undefined || !isObject(chart)) return undefined
  const fields = Object.keys(kind.shape).filter((key) => chart[key] !== undefined)
  const { name, width, height, decimalPlaces, ...rest } = Object.fromEntries(fields.map((key) => [key, chart[key]!]))
  const always = { kind: exportedKind(kindName(chart)), name: name ?? '', width: width ?? 0, height: height ?? 0 }
  return { ...always, ...(decimalPlaces == null ? {} : { decimalPlaces }), ...(withoutDefaults(rest) as JsonObject) }
}

function findChartKind(chart: Json): ChartKind | undefined {
  return chartKinds.get(kindName(chart))
}

function kindName(chart: Json): string {
  return isObject(chart) && typeof chart['kind'] === 'string' ? chart['kind'].trim().toLowerCase() : ''
}

/** `Single_Stat_Plus_Line`, as InfluxDB writes it. */
function exportedKind(name: string): string {
  return name.replaceAll(/(?:^|_)[a-z]/g, (start) => start.toUpperCase())
}

const everyField: ReadonlySet<string> = new Set([...chartKinds.values()].flatMap(({ shape }) => Object.keys(shape)))

/** Fields of other kinds of chart. InfluxDB's exports list them empty, which has no effect. */
function warnForeign(chart: Fields, name: string, { shape }: ChartKind): void {
  for (const [key, value] of Object.entries(chart.whole())) {
    if (!everyField.has(key) || Object.hasOwn(shape, key)) continue
    chart.raw(key)
    if (!isDefault(value))
      chart.warning(key, 'unknown-field', `a chart of kind ${name} has no field ${quoted(key)}; it is ignored`)
  }
}

function unknownChart(name: string): string {
  return name === '' ? 'the chart has no kind' : `there is no chart of kind ${quoted(name)}`
}

/** Lists keep all their entries, because positions count. */
function withoutDefaults(state: Json): Json {
  if (Array.isArray(state)) return state.map(withoutDefaults)
  if (!isObject(state)) return state
  const entries = Object.entries(state).map(([key, value]) => [key, withoutDefaults(value)] as const)
  return Object.fromEntries(entries.filter(([, value]) => !isDefault(value)))
}

function isDefault(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0
  return (
    value === null ||
    value === '' ||
    value === 0 ||
    value === false ||
    (isObject(value) && Object.keys(value).length === 0)
  )
}
