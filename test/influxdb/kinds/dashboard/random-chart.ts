// Charts as somebody might write them, of every kind and with any of its fields: the same ones for the same dice.
import type { Json, JsonObject } from '../../../../src/model/json.js'

/** A whole number from 0 below a bound. */
export type Dice = (below: number) => number

type Make = (dice: Dice) => Json

const pick = <T>(dice: Dice, from: readonly T[]): T => from[dice(from.length)]!
const listOf = (dice: Dice, make: Make, least = 0): readonly Json[] =>
  Array.from({ length: least + dice(4) }, () => make(dice))

const text: Make = (dice) => pick(dice, ['', '_value', 'a b', '%', 'true', 'ünï\n', '0'])
const integer: Make = (dice) => pick(dice, [0, 1, 2, 12, 100_000_000, 3.9])
const number: Make = (dice) => pick(dice, [0, 1, 0.5, -3.25, 1e8])
const flag: Make = (dice) => dice(2) === 0
const texts: Make = (dice) => listOf(dice, text)
const hex: Make = (dice) => pick(dice, ['#000004', '#8F8AF4', 'white'])
const color = (dice: Dice, type: string): Json =>
  some(dice, { id: text, name: text, value: number }, { type, hex: hex(dice) })
const colors: Make = (dice) => listOf(dice, (again) => color(again, pick(again, ['min', 'max', 'text', 'scale', ''])))
const domain: Make = (dice) => listOf(dice, (again) => pick(again, [0, 10, -1.5, '7', '2.5e3']))
const axisFields = { label: text, prefix: text, suffix: text, base: text, scale: text }
const axes: Make = (dice) =>
  pick(dice, [
    ['x', 'y'],
    ['y', 'x'],
    ['x', 'y'],
  ]).map((name) => some(dice, { ...axisFields, domain }, { name }))
const dimension: Make = (dice) => some(dice, axisFields)
const position: Make = (dice) => pick(dice, ['', 'overlaid', 'stacked', 'Stacked'])

const ticksX = { generateXAxisTicks: texts, xTotalTicks: integer, xTickStart: number, xTickStep: number }
const ticks = { ...ticksX, generateYAxisTicks: texts, yTotalTicks: integer, yTickStart: number, yTickStep: number }
const legend = {
  legendColorizeRows: flag,
  legendHide: flag,
  legendOpacity: number,
  legendOrientationThreshold: integer,
}
const affixes = { prefix: text, suffix: text }
const columns = { xCol: text, yCol: text }
const decimals = { decimalPlaces: integer }
const staticLegend: Make = (dice) =>
  some(dice, {
    colorizeRows: flag,
    heightRatio: number,
    opacity: number,
    orientationThreshold: integer,
    show: flag,
    valueAxis: text,
    widthRatio: number,
  })
const layer: Make = (dice) =>
  some(dice, {
    layerType: text,
    radiusField: text,
    colorField: text,
    intensityField: text,
    viewColors: colors,
    radius: integer,
    blur: integer,
    radiusDimension: dimension,
    colorDimension: dimension,
    intensityDimension: dimension,
    interpolateColors: flag,
    trackWidth: integer,
    speed: integer,
    randomColors: flag,
    isClustered: flag,
  })
const tableOptions: Make = (dice) => {
  const wrapping: Make = (again) => pick(again, ['', 'single-line', 'truncate', 'wrap'])
  return some(dice, { verticalTimeAxis: flag, sortBy: text, wrapping, fixFirstColumn: flag })
}

interface ChartTable {
  readonly [kind: string]: {
    readonly may: Readonly<Record<string, Make>>
    readonly must: Readonly<Record<string, Make>>
  }
}

const gaugeColors: Make = (dice) => [color(dice, 'max'), color(dice, 'text'), color(dice, 'min')]
const common = { name: text, xPos: integer, yPos: integer, note: text, noteOnEmpty: flag, colors }
const size = { width: () => 4, height: () => 3 }

