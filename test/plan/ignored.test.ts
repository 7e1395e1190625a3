import { describe, expect, test } from 'vitest'
import { parseFieldPath } from '../../src/lib/text/field-path.js'
import type { Json, JsonObject } from '../../src/model/json.js'
import { fieldChanges } from '../../src/plan/diff.js'
import { compareIgnoring, ignoredFieldsByFamily } from '../../src/plan/ignored.js'
import { seeded } from '../package/seeded.js'
import { plainVersion } from '../plain/plain-kinds.js'
import { at, byHand, claimed, declare, planOf, settled, changeLines, type Doc, type Settled } from './scenario.js'

interface Case {
  readonly ignore: string
  readonly declared: JsonObject
  readonly actual: JsonObject
  /** What is planned. */
  readonly fields: readonly string[]
  readonly ignored: readonly string[]
  /** What an update makes of it. */
  readonly desired: JsonObject
  /** What ownership stores of the declaration. */
  readonly stored: JsonObject
}

const cases: Readonly<Record<string, Case>> = {
  'a field keeps its actual value, and other fields are planned': {
    ignore: 'color',
    declared: { name: 'a', color: 'red' },
    actual: { name: 'b', color: 'blue' },
    fields: ['name'],
    ignored: ['color'],
    desired: { name: 'a', color: 'blue' },
    stored: { name: 'a' },
  },
  'a field that was removed stays removed': {
    ignore: 'color',
    declared: { name: 'a', color: 'red' },
    actual: { name: 'a' },
    fields: [],
    ignored: ['color'],
    desired: { name: 'a' },
    stored: { name: 'a' },
  },
  'a field in each element of a list': {
    ignore: 'charts[*].axis',
    declared: {
      charts: [
        { name: 'a', axis: 1 },
        { name: 'b', axis: 1 },
      ],
    },
    actual: {
      charts: [
        { name: 'a', axis: 7 },
        { name: 'x', axis: 8 },
      ],
    },
    fields: ['charts[1].name'],
    ignored: ['charts[0].axis', 'charts[1].axis'],
    desired: {
      charts: [
        { name: 'a', axis: 7 },
        { name: 'b', axis: 8 },
      ],
    },
    stored: { charts: [{ name: 'a' }, { name: 'b' }] },
  },
  'an undeclared field survives a change of another field': {
    ignore: 'charts[*].axis',
    declared: { charts: [{ name: 'b' }] },
    actual: { charts: [{ name: 'a', axis: 7 }] },
    fields: ['charts[0].name'],
    ignored: [],
    desired: { charts: [{ name: 'b', axis: 7 }] },
    stored: { charts: [{ name: 'b' }] },
  },
  'a new element is as declared': {
    ignore: 'charts[*].axis',
    declared: { charts: [{ axis: 1 }, { axis: 2 }] },
    actual: { charts: [{ axis: 7 }] },
    fields: ['charts[1]'],
    ignored: ['charts[0].axis'],
    desired: { charts: [{ axis: 7 }, { axis: 2 }] },
    stored: { charts: [{}, {}] },
  },
  'a whole list, however long it is': {
    ignore: 'charts[*]',
    declared: { charts: [1] },
    actual: { charts: [7, 8, 9] },
    fields: [],
    ignored: ['charts[0]', 'charts[1]', 'charts[2]'],
    desired: { charts: [7, 8, 9] },
    stored: { charts: [] },
  },
  'a whole element, also one that is null': {
    ignore: 'rules[1]',
    declared: { rules: [1, 2] },
    actual: { rules: [7, null] },
    fields: ['rules[0]'],
    ignored: ['rules[1]'],
    desired: { rules: [1, null] },
    stored: { rules: [1, null] },
  },
  'an element that only the declaration has is as declared': {
    ignore: 'rules[1]',
    declared: { rules: [1, 2] },
    actual: { rules: [1] },
    fields: ['rules[1]'],
    ignored: [],
    desired: { rules: [1, 2] },
    stored: { rules: [1, null] },
  },
  'one element': {
    ignore: 'rules[1].seconds',
    declared: { rules: [{ seconds: 1 }, { seconds: 1 }] },
    actual: { rules: [{ seconds: 5 }, { seconds: 5 }] },
    fields: ['rules[0].seconds'],
    ignored: ['rules[1].seconds'],
    desired: { rules: [{ seconds: 1 }, { seconds: 5 }] },
    stored: { rules: [{ seconds: 1 }, {}] },
  },
  'any key': {
    ignore: 'tags.*',
    declared: { tags: { a: 1 } },
    actual: { tags: { a: 2, b: 3 } },
    fields: [],
    ignored: ['tags.a'],
    desired: { tags: { a: 2, b: 3 } },
    stored: { tags: {} },
  },
  'a field below one that is missing is as declared': {
    ignore: 'tags.a.x',
    declared: { tags: { a: { x: 1 } } },
    actual: { tags: {} },
    fields: ['tags.a'],
    ignored: [],
    desired: { tags: { a: { x: 1 } } },
    stored: { tags: { a: {} } },
  },
  'a quoted key': {
    ignore: 'tags["a b"]',
    declared: { tags: { 'a b': 1, c: 1 } },
    actual: { tags: { 'a b': 2, c: 2 } },
    fields: ['tags.c'],
    ignored: ['tags["a b"]'],
    desired: { tags: { 'a b': 2, c: 1 } },
    stored: { tags: { c: 1 } },
  },
  'a path that matches nothing changes nothing': {
    ignore: 'name.first',
    declared: { name: 'a' },
    actual: { name: 'b' },
    fields: ['name'],
    ignored: [],
    desired: { name: 'a' },
    stored: { name: 'a' },
  },
}

