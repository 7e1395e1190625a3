// Numbers that InfluxDB and its clients cannot decode are refused before anything is written.
import { describe, expect, test } from 'vitest'
import { largest } from '../../../../src/influxdb/kinds/fields/number-limits.js'
import { errorsOf } from '../../../../src/model/problem.js'
import { buildYaml, doc } from '../../read-texts.js'
import { wireOf } from '../desired-state.js'

const bucket = (everySeconds: number): string =>
  doc('Bucket', 'raw', { retentionRules: [{ type: 'expire', everySeconds }] })
const chart = (kind: string, more: object): string => {
  const given = { width: 1, height: 1, axes: [{ name: 'x' }, { name: 'y' }], geom: 'line' }
  return doc('Dashboard', 'ops', { charts: [{ kind, ...given, ...more }] })
}
const layer = (more: object): string => chart('geo', { geoLayers: [more] })
const found = (text: string): unknown =>
  errorsOf(buildYaml(text).problems).map(({ code, field, message }) => ({ code, field, message }))

describe('a whole number', () => {
  const at = 'root[0].spec.charts[0]'
  const cases: Readonly<Record<string, readonly [build: (value: number) => string, most: number, field: string]>> = {
    'of seconds of retention': [bucket, 9_223_372_036, 'root[0].spec.retentionRules[0].everySeconds'],
    'of a position from the left': [(xPos) => chart('table', { xPos }), largest.int32, `${at}.xPos`],
    'of a position of markdown': [(yPos) => chart('markdown', { yPos }), largest.int32, `${at}.yPos`],
    'of a width': [(width) => chart('table', { width }), largest.int32, `${at}.width`],
    'of a height of markdown': [(height) => chart('markdown', { height }), largest.int32, `${at}.height`],
    'of decimal places': [(decimalPlaces) => chart('table', { decimalPlaces }), largest.int32, `${at}.decimalPlaces`],
    'of the size of bins': [(binSize) => chart('heatmap', { binSize }), largest.int32, `${at}.binSize`],
    'of the count of bins': [(binCount) => chart('histogram', { binCount }), largest.int64, `${at}.binCount`],
    'of ticks': [(xTotalTicks) => chart('xy', { xTotalTicks }), largest.int64, `${at}.xTotalTicks`],
    'of the threshold of a legend': [
      (legendOrientationThreshold) => chart('xy', { legendOrientationThreshold }),
      largest.int64,
      `${at}.legendOrientationThreshold`,
    ],
    'of the threshold of a static legend': [
      (orientationThreshold) => chart('xy', { staticLegend: { orientationThreshold } }),
      largest.int64,
      `${at}.staticLegend.orientationThreshold`,
    ],
    'of the radius of a layer': [(radius) => layer({ radius }), largest.int32, `${at}.geoLayers[0].radius`],
    'of the speed of a layer': [(speed) => layer({ speed }), largest.int32, `${at}.geoLayers[0].speed`],
  }
  test.each(Object.entries(cases))(
    '%s is refused beyond what InfluxDB and its clients decode',
    (_what, [build, most, field]) => {
      expect(found(build(most))).toEqual([])
      for (const value of [most === largest.int64 ? 2 ** 63 : most + 1, 1e308])
        expect(found(build(value))).toMatchObject([
          { code: 'kinds/out-of-range', field, message: expect.stringContaining(`above ${most}`) },
        ])
    },
  )
})

test('a number of any size that is a float is kept', () => {
  expect(found(chart('xy', { xTickStart: 1e308, legendOpacity: -1e308 }))).toEqual([])
  const check = {
    every: '1m',
    query: 'r._field == "a"',
    statusMessageTemplate: 'm',
    thresholds: [{ type: 'greater', level: 'OK', value: 1e308 }],
  }
  expect(found(doc('CheckThreshold', 'cpu', check))).toEqual([])
})

test('a bucket that an older version wrote with more seconds is shown with as many as a client decodes', () => {
  const { diff, summary } = wireOf('Bucket', { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 1e308 }] })
  expect(diff).toMatchObject({ retentionRules: [{ type: 'expire', everySeconds: 9_223_372_036 }] })
  expect(JSON.stringify(summary)).toContain('"retentionPeriod":9223372036000000000')
})
