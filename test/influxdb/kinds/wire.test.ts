import { describe, expect, test } from 'vitest'
import type { Identity } from '../../../src/model/address.js'
import { doc } from '../read-texts.js'
import { declaredBy, stateOf, nowhere, wireOf } from './desired-state.js'

const there = { ...nowhere, id: '00000000000000aa' as Identity, orgID: '00000000000000bb' }

describe('the wire format', () => {
  test('of a label has its properties apart in a summary', () => {
    const state = stateOf(doc('Label', 'red', { color: '#f00', description: 'd' }))
    expect(wireOf('Label', state, {}, there)).toEqual({
      diff: { name: 'red', color: '#f00', description: 'd' },
      summary: { id: there.id, orgID: there.orgID, name: 'red', properties: { color: '#f00', description: 'd' } },
    })
  })

  test('of a bucket has rules in a diff, nanoseconds in a summary', () => {
    const state = stateOf(doc('Bucket', 'raw', { retentionRules: [{ type: 'expire', everySeconds: 3_153_600_000 }] }))
    const { diff, summary } = wireOf('Bucket', state)
    expect(diff).toEqual({
      name: 'raw',
      description: '',
      retentionRules: [{ type: 'expire', everySeconds: 3_153_600_000 }],
    })
    expect(JSON.stringify(summary)).toBe(
      '{"id":"","orgID":"","name":"raw","description":"","retentionPeriod":3153600000000000000}',
    )
    expect(wireOf('Bucket', stateOf(doc('Bucket', 'raw'))).summary).toMatchObject({ retentionPeriod: 0 })
  })

  test('of a bucket has its schemas where it has some, columns by name', () => {
    const columns = [
      { name: 'v', type: 'field', dataType: 'float' },
      { name: 'time', type: 'timestamp' },
    ]
    const { diff, summary } = wireOf(
      'Bucket',
      stateOf(doc('Bucket', 'raw', { schemaType: 'explicit', measurementSchemas: [{ name: 'cpu', columns }] })),
    )
    const sorted = { schemaType: 'explicit', measurementSchemas: [{ name: 'cpu', columns: columns.toReversed() }] }
    expect(diff).toMatchObject(sorted)
    expect(summary).toMatchObject(sorted)
  })
})

describe('what is exported', () => {
  const cases: Readonly<Record<string, readonly [kind: string, spec: object]>> = {
    'a label': ['Label', { color: '#f00' }],
    'a bucket that keeps for ever': ['Bucket', { description: 'd' }],
    'a bucket with a rule': ['Bucket', { retentionRules: [{ type: 'expire', everySeconds: 3600 }] }],
    'a bucket with schemas': [
      'Bucket',
      {
        schemaType: 'explicit',
        measurementSchemas: [
          {
            name: 'cpu',
            columns: [
              { name: 'time', type: 'timestamp' },
              { name: 'v', type: 'field', dataType: 'float' },
            ],
          },
        ],
      },
    ],
  }
  test.each(Object.entries(cases))('of %s is what was declared, without what is empty', (_title, [kind, spec]) => {
    expect(declaredBy(kind, spec)).toEqual({ name: 'thing', ...spec })
  })
})
