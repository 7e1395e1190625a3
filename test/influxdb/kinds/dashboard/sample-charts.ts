// A chart of each kind with every field set, and the properties of the view that InfluxDB makes of it.
import type { JsonObject } from '../../../../src/model/json.js'

export interface SampleChart {
  readonly chart: JsonObject
  readonly properties: JsonObject
}

const place = { name: 'CPU', xPos: 1, yPos: 2, width: 4, height: 3 }
const hex = '#8F8AF4'
const colors = ['min', 'max'].map((type, value) => ({ id: `c${value}`, name: 'laser', type, hex, value }))
const common = { ...place, note: 'n', noteOnEmpty: true, queries: [{ query: 'from(bucket: "raw")\n' }], colors }
const builderConfig = { buckets: [], tags: [], functions: [], aggregateWindow: { period: '', fillValues: false } }
const shown = {
  shape: 'chronograf-v2',
  note: 'n',
  showNoteWhenEmpty: true,
  queries: [{ text: 'from(bucket: "raw")', editMode: 'advanced', name: '', builderConfig }],
  colors,
}
const hexes = { colors: [hex, hex] }
const affixes = { prefix: 'p', suffix: 's' }
const tickAffixes = { tickPrefix: 'tp', tickSuffix: 'ts' }
const decimals = { decimalPlaces: { isEnforced: true, digits: 2 } }
const ticksX = { generateXAxisTicks: ['a'], xTotalTicks: 3, xTickStart: 0.5, xTickStep: 10 }
const ticks = { ...ticksX, generateYAxisTicks: ['b'], yTotalTicks: 4, yTickStart: 1.5, yTickStep: 20 }
const legend = { legendColorizeRows: true, legendHide: true, legendOpacity: 0.5, legendOrientationThreshold: 5 }
const hover = { hoverDimension: 'y' }
const timeFormat = { timeFormat: 'HH:mm' }
const staticLegend = {
  staticLegend: {
    colorizeRows: true,
    heightRatio: 0.2,
    opacity: 1,
    orientationThreshold: 5,
    show: true,
    valueAxis: 'y',
    widthRatio: 1,
  },
}
/** What line charts and bands have in common. */
const lines = { ...hover, ...staticLegend, ...timeFormat, ...ticks, ...legend }
const label = (letter: string): JsonObject => ({ label: `${letter}l`, prefix: `${letter}p`, suffix: `${letter}s` })
const scale = { base: '10', scale: 'linear' }
const axes = ['x', 'y'].map((name) => ({ name, ...label(name), ...scale, domain: [0, 10] }))
const named = {
  x: { ...label('x'), ...scale, bounds: ['0', '10'] },
  y: { ...label('y'), ...scale, bounds: ['0', '10'] },
}
const flat = {
  xAxisLabel: 'xl',
  xPrefix: 'xp',
  xSuffix: 'xs',
  xDomain: [0, 10],
  yAxisLabel: 'yl',
  yPrefix: 'yp',
  ySuffix: 'ys',
  yDomain: [0, 10],
}
const columns = { xCol: '_time', yCol: '_value' }
const shownColumns = { xColumn: '_time', yColumn: '_value' }
const layer = {
  radiusField: 'r',
  colorField: 'c',
  intensityField: 'i',
  radius: 1,
  blur: 2,
  interpolateColors: true,
  trackWidth: 3,
  speed: 4,
  randomColors: true,
  isClustered: true,
}
const dimension = { ...label('d'), ...scale }
const shownDimension = { ...dimension, bounds: [] }
const number = { ...common, ...affixes, ...tickAffixes, decimalPlaces: 2 }
const shownNumber = { ...shown, ...affixes, ...tickAffixes, ...decimals }

