// Dashboards and their charts, rule by rule.
import { expect, test } from 'vitest'
import { readPackage } from '../../../../src/package/package.js'
import { buildYaml, doc, file } from '../../read-texts.js'
import { describeRules, type Rules } from '../describe-rules.js'
import { kindNamed } from '../desired-state.js'

const axes = [{ name: 'x' }, { name: 'y' }]
const hex = '#8F8AF4'
const range = ['min', 'max'].map((type) => ({ type, hex }))

/** What each kind of chart has at least. */
const least: Readonly<Record<string, object>> = {
  gauge: { colors: range },
  geo: {},
  heatmap: { axes },
  histogram: { axes: [{ name: 'x' }] },
  markdown: {},
  mosaic: {},
  scatter: { axes },
  single_stat: {},
  single_stat_plus_line: { axes },
  table: {},
  xy: { axes, geom: 'line' },
  band: {},
}
const kinds = Object.keys(least)
const measured = kinds.filter((kind) => kind !== 'markdown')

function chart(kind: string, more: object = {}): string {
  return doc('Dashboard', 'ops', { charts: [{ kind, width: 1, height: 1, ...least[kind.toLowerCase()], ...more }] })
}

const at = 'root[0].spec.charts[0]'
const bounded = (...domain: readonly unknown[]): object => ({
  axes: [
    { name: 'x', domain },
    { name: 'y', domain: [0, 1] },
  ],
})

