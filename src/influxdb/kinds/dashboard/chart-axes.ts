// The axes of a chart, sorted by name and with one axis per name, because a view stores them in a map by name.
import { compareText } from '../../../lib/text/compare-text.js'
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import { asText } from '../../../model/scalar.js'
import {
  list,
  listEntries,
  map,
  name,
  normaliseShape,
  readShape,
  shapeFromView,
  text,
  viewShape,
  type ChartField,
  type Shape,
} from './chart-field.js'
import type { ChartContext } from './chart-queries.js'
import type { Fields } from '../fields/fields.js'

interface AxisRules {
  /** The fields that a view keeps. */
  readonly shape: Shape
  /** The known names, each of which a view has; absent: all names are known. */
  readonly names?: readonly string[]
  readonly needed: readonly string[]
  /** Which axis wins if several have one name. */
  readonly winner: 'first' | 'last'
  readonly view: (axes: readonly JsonObject[]) => JsonObject
  /** The axes of a view; undefined: it has none. */
  readonly fromView: (view: JsonObject) => Json | undefined
}

/** Read with the chart: an invalid domain is a problem of the chart. */
const domain: ChartField = {
  read: () => [],
  normalise: (value) => value ?? [],
  view: () => ({}),
  fromView: () => undefined,
}
const labelled = { label: text(), prefix: text(), suffix: text() }
const scaled = { ...labelled, base: text(), scale: text() }
const wholeAxis = { name: name(), ...scaled, domain }
const numeric = /^[+-]?(?:\d{1,300}\.?\d{0,300}|\.\d{1,300})(?:e[+-]?\d{1,3})?$/i

/** Axes of any name. Their domains become the bounds of the view's axes; InfluxDB's own import drops them. */
export function namedAxes(needed: readonly string[] = []): ChartField {
  const view = (axes: readonly JsonObject[]): JsonObject => ({
    axes: Object.fromEntries(
      axes.map((axis) => [axisName(axis), { ...viewShape(axis, scaled), bounds: axisBounds(axis) }]),
    ),
  })
  return axesField({ shape: wholeAxis, needed, winner: 'last', view, fromView: axesByName })
}

function axesByName({ axes }: JsonObject): Json | undefined {
  if (!isObject(axes)) return axes
  return Object.entries(axes).map(([key, axis]) => {
    const { bounds } = isObject(axis) ? axis : {}
    const fields = isObject(axis) ? (shapeFromView(axis, scaled) as JsonObject) : {}
    return { name: key, ...fields, domain: listEntries(bounds).flatMap(boundNumber) }
  })
}

/** InfluxDB's pages write an empty text where an axis has no bound. */
function boundNumber(bound: Json): readonly Json[] {
  if (typeof bound !== 'string') return [bound]
  if (bound === '') return []
  return [numeric.test(bound) ? Number(bound) : bound]
}

/** The axes x and y, whose labels, prefixes, suffixes and domains are properties of the view itself. */
export function flatAxes(needed: readonly string[]): ChartField {
  const names = ['x', 'y']
  const parts = { label: 'AxisLabel', prefix: 'Prefix', suffix: 'Suffix' }
  return axesField({
    shape: { name: name(), ...labelled, domain },
    names,
    needed,
    winner: 'first',
    view: (axes) => ({ ...flatParts(axes, 'x', parts), ...flatParts(axes, 'y', parts) }),
    fromView: (view) => names.map((letter) => flatAxis(view, letter, parts)),
  })
}

/** The axis x, whose label and domain are properties of the view itself. */
export function axisX(): ChartField {
  const parts = { label: 'AxisLabel' }
  return axesField({
    shape: { name: name(), label: text(), domain },
    names: ['x'],
    needed: ['x'],
    winner: 'first',
    view: (axes) => flatParts(axes, 'x', parts),
    fromView: (view) => [flatAxis(view, 'x', parts)],
  })
}

/** A single axis, whose name has no effect. */
export function dimension(): ChartField {
  const field = map(scaled)
  return {
    read: (from, key, at) => {
      const below = from.map(key)
      below?.raw('name')
      return below === undefined ? field.normalise(undefined) : readShape(below, scaled, at)
    },
    normalise: field.normalise,
    view: (value, key) => ({ [key]: { ...viewShape(value, scaled), bounds: [] } }),
    fromView: field.fromView,
  }
}

