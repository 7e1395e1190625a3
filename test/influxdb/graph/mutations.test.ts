import { expect, test } from 'vitest'
import { Unknown, type Json } from '../../../src/model/json.js'
import { errorsOf, formatProblem } from '../../../src/model/problem.js'
import { seeded } from '../../package/seeded.js'
import { build, file, fixture } from '../read-texts.js'

const values: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  'x',
  '1h',
  '_',
  'é\u202e\u0007',
  [],
  [[]],
  {},
  { envRef: { key: 'k' } },
  { envRef: [] },
]
const keys = [
  'name',
  'kind',
  'spec',
  'metadata',
  'associations',
  'charts',
  '__proto__',
  'constructor',
  'every',
  'retentionRules',
  'columns',
  '',
]

type Random = (below: number) => number

/** Puts something else in one place of a value, takes it out, or adds to it. */
function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random(6) === 0) return values[random(values.length)]
  const entries: [string, unknown][] = Object.entries(value)
  if (random(5) === 0) entries.push([keys[random(keys.length)]!, values[random(values.length)]])
  else if (entries.length > 0) mutateEntry(entries, random)
  return Array.isArray(value) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries)
}

function mutateEntry(entries: [string, unknown][], random: Random): void {
  const at = random(entries.length)
  const [key, entry] = entries[at]!
  if (random(6) === 0) entries.splice(at, 1)
  else if (random(8) === 0) entries[at] = [keys[random(keys.length)]!, entry]
  else entries[at] = [key, mutated(entry, random)]
}

const documents = [...fixture('ops-dashboards'), ...fixture('every-rule-once')]
  .filter(({ path }) => /^[a-z].*\.(?:ya?ml|json)$/.test(path))
  .flatMap(({ path, id, bytes }) => build([{ path, id, bytes }]).value.resources.map(({ document }) => document.body))
  .filter(({ kind }) => kind !== 'LabelMapping')

function checkAll(text: string, path: string): void {
  const { value, problems } = build([file(path, text)])
  for (const problem of errorsOf(problems)) {
    expect(problem.field ?? problem.place).toBeDefined()
    expect(formatProblem(problem)).not.toMatch(/[\u0000-\u001f\u202e]/)
  }
  for (const { kind, spec } of value.resources) {
    const state = kind.normalise(kind.encode(spec, ({ to }) => new Unknown(to, 'id')))
    expect(JSON.stringify(kind.normalise(state))).toBe(JSON.stringify(state))
  }
}

test('mutated documents throw nothing, and every error has a place', () => {
  const random = seeded(11)
  for (let round = 0; round < 600; round++) {
    let package_: unknown = documents
    for (let times = 1 + random(4); times > 0; times--) package_ = mutated(package_, random)
    checkAll(JSON.stringify(package_) ?? 'null', 'a.json')
  }
})

test('mutated texts throw nothing, and every error has a place', () => {
  const random = seeded(13)
  const texts = fixture('ops-dashboards').map(({ bytes }) => Buffer.from(bytes).toString('utf8'))
  const pieces = [
    '\n',
    ' ',
    '  ',
    '\t',
    ':',
    '- ',
    '&a',
    '*a',
    '<<: *a',
    '{',
    '}',
    '[',
    ']',
    '---\n',
    '"',
    "'",
    '|',
    '>',
    '#',
    '!',
    '%',
    '\u0000',
    '? ',
  ]
  for (let round = 0; round < 600; round++) {
    let text = texts[random(texts.length)]!
    for (let times = 1 + random(4); times > 0; times--) {
      const at = random(text.length + 1)
      text = text.slice(0, at) + pieces[random(pieces.length)]! + text.slice(at + random(8))
    }
    checkAll(text, round % 4 === 0 ? 'a.json' : 'a.yml')
  }
})
