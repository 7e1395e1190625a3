// A package that is written is read back as the same documents, by us and by other readers of YAML.
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Json, JsonObject } from '../../src/model/json.js'
import { readPackage } from '../../src/package/package.js'
import { printJsonPackage, printYamlPackage } from '../../src/package/print-package.js'
import { attackSeed, attackShare } from '../attack/scale.js'
import { claimEqual } from '../claim.js'
import { file } from '../graph/read-texts.js'
import { seeded } from './seeded.js'

const document = (spec: Json): JsonObject => ({ apiVersion: 'v', kind: 'Label', metadata: { name: 'aa' }, spec })
const ours = (path: string, text: string): unknown =>
  readPackage([file(path, text)]).value.map(({ body }) => plain(body))
const theirs = (text: string, version: '1.1' | '1.2'): unknown =>
  (parseAllDocuments(text, { version }) as readonly { toJS: () => unknown }[]).map((one) => one.toJS())
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown

test('prints a package as a person would write it', () => {
  const query = 'from(bucket: "raw")\n  |> range(start: -1h)\n'
  const spec = {
    name: 'Raw',
    every: '1h',
    charts: [{ kind: 'xy', queries: [{ query }], colors: [], empty: {} }],
    on: true,
    at: null,
    of: 1.5,
  }
  expect(printYamlPackage([document(spec), document({ name: 'yes' })], ['warning: one\ntwo']))
    .toBe(`# warning: one\\u000atwo
apiVersion: v
kind: Label
metadata:
  name: aa
spec:
  name: Raw
  every: "1h"
  charts:
    - kind: xy
      queries:
        - query: |
            from(bucket: "raw")
              |> range(start: -1h)
      colors: []
      empty: {}
  "on": true
  at: null
  of: 1.5
---
apiVersion: v
kind: Label
metadata:
  name: aa
spec:
  name: "yes"
`)
})

test('prints an empty list for a package without documents', () => {
  expect(printYamlPackage([], ['warning: nothing'])).toBe('# warning: nothing\n[]\n')
  expect(ours('a.yml', printYamlPackage([]))).toEqual([])
  expect(printJsonPackage([], '\t')).toBe('[]\n')
})

test('indents JSON as requested', () => {
  expect(printJsonPackage([{ kind: 'Label' }], '\t')).toBe('[\n\t{\n\t\t"kind": "Label"\n\t}\n]\n')
})

const odd =
  `yes|No|ON|off|y|n|null|~|true|1|1.0|1e3|0x1F|0o7|017|1_000|1:20|2020-01-01|.inf|-.INF|.nan|=|<<|-|--- a|...|? a|: a|a: b|a #b|#a|
  &a|*a|!a|!!str|%a|@a|\`a|"a"|'a'|[a]|{a}|a,b| a|a |\ta|a\t||  |a\\b|\\n|a:b|http://a.b/c?d=e#f|C:\\d|µs|日本|😀|e\u0301|-1h30m|=1|1.2.3|nan|Inf`.split(
    '|',
  )
const several = [
  'a\nb',
  'a\n',
  'a\n\n\n',
  '\na',
  '\n',
  ' a\n b',
  '\ta\nb',
  'a\n  \nb',
  'a\n  ',
  'a  \nb\n',
  'a\r\nb',
  'a\u0000\nb',
  '  \na',
  'a\n---\nb\n...\n',
  '# a\nb',
]
const strange = ['\u202ea', '\u007f', '\u0085', '\u2028x\ny', '\ufeff', '\ud800', '\u{e0041}', 'a\u0007b', '\u200b']

describe.each([
  ['odd', odd],
  ['of several lines', several],
  ['of strange characters', strange],
])('texts %s', (_, texts) => {
  const whole = document({
    texts,
    keys: Object.fromEntries(texts.map((text, at) => [text, at])),
    nested: [texts, [[texts]]],
  })
  test('are read back by gitmoor', () => {
    const text = printYamlPackage([whole])
    expect(ours('a.yml', text)).toEqual([plain(whole)])
    expect(ours('a.json', printJsonPackage([whole], 2))).toEqual([plain(whole)])
  })

  test.each(['1.1', '1.2'] as const)('are read back by another parser of YAML %s', (version) => {
    expect(theirs(printYamlPackage([document(texts)]), version)).toEqual([plain(document(texts))])
  })

  test('do not reach a terminal that could interpret them', () => {
    expect(printYamlPackage([whole])).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/,
    )
  })
})

const rounds = attackShare(2_000)

test(`reads back ${rounds} packages of random values`, () => {
  for (let seed = attackSeed(); seed < attackSeed() + rounds; seed++) {
    const documents = anyDocuments(seed)
    const expected = plain(documents)
    claimEqual(ours('a.yml', printYamlPackage(documents)), expected, () => `seed ${seed}`)
    claimEqual(ours('a.json', printJsonPackage(documents, '\t')), expected, () => `seed ${seed}`)
    if (seed % 10 === 0) claimEqual(theirs(printYamlPackage(documents), '1.2'), expected, () => `seed ${seed}`)
  }
})

function anyDocuments(seed: number): readonly JsonObject[] {
  const pick = seeded(seed)
  const pieces = [
    ...odd,
    ...several,
    ...strange,
    'a',
    'query',
    'from(bucket: "raw")\n  |> range(start: v.timeRangeStart)\n',
    '\n',
    ' ',
    ':',
    '-',
  ]
  const anyText = (): string => Array.from({ length: pick(4) }, () => pieces[pick(pieces.length)]!).join('')
  const anyNumber = (): number => [0, 1, -1, 0.1, 1e21, 1e-7, 5e-324, 502, 1e8, Number.MAX_SAFE_INTEGER][pick(10)]!
  const anyValue = (depth: number): Json => {
    const sort = pick(depth > 4 ? 4 : 7)
    if (sort < 2) return anyText()
    if (sort === 2) return anyNumber()
    if (sort === 3) return [null, true, false][pick(3)]!
    if (sort === 4) return Array.from({ length: pick(4) }, () => anyValue(depth + 1))
    return Object.fromEntries(Array.from({ length: pick(4) }, () => [anyText(), anyValue(depth + 1)]))
  }
  return Array.from({ length: 1 + pick(3) }, () => document(anyValue(0)))
}
