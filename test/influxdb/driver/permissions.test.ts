import { expect, test } from 'vitest'
import { lackedPermissions, permissionWarnings } from '../../../src/influxdb/driver/server/permissions.js'
import { resourceTypes } from '../../../src/influxdb/kinds/kinds.js'
import type { JsonObject } from '../../../src/model/json.js'

const of = { token: 'own', orgID: 'o1' }
const types = ['orgs', 'secrets', ...Object.values(resourceTypes)]
const permission = (action: string, type: string, more: JsonObject = {}): JsonObject => ({
  action,
  resource: { type, orgID: 'o1', ...more },
})
const all = types.flatMap((type) => [permission('read', type), permission('write', type)])
const lacked = (permissions: readonly unknown[]): string | undefined => {
  const found = lackedPermissions([{ token: 'own', permissions } as unknown as JsonObject], of)
  return permissionWarnings(found ?? [], 'prod')[0]?.message
}

test('a token with all of them lacks none; organisations are only read', () => {
  expect(lacked(all)).toBe(undefined)
  expect(lacked(all.filter(({ action, resource }) => !(action === 'write' && (resource as any).type === 'orgs')))).toBe(
    undefined,
  )
})

test('permissions of all organisations count', () => {
  expect(
    lacked(all.map(({ action, resource }) => ({ action: action!, resource: { type: (resource as any).type } }))),
  ).toBe(undefined)
})

test.each<[string, JsonObject]>([
  ['none', { action: 'write', resource: { type: 'other' } }],
  ['one of another organisation', permission('write', 'buckets', { orgID: 'o2' })],
  ['one for a single bucket', permission('write', 'buckets', { id: 'b1' })],
  ['one of another form', { action: 'write', resource: 'buckets' }],
])('is named if the token has %s', (_, instead) => {
  const others = all.filter(({ action, resource }) => !(action === 'write' && (resource as any).type === 'buckets'))
  expect(lacked([...others, instead])).toBe('The token of target prod lacks permissions: write:buckets.')
})

test('nothing is known of a token that is not listed', () => {
  for (const authorizations of [undefined, {}, [], [null, { token: 'other', permissions: [] }]] as const)
    expect(lackedPermissions(authorizations as never, of)).toBe(undefined)
})

test('a token without a list of permissions lacks all', () => {
  expect(lackedPermissions([{ token: 'own' }], of)).toHaveLength(2 * types.length - 1)
})
