import { describe, expect, test } from 'vitest'
import { finish } from '../../src/lib/async/steps.js'
import { compareDeclared } from '../../src/plan/compare-declared.js'
import { bucket, dashboard, deadman, declare, label, type Doc } from './scenario.js'

function compare(
  before: readonly Doc[],
  after: readonly Doc[],
): ReturnType<typeof compareDeclared> extends Generator<unknown, infer Result> ? Result : never {
  return finish(compareDeclared(declare(...before), declare(...after)))
}

describe('two packages', () => {
  test('with the same declarations have no difference, also in another order', () => {
    const documents = [label('red'), bucket('raw', 'raw', { labels: ['red'] })]
    expect(compare(documents, documents.toReversed())).toEqual({ changes: [], unchanged: 2 })
  })

  test('differ in what only one of them declares', () => {
    const { changes, unchanged } = compare([label('red'), label('old')], [label('red'), label('new')])
    expect(unchanged).toBe(1)
    expect(changes).toMatchObject([
      { address: 'Label/new', action: 'create', reason: 'added', displayName: 'new' },
      { address: 'Label/old', action: 'remove', reason: 'dropped', displayName: 'old', fields: [] },
    ])
  })

  test('differ field by field, without any identity of a target', () => {
    const { changes } = compare([bucket('raw', 'raw', { description: 'a' })], [bucket('raw', 'cooked')])
    expect(changes).toMatchObject([
      {
        address: 'Bucket/raw',
        action: 'update',
        fields: expect.arrayContaining([
          expect.objectContaining({ path: 'name', old: 'raw', new: 'cooked' }),
          expect.objectContaining({ path: 'description', old: 'a' }),
        ]) as unknown,
      },
    ])
    expect(changes[0]).not.toHaveProperty('identity')
  })

  test('name the resources that they refer to', () => {
    const { changes } = compare(
      [label('red'), label('blue'), dashboard('ops', 'ops', { labels: ['red'] })],
      [label('red'), label('blue'), dashboard('ops', 'ops', { labels: ['blue'] })],
    )
    const texts = JSON.stringify(changes)
    expect(texts).toContain('(id of Label/blue)')
    expect(texts).not.toContain('known after apply')
  })

  test('may declare another kind of one family under an address', () => {
    const other = { ...deadman('alive'), kind: 'CheckThreshold' }
    const { changes } = compare([deadman('alive')], [other])
    expect(changes).toMatchObject([{ action: 'update', kind: 'CheckThreshold' }])
  })
})
