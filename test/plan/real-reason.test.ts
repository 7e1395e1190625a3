import { describe, expect, test } from 'vitest'
import type { ChangeReason } from '../../src/model/resources/change.js'
import { Secret, type JsonObject } from '../../src/model/json.js'
import type { Resource } from '../../src/model/resources/resource.js'
import { declaredReason, revisionReason } from '../../src/plan/real-reason.js'
import { plainVersion } from '../plain/plain-kinds.js'
import { bucket, byHand, changeLines, declare, label, planOf, settled, type Doc, type PlanInput } from './scenario.js'

/** Where scenarios declare all. */
const sameFile = { unchangedFiles: new Set(['package.json']) }

describe('a decision of a person is the reason', () => {
  test.each<[ChangeReason, ChangeReason]>([
    ['added', 'veto'],
    ['edited', 'veto'],
    ['dropped', 'veto'],
    ['drifted', 'drifted'],
    ['gone', 'gone'],
    ['uninstalled', 'uninstalled'],
  ])('of %s: %s', (reason, expected) => {
    expect(revisionReason(reason, 'veto')).toBe(expected)
    expect(revisionReason(reason, undefined)).toBe(reason)
  })

  test('of every change of the package in a rollback, but not of drift', () => {
    const before = settled(declare(label('red'), label('old'), bucket('raw')))
    const now = declare(label('red', 'red', '#ff0000'), label('new'), bucket('raw'))
    const drifted = byHand(before, 'Bucket/raw', (actual) => ({ ...actual, description: 'by hand' }))
    expect([...changeLines(planOf(now, drifted, { decision: 'rollback' }))].sort()).toEqual([
      'create Label/new (rollback)',
      'remove Label/old (rollback)',
      'update Bucket/raw (drifted): description',
      'update Label/red (rollback): color',
    ])
  })
})

test('of a resource that a person removed is that it is gone, whatever else changed', () => {
  const states = { applied: { a: 1 }, desired: { a: 2 } }
  expect(declaredReason('gone', resource(true), states, sameFile)).toBe('gone')
})

describe('an edit', () => {
  const withValues = resource(true)
  const without = resource(false)
  const secret = (text: string): Secret => new Secret(text, `f-${text}`)
  const cases: Readonly<
    Record<
      string,
      readonly [Resource, applied: JsonObject | undefined, desired: JsonObject, Partial<PlanInput>, ChangeReason]
    >
  > = {
    'of secrets alone is a changed secret': [
      without,
      { a: 1, t: '(secret f-x)' },
      { a: 1, t: secret('y') },
      {},
      'secret',
    ],
    'of secrets in a rollback is a changed secret': [
      without,
      { t: secret('x') },
      { t: secret('y') },
      { decision: 'rollback' },
      'secret',
    ],
    'of a secret and another field is one of the package': [
      without,
      { a: 1, t: secret('x') },
      { a: 2, t: secret('y') },
      {},
      'edited',
    ],
    'in an unchanged file is a changed value, if the resource takes values': [
      withValues,
      { a: 1 },
      { a: 2 },
      sameFile,
      'value',
    ],
    'in an unchanged file without values is one of the package': [without, { a: 1 }, { a: 2 }, sameFile, 'edited'],
    'in a changed file is one of the package': [
      withValues,
      { a: 1 },
      { a: 2 },
      { unchangedFiles: new Set(['other.json']) },
      'edited',
    ],
    'of ownership alone is one of the package': [withValues, { a: 1 }, { a: 1 }, sameFile, 'edited'],
    'of what was never applied is one of the package': [withValues, undefined, { a: 1 }, sameFile, 'edited'],
  }
  test.each(Object.entries(cases))('%s', (_, [declared, applied, desired, why, expected]) => {
    expect(declaredReason('edited', declared, { applied, desired }, why)).toBe(expected)
  })
})

/** A label whose name is a value, or not. */
function resource(takesValues: boolean): Resource {
  const name = takesValues ? { envRef: { key: 'label' } } : 'red'
  const doc: Doc = {
    apiVersion: plainVersion,
    kind: 'Label',
    metadata: { name: 'red' },
    spec: { name, color: '' },
  }
  return declare(doc)[0]!
}