/** The optional and the required fields of each kind of chart. */
const table: ChartTable = {
  gauge: {
    may: { ...common, ...affixes, tickPrefix: text, tickSuffix: text, ...decimals },
    must: { ...size, colors: gaugeColors },
  },
  geo: {
    may: {
      ...common,
      lat: number,
      lon: number,
      zoom: number,
      mapStyle: text,
      allowPanAndZoom: flag,
      detectCoordinateFields: flag,
      geoLayers: (dice) => listOf(dice, layer),
    },
    must: size,
  },
  heatmap: {
    may: { ...common, ...columns, binSize: integer, timeFormat: text, ...ticks, ...legend },
    must: { ...size, axes },
  },
  histogram: {
    may: { ...common, xCol: text, binCount: integer, fillColumns: texts, position, ...legend },
    must: { ...size, axes: (dice) => [some(dice, { ...axisFields, domain }, { name: 'x' })] },
  },
  markdown: {
    may: { name: text, xPos: integer, yPos: integer, width: integer, height: integer, note: text },
    must: {},
  },
  mosaic: {
    may: {
      ...common,
      axes,
      xCol: text,
      hoverDimension: text,
      ySeriesColumns: texts,
      yLabelColumns: texts,
      yLabelColumnSeparator: text,
      timeFormat: text,
      ...ticksX,
      ...legend,
    },
    must: size,
  },
  scatter: { may: { ...common, ...columns, timeFormat: text, ...ticks, ...legend }, must: { ...size, axes } },
  single_stat: { may: { ...common, ...affixes, tickPrefix: text, tickSuffix: text, ...decimals }, must: size },
  single_stat_plus_line: {
    may: {
      ...common,
      ...affixes,
      ...decimals,
      shade: flag,
      hoverDimension: text,
      ...columns,
      position,
      staticLegend,
      ...ticks,
      ...legend,
    },
    must: { ...size, axes },
  },
  table: {
    may: {
      ...common,
      tableOptions,
      timeFormat: text,
      ...decimals,
      fieldOptions: (dice) =>
        listOf(dice, (again) =>
          some(again, {
            fieldName: text,
            displayName: text,
            visible: flag,
          }),
        ),
    },
    must: size,
  },
  xy: {
    may: {
      ...common,
      shade: flag,
      hoverDimension: text,
      ...columns,
      position,
      staticLegend,
      timeFormat: text,
      ...ticks,
      ...legend,
    },
    must: { ...size, axes, geom: (dice) => pick(dice, ['line', 'step', 'stacked', 'bar', 'monotoneX']) },
  },
  band: {
    may: {
      ...common,
      axes,
      geom: text,
      upperColumn: text,
      mainColumn: text,
      lowerColumn: text,
      hoverDimension: text,
      ...columns,
      staticLegend,
      timeFormat: text,
      ...ticks,
      ...legend,
    },
    must: size,
  },
}

export const chartKindNames: readonly string[] = Object.keys(table)

/** The fields that a kind of chart has beside its own name. */
export function fieldsOf(kind: string): readonly string[] {
  const { may, must } = table[kind]!
  return [...new Set([...Object.keys(may), ...Object.keys(must), ...(kind === 'markdown' ? [] : ['queries'])])]
}

export function randomChart(dice: Dice, kind = pick(dice, chartKindNames)): JsonObject {
  const { may, must } = table[kind]!
  const queries = listOf(dice, (again) => ({ query: pick(again, ['', 'from(bucket: "raw")\n  |> last()\n', ' a']) }))
  const needed = Object.fromEntries(Object.entries(must).map(([key, make]) => [key, make(dice)]))
  return some(dice, may, {
    kind: pick(dice, [kind, kind.toUpperCase()]),
    ...(kind === 'markdown' ? {} : { queries }),
    ...needed,
  })
}

/** About half of these fields, and all of those. */
function some(dice: Dice, may: Readonly<Record<string, Make>>, must: JsonObject = {}): JsonObject {
  const chosen = Object.entries(may).filter(() => dice(2) === 0)
  return { ...Object.fromEntries(chosen.map(([key, make]) => [key, make(dice)])), ...must }
}