describe('ignored', () => {
  test.each(Object.entries(cases))('%s', (_, { ignore, declared, actual, fields, ignored, desired, stored }) => {
    const ignoring = ignoredFieldsByFamily([{ family: 'Thing', path: ignore }])('Thing')
    const compared = compareIgnoring(actual, declared, ignoring)
    expect({ ...compared, fields: compared.fields.map(({ path }) => path) }).toEqual({ desired, fields, ignored })
    expect(ignoring.strip(declared)).toEqual(stored)
  })

  test('are only fields of the named family', () => {
    const ignoring = ignoredFieldsByFamily([{ family: 'Other', path: 'name' }])('Thing')
    expect(compareIgnoring({ name: 'b' }, { name: 'a' }, ignoring).fields).toHaveLength(1)
  })
})

describe('the path of a field', () => {
  test.each(['a', 'a.b', 'a[0].b', '["x y"].b', 'a["]"]', '*', 'a.*', 'a[*][3]', '$a-b'])('may be %s', (text) => {
    expect(parseFieldPath(text)).toBeDefined()
  })

  test.each(['', '.', 'a.', '.a', 'a..b', 'a[', 'a[]', 'a[x]', 'a[-1]', 'a[1', 'a b', 'a["x]', '[a]', 'a.0'])(
    'is not %j',
    (text) => {
      expect(parseFieldPath(text)).toBeUndefined()
    },
  )
})

// Random forms over few keys, so that paths of one lead somewhere in the other.
const keys = ['a', 'b', 'c']

function anyForm(roll: (most: number) => number, depth = 3): JsonObject {
  return Object.fromEntries(keys.filter(() => roll(3) > 0).map((key) => [key, anyValue(roll, depth - 1)]))
}

function anyValue(roll: (most: number) => number, depth: number): Json {
  const draw = depth === 0 ? 0 : roll(4)
  if (draw === 2) return anyForm(roll, depth)
  return draw === 3 ? Array.from({ length: roll(4) }, () => anyValue(roll, depth - 1)) : roll(3)
}

function anyPath(roll: (most: number) => number): string {
  const steps = Array.from({ length: roll(3) }, () => ['.a', '.b', '.*', '[*]', '[0]', '[1]'][roll(6)]!)
  return `${keys[roll(3)]!}${steps.join('')}`
}

