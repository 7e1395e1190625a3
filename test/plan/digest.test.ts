import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/model/resources/change.js'
import { Secret, Unknown } from '../../src/model/json.js'
import { countChanges, countSharedDrift, writesTarget } from '../../src/plan/counts.js'
import { decisiveFields, digestChanges, jsonDigest, planDigest } from '../../src/plan/digest.js'
import { at, idOf } from './scenario.js'

const change: Change = {
  address: at('Bucket/raw'),
  kind: 'Bucket',
  action: 'update',
  identity: idOf(1),
  fields: [{ path: 'description', old: 'a', new: 'b' }],
  reason: 'edited',
  needs: [],
  after: [],
}

const digest = (one: Change): string => jsonDigest(decisiveFields(one))

const matters: Readonly<Record<string, Partial<Change>>> = {
  address: { address: at('Bucket/other') },
  kind: { kind: 'Other' },
  action: { action: 'create' },
  identity: { identity: idOf(2) },
  'a field’s new value': { fields: [{ path: 'description', old: 'a', new: 'c' }] },
  'a field’s old value': { fields: [{ path: 'description', old: 'x', new: 'b' }] },
  adopts: { adopts: true },
  from: { from: at('Bucket/before') },
  shares: { shares: true },
  takesFrom: { takesFrom: '0a1b2c3d4e5f6071' },
  losesData: { losesData: true },
  partOf: { partOf: at('Bucket/parent') },
  first: { first: true },
}

const doesNot: Readonly<Record<string, Partial<Change>>> = {
  reason: { reason: 'drifted' },
  needs: { needs: [at('Label/red')] },
  after: { after: [at('Label/red')] },
  displayName: { displayName: 'Raw' },
  'time limit': { timeoutMs: 1_000 },
  'reason for what it needs': { edges: [{ to: at('Label/red'), why: 'reference', text: 'spec.label' }] },
  'text of a loss': { losses: [{ path: 'retention', message: 'points are deleted' }] },
  'the fields for people': { shown: [{ path: 'charts[0]', entries: [{ path: 'charts[0]', name: 'CPU' }] }] },
}

describe('the digest of a change', () => {
  test.each(Object.entries(matters))('differs with %s', (_, other) => {
    expect(digest({ ...change, ...other })).not.toBe(digest(change))
  })

  test.each(Object.entries(doesNot))('is the same with another %s', (_, other) => {
    expect(digest({ ...change, ...other })).toBe(digest(change))
  })

  test('of an untracked resource is that of older versions, which call the action `forget`', () => {
    const { reason: _reason, needs: _needs, after: _after, ...decisive } = change
    expect(decisiveFields({ ...change, action: 'untrack' })).toEqual({ ...decisive, action: 'forget' })
  })

  test('does not depend on the order in which keys were set', () => {
    expect(jsonDigest({ a: 1, b: 2 })).toBe(jsonDigest({ b: 2, a: 1 }))
  })

  test('depends on secrets by their fingerprints', () => {
    const withSecret = (value: string, fingerprint: string): string =>
      jsonDigest({ token: new Secret(value, fingerprint) })
    expect(withSecret('one', 'f1')).toBe(withSecret('other', 'f1'))
    expect(withSecret('one', 'f1')).not.toBe(withSecret('one', 'f2'))
    expect(JSON.stringify({ token: new Secret('hunter2', 'f1') })).not.toContain('hunter2')
  })

  test('depends on what a value waits for', () => {
    expect(jsonDigest(new Unknown(at('Label/a'), 'id'))).not.toBe(jsonDigest(new Unknown(at('Label/b'), 'id')))
  })
})