function axesField(rules: AxisRules): ChartField {
  const { normalise } = list(rules.shape)
  return {
    read: (chart, key, at) => {
      const axes = chart.each(key).map((entry) => ({ entry, axis: readAxis(chart, entry, at) }))
      checkNeeded(
        chart,
        axes.map(({ axis }) => axis),
        rules.needed,
      )
      const counting = oneOfEach(chart, axes, rules).map(({ axis }) => kept(axis, rules.shape))
      return complete(counting, rules)
    },
    normalise: (value) => {
      const axes = normalise(value)
      return Array.isArray(axes) ? complete(axes, rules) : axes
    },
    view: (value) => rules.view(listEntries(value).filter(isObject)),
    fromView: rules.fromView,
  }
}

function readAxis(chart: Fields, entry: Fields, at: ChartContext): JsonObject {
  entry.raw('domain')
  const axis = readShape(entry, wholeAxis, at)
  return { ...axis, domain: readDomain(chart, entry, axisName(axis)) }
}

/** Numbers, or their text. Any other text is a problem of all axes. */
function readDomain(chart: Fields, entry: Fields, axis: string): readonly number[] {
  const found: number[] = []
  for (const [at, value] of entry.list('domain').entries()) {
    const written = asText(value)
    if (written === undefined)
      entry.warning('domain', 'wrong-type', `value ${at + 1} of domain is not a number and is ignored`)
    else if (numeric.test(written) && Number.isFinite(Number(written))) found.push(Number(written))
    else
      chart.error(
        'axes',
        'wrong-type',
        `value ${at + 1} of the domain of axis ${quoted(axis)} is ${quoted(written)}, which is not a number`,
      )
  }
  return found
}

function checkNeeded(chart: Fields, axes: readonly JsonObject[], needed: readonly string[]): void {
  for (const name of needed) {
    if (axes.some((axis) => axis['name'] === name)) continue
    chart.error('axes', 'required', `there is no axis ${name}`, `Add an axis with \`name: ${name}\`.`)
  }
}

interface WrittenAxis {
  readonly entry: Fields
  readonly axis: JsonObject
}

/** One axis for each name. The others, and those of unknown names, are reported. */
function oneOfEach(chart: Fields, axes: readonly WrittenAxis[], { names, winner }: AxisRules): readonly WrittenAxis[] {
  const found = new Map<string, WrittenAxis>()
  for (const one of axes) {
    const called = axisName(one.axis)
    const former = found.get(called)
    if (names?.includes(called) === false)
      chart.warning('axes', 'no-effect', `the axis ${quoted(called)} has no effect`)
    else if (former === undefined) found.set(called, one)
    else {
      const both = `${former.entry.entryPlace} and ${one.entry.entryPlace}`
      const message = `only the ${winner} of two axes called ${quoted(called)} takes effect: ${both}`
      chart.warning('axes', 'no-effect', message)
      if (winner === 'last') found.set(called, one)
    }
  }
  return [...found.values()]
}

function kept(axis: JsonObject, shape: Shape): JsonObject {
  return Object.fromEntries(Object.keys(shape).map((key) => [key, axis[key]!]))
}

/** Sorted, with the axes that every view has. */
function complete(axes: readonly Json[], { names = [], shape }: AxisRules): readonly Json[] {
  const absent = names.filter((name) => !axes.some((axis) => axisName(axis) === name))
  return [...axes, ...absent.map((name) => normaliseShape({ name: name }, shape))].sort(byName)
}

function byName(a: Json, b: Json): number {
  return compareText(axisName(a), axisName(b))
}

function axisName(axis: Json): string {
  return isObject(axis) && typeof axis['name'] === 'string' ? axis['name'] : ''
}

function flatParts(axes: readonly JsonObject[], letter: string, parts: Readonly<Record<string, string>>): JsonObject {
  const axis = axes.find((one) => axisName(one) === letter) ?? {}
  const texts = Object.entries(parts).map(([key, as]) => text(letter + as).view(axis[key], key))
  const range = domainNumbers(axis)
  return Object.assign(range.length === 0 ? {} : { [`${letter}Domain`]: range }, ...texts) as JsonObject
}

function flatAxis(view: JsonObject, letter: string, parts: Readonly<Record<string, string>>): JsonObject {
  const texts = Object.entries(parts).map(([key, as]) => [key, view[letter + as] ?? ''] as const)
  return { name: letter, ...Object.fromEntries(texts), domain: view[`${letter}Domain`] ?? [] }
}

function axisBounds(axis: JsonObject): readonly string[] {
  return domainNumbers(axis).map(String)
}

function domainNumbers(axis: JsonObject): readonly number[] {
  return listEntries(axis['domain']).filter((value) => typeof value === 'number')
}