describe('for random rules and states', () => {
  test.each(Array.from({ length: 300 }, (_, seed) => seed))('seed %i', (seed) => {
    const roll = seeded(seed)
    const ignoring = ignoredFieldsByFamily([1, 2].map(() => ({ family: 'Thing', path: anyPath(roll) })))('Thing')
    const [declared, actual] = [anyForm(roll), anyForm(roll)]
    const { desired, fields, ignored } = compareIgnoring(actual, declared, ignoring)
    // An update that writes the desired is the end of it.
    expect(fieldChanges(desired, desired)).toEqual([])
    expect(compareIgnoring(desired, declared, ignoring).fields).toEqual([])
    // What is planned and what is ignored is what differs, and nothing is both.
    const all = fieldChanges(actual, declared).map(({ path }) => path)
    expect(ignored.every((path) => all.includes(path) && !fields.some((field) => field.path === path))).toBe(true)
    // What others own decides nothing about what was declared.
    expect(ignoring.strip(ignoring.strip(declared))).toEqual(ignoring.strip(declared))
    expect(compareIgnoring(actual, actual, ignoring)).toEqual({ desired: actual, fields: [], ignored: [] })
  })
})

const chart = (axis: number, name = 'CPU'): Doc => ({ kind: 'Table', name, xPos: 0, yPos: axis, width: 1, height: 1 })
const board = (...charts: readonly Doc[]): Doc => ({
  apiVersion: plainVersion,
  kind: 'Dashboard',
  metadata: { name: 'ops' },
  spec: { name: 'ops', charts },
})
const ignore = [{ family: 'Dashboard', path: 'charts[*].yPos' }]
const policy = { apply: 'auto', maxDeletes: 10, adopt: 'allow', dataLoss: 'allow', ignore } as const

function moved(before: Settled): Settled {
  return byHand(before, 'Dashboard/ops', (actual) => ({
    ...actual,
    charts: (actual['charts'] as JsonObject[]).map((one) => ({ ...one, yPos: 9 })),
  }))
}

describe('a plan', () => {
  const before = settled(declare(board(chart(0))))

  test('does not plan an ignored field, but lists it as ignored', () => {
    const plan = planOf(declare(board(chart(0))), moved(before), { policy })
    expect([changeLines(plan), plan.problems]).toEqual([[], []])
    expect(plan.value).toMatchObject({ unchanged: 1, ignored: [{ address: 'Dashboard/ops', path: 'charts[0].yPos' }] })
  })

  test('writes changes of other fields, with a digest that is independent of ignored values', () => {
    const now = declare(board(chart(3, 'Processor')))
    const plans = [before, moved(before)].map((there) => planOf(now, there, { policy }))
    expect(plans.map(changeLines)).toEqual([
      ['update Dashboard/ops (edited): charts[0].name'],
      ['update Dashboard/ops (edited): charts[0].name'],
    ])
    expect(plans[0]!.value.digest).toBe(plans[1]!.value.digest)
  })

  test('is empty if the package changes nothing else', () => {
    expect(changeLines(planOf(declare(board(chart(5))), before, { policy }))).toEqual([])
  })

  test('creates a resource with the declared value', () => {
    const plan = planOf(declare(board(chart(5))), { owned: new Map(), observed: new Map() }, { policy })
    expect(plan.value.changes[0]!.fields.find(({ path }) => path === 'charts')!.new).toMatchObject([{ yPos: 5 }])
  })

  test('does not compare ignored fields with those that another stack declares', () => {
    const theirs = { ...before.owned.get(at('Dashboard/ops'))!, address: at('Dashboard/theirs') }
    const over = {
      claims: claimed(theirs),
      observed: new Map([[at('Dashboard/ops'), before.observed.get(at('Dashboard/ops'))!]]),
    }
    const nothing: Settled = { owned: new Map(), observed: new Map() }
    expect(changeLines(planOf(declare(board(chart(5))), nothing, { ...over, policy }))).toEqual([
      'update Dashboard/ops (added, shares): ownership',
    ])
    expect(planOf(declare(board(chart(5))), nothing, over).problems[0]?.code).toBe('plan/claimed')
  })

  test.each(['charts[*].yAxis', 'charts[1]', 'charts[5].yPos', 'charts.yPos', 'name[0]'])(
    'warns of %s, a path that no resource has, unless nothing is declared',
    (path) => {
      const slip = { ...policy, ignore: [...ignore, { family: 'Dashboard', path }] }
      const { problems } = planOf(declare(board(chart(0))), before, { policy: slip })
      expect(problems).toMatchObject([
        { severity: 'warning', code: 'plan/ignores-nothing', message: expect.stringContaining(path) as string },
      ])
      expect(planOf([], before, { policy: slip }).problems).toEqual([])
    },
  )
})
