// Names over a whole export, where ids and records collide.
import { expect, test } from 'vitest'
import { generatedName } from '../../../src/stacks/export/names.js'
import type { Identity } from '../../../src/model/address.js'
import { finish } from '../../../src/lib/async/steps.js'
import { nameResources } from '../../../src/stacks/export/names.js'
import { plainKinds } from '../../plain/plain-kinds.js'
import type { InventoryResource } from '../../../src/stacks/export/inventory.js'

function resource(family: string, identity: string, system = 'plain/main'): InventoryResource {
  const kind = plainKinds.find((one) => one.family === family)!
  const key = `${system} ${family}/${identity}`
  return { key, system, family, identity: identity as Identity, kind, actual: {}, name: identity, ofSystem: false }
}

/** All names at once. */
const namesOf = (...given: Parameters<typeof nameResources>) => finish(nameResources(...given))

const recorded = (...records: readonly (readonly [InventoryResource, string])[]): Parameters<typeof nameResources>[1] =>
  new Map(records.map(([{ key }, name]) => [key, { name, own: false, stack: 'boards' }]))

test('one id in two families, or on two targets, gives two names, in any order of resources', () => {
  const resources = [resource('Label', 'a1'), resource('Bucket', 'a1'), resource('Bucket', 'a1', 'plain/other')]
  const names = namesOf(resources, new Map())
  expect(new Set(names.values()).size).toBe(3)
  expect([...names.values()]).toContain(generatedName('a1'))
  expect(Object.fromEntries(namesOf([...resources].reverse(), new Map()))).toEqual(Object.fromEntries(names))
})

test('an owned name may be used once in each family', () => {
  const [label, bucket, other] = [resource('Label', 'a1'), resource('Bucket', 'a2'), resource('Bucket', 'a3')]
  const names = namesOf([label, bucket, other], recorded([label, 'x'], [bucket, 'x'], [other, 'x']))
  expect([label, bucket, other].map(({ key }) => names.get(key))).toEqual(['x', 'x', generatedName('a3')])
})

test('a generated name differs from all owned names', () => {
  const [label, bucket] = [resource('Label', 'a1'), resource('Bucket', 'a2')]
  const names = namesOf([label, bucket], recorded([label, generatedName('a2')]))
  expect(names.get(label.key)).toBe(generatedName('a2'))
  expect(names.get(bucket.key)).not.toBe(generatedName('a2'))
})
