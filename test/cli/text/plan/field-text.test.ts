import { describe, expect, test } from 'vitest'
import type { Address } from '../../../../src/model/address.js'
import type { Change, NamedFieldChange } from '../../../../src/model/resources/change.js'
import type { Json, JsonObject } from '../../../../src/model/json.js'
import { namedChanges } from '../../../../src/plan/named-changes.js'
import { changeFieldLines } from '../../../../src/cli/text/plan/field-text.js'
import { changeDetailLines, changesLines, planLines } from '../../../../src/cli/text/plan/plan-text.js'
import { plainStyle, type Display } from '../../../../src/cli/text/text.js'
import { samplePlan } from '../../../api/sample-views.js'

const pipe: Display = { style: plainStyle, width: undefined, now: 0 }
const terminal: Display = { ...pipe, width: 80 }
const full: Display = { ...terminal, full: true }

const base: Change = {
  address: 'Dashboard/ops' as Address,
  kind: 'Dashboard',
  action: 'update',
  fields: [],
  reason: 'edited',
  needs: [],
  after: [],
}

function updated(actual: JsonObject, desired: JsonObject): Change {
  const shown = namedChanges(actual, desired, ['charts'])
  return { ...base, ...(shown === undefined ? {} : { shown, fields: shown }) }
}

function created(state: JsonObject): Change {
  const fields = Object.entries(state).map(([path, value]) => ({ path, new: value }))
  return { ...base, action: 'create', reason: 'added', fields }
}

const change = (path: string, values: Pick<NamedFieldChange, 'old' | 'new'>): Change => ({
  ...base,
  fields: [{ path, ...values }],
})

describe('an update shows', () => {
  test('the fields of list entries below the name of the entry, each name once', () => {
    const chart = (name: string, more: JsonObject): JsonObject => ({ name, axes: [{ name: 'x', base: '2' }], ...more })
    const before = { name: 'ops', charts: [chart('CPU', { xPos: 1, width: 4 }), chart('Processor', {})] }
    const after = {
      name: 'operations',
      charts: [chart('CPU', { xPos: 2, width: 6 }), chart('Memory', { axes: [{ name: 'x', base: '10' }] })],
    }
    expect(changeFieldLines(updated(before, after), pipe)).toEqual([
      '      name: "ops" → "operations"',
      '      charts[0] "CPU"',
      '        xPos: 1 → 2',
      '        width: 4 → 6',
      '      charts[1] "Processor"',
      '        name: "Processor" → "Memory"',
      '        axes[0] "x"',
      '          base: "2" → "10"',
    ])
  })

  test('a new entry with its values, without empty ones, and a removed entry by its name', () => {
    const before = { charts: [{ name: 'CPU', xPos: 1 }, { name: 'Disk' }] }
    const added = {
      name: 'Load',
      kind: 'xy',
      note: '',
      shade: false,
      colors: [],
      queries: [{ query: 'from(bucket: "a")' }],
    }
    const after = { charts: [added, { name: 'CPU', xPos: 2 }] }
    expect(changeFieldLines(updated(before, after), pipe)).toEqual([
      '      + charts[0] "Load"',
      '          kind: "xy"',
      '          queries[0].query: "from(bucket: \\"a\\")"',
      '      charts[1] "CPU"',
      '        xPos: 1 → 2',
      '      - charts[1] "Disk"',
    ])
    expect(changeFieldLines(updated(before, after), full)).toEqual(
      expect.arrayContaining(['          note: ""', '          shade: false', '          name: "Disk"']),
    )
  })

  test('a new object without a name', () => {
    expect(changeFieldLines(change('retentionRules[1]', { new: { type: 'expire', everySeconds: 60 } }), pipe)).toEqual([
      '      + retentionRules[1]',
      '          type: "expire"',
      '          everySeconds: 60',
    ])
    expect(changeFieldLines(change('limits', { old: { a: 1 } }), pipe)).toEqual(['      - limits', '          a: 1'])
  })

  test.each<[string, Json | undefined, Json | undefined, readonly string[]]>([
    ['two texts', 'a\nb', 'a\nc', ['      query:', '          a', '        - b', '        + c']],
    ['a new text', undefined, 'a\nb', ['      query:', '        + a', '        + b']],
    ['a removed text', 'a\nb', undefined, ['      query:', '        - a', '        - b']],
    ['one line that became several', 'a', 'a\nb', ['      query:', '          a', '        + b']],
  ])('text of several lines as a diff of lines: %s', (_, old, desired, lines) => {
    const values = { ...(old === undefined ? {} : { old }), ...(desired === undefined ? {} : { new: desired }) }
    expect(changeFieldLines(change('query', values), pipe)).toEqual(lines)
  })

  test('names with control characters escaped', () => {
    const lines = changeFieldLines(
      updated({ charts: [{ name: 'a\u202e', x: 1 }] }, { charts: [{ name: 'a\u202e', x: 2 }] }),
      pipe,
    )
    expect(lines[0]).toBe('      charts[0] "a\\u202e"')
  })
})