export const sampleCharts: Readonly<Record<string, SampleChart>> = {
  gauge: { chart: number, properties: { ...shownNumber, type: 'gauge' } },
  geo: {
    chart: {
      ...common,
      lat: 1.5,
      lon: -2.5,
      zoom: 6,
      mapStyle: 'm',
      allowPanAndZoom: true,
      detectCoordinateFields: true,
      geoLayers: [
        {
          ...layer,
          layerType: 'circleMap',
          viewColors: colors,
          radiusDimension: dimension,
          colorDimension: dimension,
          intensityDimension: dimension,
        },
      ],
    },
    properties: {
      ...shown,
      type: 'geo',
      center: {
        lat: 1.5,
        lon: -2.5,
      },
      zoom: 6,
      mapStyle: 'm',
      allowPanAndZoom: true,
      detectCoordinateFields: true,
      layers: [
        {
          ...layer,
          type: 'circleMap',
          colors,
          radiusDimension: shownDimension,
          colorDimension: shownDimension,
          intensityDimension: shownDimension,
        },
      ],
    },
  },
  heatmap: {
    chart: { ...common, axes, ...columns, binSize: 20, ...timeFormat, ...ticks, ...legend },
    properties: {
      ...shown,
      type: 'heatmap',
      ...hexes,
      ...flat,
      ...shownColumns,
      binSize: 20,
      ...timeFormat,
      ...ticks,
      ...legend,
    },
  },
  histogram: {
    chart: {
      ...common,
      axes: axes.slice(0, 1),
      xCol: '_time',
      binCount: 30,
      fillColumns: ['a'],
      position: 'stacked',
      ...legend,
    },
    properties: {
      ...shown,
      type: 'histogram',
      xAxisLabel: 'xl',
      xDomain: [0, 10],
      xColumn: '_time',
      binCount: 30,
      fillColumns: ['a'],
      position: 'stacked',
      ...legend,
    },
  },
  markdown: { chart: { ...place, note: '# n' }, properties: { shape: 'chronograf-v2', type: 'markdown', note: '# n' } },
  mosaic: {
    chart: {
      ...common,
      axes,
      xCol: '_time',
      ...hover,
      ySeriesColumns: ['a'],
      yLabelColumns: ['b'],
      yLabelColumnSeparator: ',',
      ...timeFormat,
      ...ticksX,
      ...legend,
    },
    properties: {
      ...shown,
      type: 'mosaic',
      ...hexes,
      ...flat,
      xColumn: '_time',
      ...hover,
      fillColumns: [],
      ySeriesColumns: ['a'],
      yLabelColumns: ['b'],
      yLabelColumnSeparator: ',',
      ...timeFormat,
      ...ticksX,
      ...legend,
    },
  },
  scatter: {
    chart: { ...common, axes, ...columns, ...timeFormat, ...ticks, ...legend },
    properties: {
      ...shown,
      type: 'scatter',
      ...hexes,
      ...flat,
      ...shownColumns,
      fillColumns: [],
      symbolColumns: [],
      ...timeFormat,
      ...ticks,
      ...legend,
    },
  },
  single_stat: { chart: number, properties: { ...shownNumber, type: 'single-stat' } },
  single_stat_plus_line: {
    chart: {
      ...common,
      axes,
      ...affixes,
      decimalPlaces: 2,
      shade: true,
      ...hover,
      ...columns,
      position: 'overlaid',
      ...staticLegend,
      ...ticks,
      ...legend,
    },
    properties: {
      ...shown,
      type: 'line-plus-single-stat',
      axes: named,
      ...affixes,
      ...decimals,
      shadeBelow: true,
      ...hover,
      ...shownColumns,
      position: 'overlaid',
      timeFormat: '',
      ...staticLegend,
      ...ticks,
      ...legend,
    },
  },
  table: {
    chart: {
      ...common,
      ...timeFormat,
      decimalPlaces: 2,
      fieldOptions: [
        {
          fieldName: 'f',
          displayName: 'd',
          visible: true,
        },
      ],
      tableOptions: {
        verticalTimeAxis: true,
        sortBy: '_time',
        wrapping: 'wrap',
        fixFirstColumn: true,
      },
    },
    properties: {
      ...shown,
      type: 'table',
      ...timeFormat,
      ...decimals,
      fieldOptions: [
        {
          internalName: 'f',
          displayName: 'd',
          visible: true,
        },
      ],
      tableOptions: {
        verticalTimeAxis: true,
        sortBy: {
          internalName: '_time',
          displayName: '',
          visible: false,
        },
        wrapping: 'wrap',
        fixFirstColumn: true,
      },
    },
  },
  xy: {
    chart: {
      ...common,
      axes,
      geom: 'bar',
      shade: true,
      ...columns,
      position: 'stacked',
      ...lines,
    },
    properties: {
      ...shown,
      type: 'xy',
      axes: named,
      geom: 'bar',
      shadeBelow: true,
      ...shownColumns,
      position: 'stacked',
      ...lines,
    },
  },
  band: {
    chart: {
      ...common,
      axes,
      geom: 'line',
      upperColumn: 'u',
      mainColumn: 'm',
      lowerColumn: 'l',
      ...columns,
      ...lines,
    },
    properties: {
      ...shown,
      type: 'band',
      axes: named,
      geom: 'line',
      upperColumn: 'u',
      mainColumn: 'm',
      lowerColumn: 'l',
      ...shownColumns,
      ...lines,
    },
  },
}