/** For each rule: what keeps it, what breaks it, and the fields of the errors then. */
const rules: Rules = {
  'a dashboard needs no charts': [doc('Dashboard', 'ops'), doc('Dashboard', 'o'), 'root[0].spec.name'],
  'a chart has a kind': [chart('xy'), doc('Dashboard', 'ops', { charts: [{ width: 1, height: 1 }] }), `${at}.kind`],
  'a chart kind is known, in any case': [chart('Single_Stat_Plus_LINE'), chart('pie', { width: 0 }), `${at}.kind`],
  'a chart kind is written with underscores': [chart('single_stat'), chart('single-stat'), `${at}.kind`],
  ...Object.fromEntries(
    measured.map((kind) => [`a ${kind} has a width`, [chart(kind), chart(kind, { width: 0 }), `${at}.width`]]),
  ),
  ...Object.fromEntries(
    measured.map((kind) => [`a ${kind} has a height`, [chart(kind), chart(kind, { height: -1 }), `${at}.height`]]),
  ),
  ...Object.fromEntries(
    measured.map((kind) => {
      const bad = chart(kind, { colors: [...range, { type: 'text', name: 'laser' }] })
      return [`a color of a ${kind} has a hex`, [chart(kind, { colors: range }), bad, `${at}.colors[2].hex`]]
    }),
  ),
  'a numeric text is no width': [chart('xy', { width: 2.9 }), chart('xy', { width: '2' }), `${at}.width`],
  'nothing about markdown is validated': [
    chart('Markdown', { width: -1, height: 'x', colors: [{}], axes: [{ domain: ['x'] }], geom: 'x', queries: 7 }),
    doc('Dashboard', 'ops', { charts: [{ kind: 'Markdown' }, { kind: 'table' }] }),
    'root[0].spec.charts[1].width',
    'root[0].spec.charts[1].height',
  ],
  'a gauge has a color of type min': [chart('gauge'), chart('gauge', { colors: range.slice(1) }), `${at}.colors`],
  'a gauge has a color of type max': [
    chart('gauge', { colors: [...range, { type: 'threshold', hex }] }),
    chart('gauge', { colors: range.slice(0, 1) }),
    `${at}.colors`,
  ],
  'a gauge has colors': [chart('gauge'), chart('gauge', { colors: undefined }), `${at}.colors`, `${at}.colors`],
  ...Object.fromEntries(
    ['heatmap', 'scatter', 'single_stat_plus_line', 'xy'].flatMap((kind) => [
      [`a ${kind} has an axis x`, [chart(kind), chart(kind, { axes: [{ name: 'y' }] }), `${at}.axes`]],
      [
        `a ${kind} has an axis y`,
        [chart(kind, { axes: [...axes, { name: 'z' }] }), chart(kind, { axes: [{ name: ' x ' }] }), `${at}.axes`],
      ],
      [`a ${kind} has axes`, [chart(kind), chart(kind, { axes: undefined }), `${at}.axes`, `${at}.axes`]],
    ]),
  ),
  'a histogram has an axis x and no more': [
    chart('histogram'),
    chart('histogram', { axes: [{ name: 'y' }] }),
    `${at}.axes`,
  ],
  'a mosaic needs no axes, which are checked where there are some': [
    chart('mosaic', bounded('0', 10)),
    chart('mosaic', bounded('low')),
    `${at}.axes`,
  ],
  ...Object.fromEntries(
    ['heatmap', 'histogram', 'scatter', 'single_stat_plus_line', 'xy', 'band'].map((kind) => [
      `the domain of a ${kind} is numbers or their text, each on its own`,
      [
        chart(kind, bounded(0, '1e3', '-.5')),
        chart(kind, bounded('low', 1, '', '0x10', '1e999')),
        ...[1, 2, 3, 4].map(() => `${at}.axes`),
      ],
    ]),
  ),
  ...Object.fromEntries(
    ['line', 'step', 'stacked', 'bar', 'monotoneX', 'stepAfter', 'stepBefore'].map((geom) => [
      `an xy has the geom ${geom}, compared with regard to case`,
      [chart('xy', { geom }), chart('xy', { geom: geom.toUpperCase() }), `${at}.geom`],
    ]),
  ),
  'an xy has a geom': [chart('xy'), chart('xy', { geom: undefined }), `${at}.geom`],
  'a band has any geom': [chart('band', { geom: 'ribbon' }), chart('xy', { geom: 'ribbon' }), `${at}.geom`],
  ...Object.fromEntries(
    ['xy', 'single_stat_plus_line'].flatMap((kind) => [
      [
        `the position of a ${kind} is overlaid or stacked, in any case`,
        [chart(kind, { position: 'Overlaid' }), chart(kind, { position: 'above' }), `${at}.position`],
      ],
      [
        `the position of a ${kind} may be empty, not blank`,
        [chart(kind, { position: '' }), chart(kind, { position: ' stacked' }), `${at}.position`],
      ],
    ]),
  ),
  'a histogram has any position': [
    chart('histogram', { position: 'above' }),
    chart('xy', { position: 'above' }),
    `${at}.position`,
  ],
  ...Object.fromEntries(
    ['single-line', 'truncate', 'wrap', ''].map((wrapping) => [
      `a table may wrap by ${wrapping || 'nothing'}`,
      [
        chart('table', { tableOptions: { wrapping } }),
        chart('table', { tableOptions: { wrapping: `${wrapping} ` } }),
        `${at}.tableOptions.wrapping`,
      ],
    ]),
  ),
  'errors of one chart keep their own fields': [
    chart('xy'),
    chart('xy', { width: 0, height: 0, geom: 'pie', position: 'left', colors: [{}, { hex }, {}], axes: [] }),
    `${at}.width`,
    `${at}.height`,
    `${at}.colors[0].hex`,
    `${at}.colors[2].hex`,
    `${at}.axes`,
    `${at}.axes`,
    `${at}.geom`,
    `${at}.position`,
  ],
  'a chart in error does not hide those of its siblings': [
    chart('xy'),
    doc('Dashboard', 'ops', { charts: [{ kind: 'xy' }, { kind: 'band', width: 1, height: 1 }, { kind: 'pie' }] }),
    `${at}.width`,
    `${at}.height`,
    `${at}.axes`,
    `${at}.axes`,
    `${at}.geom`,
    'root[0].spec.charts[2].kind',
  ],
}