describe('the digest of a plan', () => {
  test.each([1, 100])('is that of its canonical JSON, also where its changes have lists: %i times', (times) => {
    const some = [{ y: 1, x: [{ b: 1, a: 'é' }] }, [], {}, null, new Secret('v', 'f'), 'text']
    const charts = Array.from({ length: times }, () => some).flat()
    const fields = [
      { path: 'charts', old: [], new: charts },
      { path: 'map', new: { b: [1], a: { d: 1, c: 2 } } },
    ]
    const changes = [change, { ...change, fields }, { ...change, fields: [] }]
    const parts = { stack: 's', target: 't', revision: 'r' }
    expect(planDigest({ ...parts, changes })).toBe(jsonDigest({ ...parts, changes: changes.map(decisiveFields) }))
  })

  /** The number of steps. */
  function stepsOf(changes: readonly Change[]): number {
    const steps = digestChanges(changes)
    let count = 0
    while (steps.next().done !== true) count++
    return count
  }

  test('takes a step for each change, and a few for each element of a long list in it', () => {
    expect(stepsOf([change, { ...change }, { ...change }])).toBe(3)
    const charts = Array.from({ length: 100 }, (_, x) => ({ x, y: x, width: 1, height: 1 }))
    const [name] = change.fields
    const count = stepsOf([{ ...change, fields: [name!, { path: 'charts', new: charts }] }])
    expect(count).toBeGreaterThanOrEqual(charts.length)
    expect(count).toBeLessThan(3 * charts.length)
  })

  const plan = {
    stack: 's',
    target: 'embedded/default',
    revision: 'sha256:1',
    changes: [change, { ...change, reason: 'drifted' as const }],
  }
  const whole = ({ changes, ...rest }: typeof plan): string =>
    jsonDigest({ ...rest, changes: changes.map(decisiveFields) })

  test.each<[string, Partial<typeof plan>]>([
    ['of a stack', {}],
    ['of the same changes in another stack', { stack: 'other' }],
    ['of the same changes at another revision and target', { revision: 'sha256:2', target: 'embedded/other' }],
    ['without changes', { changes: [] }],
  ])('%s is that of its stack, target, revision and decisive changes', (_, other) => {
    expect(planDigest({ ...plan, ...other })).toBe(whole({ ...plan, ...other }))
  })
})

const counted: Readonly<Record<string, readonly [Partial<Change>, object]>> = {
  'a create': [{ action: 'create' }, { create: 1 }],
  'an update with fields': [{}, { update: 1 }],
  'an adoption, also of a resource that is as declared': [{ fields: [], adopts: true }, { update: 1 }],
  'a move, also of a resource that is as declared': [{ fields: [], from: at('Bucket/old') }, { update: 1 }],
  'a change of ownership alone as unchanged': [{ fields: [] }, { unchanged: 4 }],
  'a removal': [{ action: 'remove', fields: [] }, { remove: 1 }],
  'no untracked resource: it stays on the target': [{ action: 'untrack', fields: [] }, {}],
  'no part': [{ action: 'create', partOf: at('Bucket/raw') }, {}],
}

describe('counts have', () => {
  test.each(Object.entries(counted))('%s', (_, [one, expected]) => {
    const counts = countChanges({ changes: [{ ...change, ...one }], unchanged: 3 })
    expect(counts).toEqual({ create: 0, update: 0, remove: 0, unchanged: 3, ...expected })
  })
})

test('shared drift is counted by resource, not by field', () => {
  const [raw, red] = [at('Bucket/raw'), at('Label/red')]
  const sharedDrift = [
    { address: raw, path: 'name' },
    { address: raw, path: 'description' },
    { address: red, path: '' },
  ]
  expect([countSharedDrift({ sharedDrift }), countSharedDrift({})]).toEqual([2, 0])
})

test.each([
  ['create', 0, true],
  ['update', 1, true],
  ['update', 0, false],
  ['remove', 0, true],
  ['untrack', 0, false],
] as const)('a %s with %i fields writes to the target: %s', (action, fields, expected) => {
  expect(writesTarget({ ...change, action, fields: change.fields.slice(0, fields) })).toBe(expected)
})
