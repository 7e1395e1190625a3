// An error about two places of a package names both, with full paths, and what they have in common.
import { expect, test } from 'vitest'
import { build, file } from '../read-texts.js'

const head = (kind: string, name: string): string =>
  `apiVersion: influxdata.com/v2alpha1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec:\n`

const schema = `  measurementSchemas:
    - name: cpu
      columns:
        - {name: time, type: timestamp}
        - {name: Value, type: field, dataType: float}
        - {name: host, type: tag}
        - {name: value, type: tag}
`
const associations = `  associations:
    - {kind: Label, name: red}
    - {kind: Label, name: blue}
    - {kind: Label, name: red}
`
const labels = file('labels.yml', `${head('Label', 'red')}  name: red\n---\n${head('Label', 'blue')}  name: blue\n`)

test.each<readonly [string, string, number, string]>([
  [
    'a column of a measurement schema',
    schema,
    11,
    'Bucket/raw: the column "value" is declared twice (case is ignored), first at columns[1] (boards/raw.yml:9).',
  ],
  [
    'a label of a resource',
    associations,
    8,
    'Bucket/raw: the label "red" is associated twice, first at associations[0] (boards/raw.yml:6).',
  ],
])('%s that is declared twice is reported with both places', (_what, spec, line, message) => {
  const { problems } = build([labels, file('raw.yml', head('Bucket', 'raw') + spec)], {
    pathOf: (path) => `boards/${path}`,
  })
  expect(problems).toMatchObject([
    { severity: 'error', message, place: { file: 'boards/raw.yml', line }, hint: 'Remove one of the two.' },
  ])
})

test('of two axes of a chart with one name, the warning names both places', () => {
  const chart = `  charts:
    - kind: XY
      geom: line
      width: 1
      height: 1
      axes:
        - {name: x}
        - {name: y}
        - {name: x}
`
  const { problems } = build([file('ops.yml', head('Dashboard', 'ops') + chart)])
  const both = 'axes[0] (ops.yml:11) and axes[2] (ops.yml:13)'
  expect(problems.filter(({ code }) => code === 'kinds/no-effect')).toMatchObject([
    { message: expect.stringMatching(/only the (first|last) of two axes called "x" takes effect: /) as string },
  ])
  expect(problems.map(({ message }) => message).join()).toContain(both)
})

test('a resource and a name that are declared twice are reported with both places', () => {
  const one = `${head('Bucket', 'raw')}  name: raw\n`
  const files = [
    file('a.yml', `# The first line.\n${one}`),
    file('b.yml', one),
    file('c.yml', `${head('Bucket', 'other')}  name: raw\n`),
  ]
  const { problems } = build(files, { pathOf: (path) => `boards/${path}` })
  expect(problems.map(({ message, place }) => [place?.file, place?.line, message])).toEqual([
    ['boards/b.yml', 3, 'Bucket/raw is declared twice; the first is at boards/a.yml:2.'],
    ['boards/c.yml', 5, 'Bucket/other has the name "raw", which is already used by Bucket/raw at boards/a.yml:2.'],
  ])
})