describeRules(rules)

test('errors of one chart are no two alike, so that none is lost where equal ones are merged', () => {
  const { problems } = buildYaml(chart('xy', { ...bounded('low', 'low'), geom: 'x' }))
  expect(new Set(problems.map(({ message }) => message)).size).toBe(3)
})

test('an invalid chart is omitted, and its siblings are kept', () => {
  const text = doc('Dashboard', 'ops', {
    charts: [{ kind: 'xy' }, { kind: 'Table', width: 1, height: 1 }, { kind: 'pie' }],
  })
  const [document] = readPackage([file('a.yml', text)]).value
  expect(kindNamed('Dashboard').decode(document!).value).toMatchObject({ charts: [{ kind: 'table' }] })
})

/** What is accepted, and remarked upon at its fields. */
const remarks: Readonly<Record<string, readonly [text: string, ...fields: string[]]>> = {
  'a field of another kind of chart': [chart('mosaic', { yCol: '_value', prefix: 'a' }), `${at}.yCol`, `${at}.prefix`],
  'a field of no kind of chart': [chart('gauge', { sufix: '%' }), `${at}.sufix`],
  'a field of a color, an axis, a layer, a table that is not known': [
    doc('Dashboard', 'ops', {
      charts: [
        {
          kind: 'xy',
          width: 1,
          height: 1,
          geom: 'line',
          axes: [{ name: 'x', scal: 'log' }, { name: 'y' }],
          colors: [{ hex, val: 1 }],
        },
        {
          kind: 'geo',
          width: 1,
          height: 1,
          geoLayers: [{ type: 'heatmap', colorDimension: { name: 'color', domain: [1] } }],
        },
        { kind: 'table', width: 1, height: 1, tableOptions: { sort: 'a' }, fieldOptions: [{ internalName: 'a' }] },
      ],
    }),
    'root[0].spec.charts[0].colors[0].val',
    'root[0].spec.charts[0].axes[0].scal',
    'root[0].spec.charts[1].geoLayers[0].colorDimension.domain',
    'root[0].spec.charts[1].geoLayers[0].type',
    'root[0].spec.charts[2].fieldOptions[0].internalName',
    'root[0].spec.charts[2].tableOptions.sort',
  ],
  'colors of markdown': [chart('markdown', { colors: [{ hex }] }), `${at}.colors`],
  'an axis that a heatmap has no use for': [chart('heatmap', { axes: [...axes, { name: 'z' }] }), `${at}.axes`],
  'a second axis of a name': [chart('xy', { axes: [...axes, { name: 'y', label: 'b' }] }), `${at}.axes`],
  'a flag that is a text': [chart('xy', { shade: 'true' }), `${at}.shade`],
  'a part of a domain that is neither number nor text': [chart('xy', bounded(null, 1)), `${at}.axes[0].domain`],
  'charts and colors that are no maps': [
    doc('Dashboard', 'ops', { charts: [null, { kind: 'table', width: 1, height: 1, colors: ['red', { hex }] }] }),
    'root[0].spec.charts',
    'root[0].spec.charts[1].colors',
  ],
  'values in a list that are not texts': [chart('histogram', { fillColumns: ['a', true] }), `${at}.fillColumns`],
}

test.each(Object.entries(remarks))('warnings, no error: %s', (_title, [text, ...fields]) => {
  const { problems } = buildYaml(text)
  expect(problems.map(({ severity, field }) => ({ severity, field }))).toEqual(
    fields.map((field) => ({ severity: 'warning', field })),
  )
})

test('empty fields of other kinds of chart, as exports of InfluxDB have them, are not remarked upon', () => {
  expect(
    buildYaml(chart('single_stat', { staticLegend: {}, shade: false, geom: '', fillColumns: null, axes: [] })).problems,
  ).toEqual([])
})