describe('a new resource shows', () => {
  const state = {
    name: 'ops',
    description: '',
    charts: [
      { kind: 'xy', name: 'CPU', xPos: 0, queries: [{ query: 'a\nb' }] },
      { kind: 'markdown', name: 'Notes', note: 'Hello' },
    ],
    tags: ['a', 'b'],
  }

  test('its values, list entries by their names, and no empty values', () => {
    expect(changeFieldLines(created(state), pipe)).toEqual([
      '      name: "ops"',
      '      charts[0] "CPU"',
      '        kind: "xy"',
      '        queries[0].query:',
      '          + a',
      '          + b',
      '      charts[1] "Notes"',
      '        kind: "markdown"',
      '        note: "Hello"',
      '      tags: ["a","b"]',
    ])
  })

  test('empty values, too, with --full', () => {
    expect(changeFieldLines(created(state), full)).toEqual(
      expect.arrayContaining(['      description: ""', '        name: "CPU"', '        xPos: 0']),
    )
  })
})

describe('on a terminal', () => {
  const long = 'x'.repeat(200)

  test('long values are shortened so that they differ visibly, and the line fits', () => {
    const [line] = changeFieldLines(change('query', { old: `${long}a`, new: `${long}b` }), terminal)
    expect(line!.length).toBeLessThanOrEqual(80)
    expect(line).toMatch(/^ {6}query: …x+a" → …x+b"$/)
  })

  test('everything is printed with --full, and in a pipe', () => {
    for (const display of [full, pipe])
      expect(changeFieldLines(change('name', { old: long, new: 'a' }), display)).toEqual([
        `      name: "${long}" → "a"`,
      ])
  })

  test('a note says how to see everything, only if something is shortened', () => {
    const cut = changesLines([change('name', { old: long, new: 'a' })], terminal, 'gitmoor plan ops --full')
    expect(cut.at(-1)).toBe('  Shortened. See everything: gitmoor plan ops --full')
    expect(changesLines([change('name', { old: 'a', new: 'b' })], terminal, '')).toHaveLength(2)
    expect(changesLines([change('name', { old: long, new: 'a' })], full, '')).toHaveLength(2)
  })

  test('a plan names the command that shows it in full', () => {
    const changes = [change('name', { old: long, new: 'a' })]
    const lines = planLines({ ...samplePlan, changes, needsApproval: [] }, terminal)
    expect(lines).toContain('  Shortened. See everything: gitmoor plan boards --full')
  })
})

test('what the counts leave out is said in one line', () => {
  const part = { ...base, address: 'LabelMapping/a/b' as Address, kind: 'LabelMapping', partOf: base.address }
  const untracked = { ...base, action: 'untrack', reason: 'dropped' } as const
  const lines = changesLines([part, part, untracked], pipe, '')
  expect(lines.at(-1)).toBe('  Not counted: 2 label mappings (part of a resource), 1 untracked resource.')
})

describe('the last change of an explained resource shows', () => {
  const seeAll = 'gitmoor explain boards Dashboard/ops --full'
  const long = 'x'.repeat(200)

  test('what the plan shows below the resource', () => {
    const before = { charts: [{ name: 'CPU', xPos: 1 }] }
    const one = {
      ...updated(before, { charts: [{ name: 'CPU', xPos: 2 }] }),
      losses: [{ path: 'charts', message: 'points are deleted' }],
    }
    const lines = changeDetailLines(one, pipe, seeAll)
    expect(lines).toEqual(changesLines([one], pipe, '').slice(1))
    expect(lines).toEqual(['      charts[0] "CPU"', '        xPos: 1 → 2', '      ! charts: points are deleted'])
  })

  test('how to see everything, only if something is shortened', () => {
    const one = change('name', { old: long, new: 'a' })
    expect(changeDetailLines(one, terminal, seeAll).at(-1)).toBe(`      Shortened. See everything: ${seeAll}`)
    for (const display of [full, pipe]) expect(changeDetailLines(one, display, seeAll)).toHaveLength(1)
  })

  test('the fields of a new part, which a plan leaves out on a terminal', () => {
    const part = { ...created({ labelID: '(known after apply)' }), partOf: base.address }
    expect(changesLines([part], terminal, '').join('\n')).not.toContain('labelID')
    expect(changeDetailLines(part, terminal, seeAll)).toEqual(['      labelID: (known after apply)'])
  })
})
