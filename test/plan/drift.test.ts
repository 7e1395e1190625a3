import { expect, test } from 'vitest'
import type { Address } from '../../src/model/address.js'
import { Secret } from '../../src/model/json.js'
import type { Change, FieldChange } from '../../src/model/resources/change.js'
import { driftIn } from '../../src/plan/drift.js'

function update(name: string, fields: readonly FieldChange[]): Change {
  const address = `Bucket/${name}` as Address
  return { address, kind: 'Bucket', action: 'update', fields, reason: 'drifted', needs: [], after: [] }
}

test('drift has at most 100 resources with 100 fields each', () => {
  const fields = Array.from({ length: 130 }, (_, at) => ({ path: `list[${at}]`, old: 1, new: 2 }))
  const one = driftIn({ changes: [update('raw', fields)] })
  expect(one.resources[0]!.fields).toHaveLength(100)
  const many = Array.from({ length: 130 }, (_, at) => update(`b${at}`, [{ path: 'name', new: 'x' }]))
  expect(driftIn({ changes: many }).resources).toHaveLength(100)
})

test('long values are left out, and all of it is at most 256 Ki characters', () => {
  const long = driftIn({ changes: [update('raw', [{ path: 'query', old: 'x'.repeat(20_000), new: 'y' }])] })
  expect(long.resources[0]!.fields).toEqual([{ path: 'query', tooLong: true }])
  const fields = Array.from({ length: 10 }, (_, at) => ({ path: `list[${at}]`, new: 'x'.repeat(10_000) }))
  const many = driftIn({ changes: Array.from({ length: 5 }, (_, at) => update(`b${at}`, fields)) })
  expect(many.resources).toHaveLength(2)
  expect(JSON.stringify(many).length).toBeLessThan(270_000)
})

test('a secret is stored by its fingerprint', () => {
  const secret = new Secret('hunter2hunter2', 'f1f1f1f1')
  const found = JSON.stringify(driftIn({ changes: [update('raw', [{ path: 'token', old: '', new: secret }])] }))
  expect(found).not.toContain('hunter2')
})
