// The kinds of chart: the fields each has beside the common ones, and the view it becomes.
import type { JsonObject } from '../../../model/json.js'
import { axisX, flatAxes, namedAxes } from './chart-axes.js'
import { colors, hexes } from './chart-colors.js'
import { flag, int32, integer, list, text, texts, notInView, type Shape } from './chart-field.js'
import {
  affixes,
  columns,
  common,
  decimals,
  geo,
  geom,
  hover,
  legend,
  place,
  position,
  shade,
  staticLegend,
  tableOptions,
  tickAffixes,
  ticks,
  ticksX,
  timeFormat,
} from './chart-groups.js'

export interface ChartKind {
  /** The type of the view. */
  readonly type: string
  readonly shape: Shape
  /** Properties of such a view that no package can set. */
  readonly fixedProperties?: JsonObject
}

/** By the kind in lower case. */
export const chartKinds: ReadonlyMap<string, ChartKind> = new Map(
  Object.entries({
    gauge: {
      type: 'gauge',
      shape: { ...common, colors: colors(['min', 'max']), ...affixes, ...tickAffixes, ...decimals },
    },
    geo: {
      type: 'geo',
      shape: { ...common, ...geo },
    },
    heatmap: {
      type: 'heatmap',
      shape: {
        ...common,
        colors: hexes(),
        axes: flatAxes(['x', 'y']),
        ...columns,
        binSize: int32(),
        ...timeFormat,
        ...ticks,
        ...legend,
      },
    },
    histogram: {
      type: 'histogram',
      shape: {
        ...common,
        axes: axisX(),
        xCol: columns.xCol,
        binCount: integer(),
        fillColumns: texts(),
        position: { ...position.position, read: text().read },
        ...legend,
      },
    },
    markdown: {
      type: 'markdown',
      shape: { ...place, width: notInView(int32()), height: notInView(int32()), note: text() },
    },
    mosaic: {
      type: 'mosaic',
      fixedProperties: { fillColumns: [] },
      shape: {
        ...common,
        colors: hexes(),
        axes: flatAxes([]),
        xCol: columns.xCol,
        ...hover,
        ySeriesColumns: texts(),
        yLabelColumns: texts(),
        yLabelColumnSeparator: text(),
        ...timeFormat,
        ...ticksX,
        ...legend,
      },
    },
    scatter: {
      type: 'scatter',
      fixedProperties: { fillColumns: [], symbolColumns: [] },
      shape: { ...common, colors: hexes(), axes: flatAxes(['x', 'y']), ...columns, ...timeFormat, ...ticks, ...legend },
    },
    single_stat: { type: 'single-stat', shape: { ...common, ...affixes, ...tickAffixes, ...decimals } },
    single_stat_plus_line: {
      type: 'line-plus-single-stat',
      fixedProperties: { timeFormat: '' },
      shape: {
        ...common,
        axes: namedAxes(['x', 'y']),
        ...affixes,
        ...decimals,
        ...shade,
        ...hover,
        ...columns,
        ...position,
        ...staticLegend,
        ...ticks,
        ...legend,
      },
    },
    table: {
      type: 'table',
      shape: {
        ...common,
        fieldOptions: list({ fieldName: text('internalName'), displayName: text(), visible: flag() }),
        ...tableOptions,
        ...timeFormat,
        ...decimals,
      },
    },
    xy: {
      type: 'xy',
      shape: {
        ...common,
        axes: namedAxes(['x', 'y']),
        ...geom,
        ...shade,
        ...hover,
        ...columns,
        ...position,
        ...staticLegend,
        ...timeFormat,
        ...ticks,
        ...legend,
      },
    },
    band: {
      type: 'band',
      shape: {
        ...common,
        axes: namedAxes(),
        upperColumn: text(),
        mainColumn: text(),
        lowerColumn: text(),
        geom: text(),
        ...hover,
        ...columns,
        ...staticLegend,
        ...timeFormat,
        ...ticks,
        ...legend,
      },
    },
  }),
)
