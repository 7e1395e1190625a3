// How many reads a plan needs: one for each family, and one more for each round of keys that are made of ids.
import { expect, test } from 'vitest'
import { observe } from '../../src/engine/observe.js'
import { buildGraph } from '../../src/graph/graph.js'
import type { Address, Identity } from '../../src/model/address.js'
import type { JsonObject } from '../../src/model/json.js'
import type { Owned } from '../../src/model/resources/resource.js'
import { readPackage } from '../../src/package/package.js'
import type { Connection } from '../../src/platform/platform.js'
import { Lamps } from '../lamps.js'

const never = new AbortController().signal

/** A lamp for each spec; the lamps named in `there` exist. Gives the addresses of each read, and what was found. */
async function reads(
  specs: readonly string[],
  { there, owned = [] }: { readonly there: readonly JsonObject[]; readonly owned?: readonly Owned[] },
): Promise<{ readonly requested: readonly (readonly string[])[]; readonly found: readonly string[] }> {
  const lamps = new Lamps()
  for (const [i, state] of there.entries()) lamps.bridge('b').set(`id${i}`, { family: 'Lamp', id: `id${i}`, state })
  const text = specs.map((spec, i) => `apiVersion: lamps/v1\nkind: Lamp\nmetadata: {name: l${i}}\nspec: ${spec}\n`)
  const documents = readPackage([{ path: 'a.yml', id: 'a', bytes: Buffer.from(text.join('---\n')) }]).value
  const { value, problems } = buildGraph(documents, (kind, version) => lamps.kind(kind, version))
  expect(problems).toEqual([])
  const requested: string[][] = []
  const plain = await lamps.connect({ settings: { bridge: 'b' } })
  const connection: Connection = {
    ...plain,
    driver: (kind) => {
      const driver = plain.driver(kind)
      return {
        ...driver,
        read: (lookups, signal) => {
          requested.push(lookups.map(({ address }) => address))
          return driver.read(lookups, signal)
        },
      }
    },
  }
  const calling = { caller: {}, limitMs: 30_000, onCall: () => {} }
  const byAddress = new Map(owned.map((one) => [one.address, one]))
  const kindNamed = (name: string) => lamps.kinds.find(({ kind }) => kind === name)
  const found = await observe(
    { resources: value.resources, owned: byAddress, kindNamed },
    { connection, calling },
    never,
  )
  return { requested, found: [...found.keys()] }
}

test('a chain of 1,000 resources is one read', async () => {
  const specs = Array.from({ length: 1000 }, (_, i) => (i === 0 ? '{}' : `{after: $(ref.Lamp/l${i - 1}.id)}`))
  const there = specs.map((_, i) => ({ name: `l${i}` }))
  const { requested, found } = await reads(specs, { there })
  expect([requested.length, requested[0]!.length, found.length]).toEqual([1, 1000, 1000])
})

test('keys that are made of ids are one more read for each round, as long as something is found', async () => {
  const specs = ['{}', '{name: of $(ref.Lamp/l0.id)}', '{name: of $(ref.Lamp/l1.id)}', '{name: of $(ref.Lamp/l2.id)}']
  const there = [{ name: 'l0' }, { name: 'of id0' }, { name: 'x' }]
  expect((await reads(specs, { there })).requested).toEqual([['Lamp/l0'], ['Lamp/l1'], ['Lamp/l2']])
  expect((await reads(specs, { there: [] })).requested).toEqual([['Lamp/l0']])
})

test('a key that is made of two ids waits for both', async () => {
  const specs = ['{}', '{name: of $(ref.Lamp/l0.id)}', '{name: $(ref.Lamp/l0.id) and $(ref.Lamp/l1.id)}']
  const there = [{ name: 'l0' }, { name: 'of id0' }, { name: 'id0 and id1' }]
  expect(await reads(specs, { there })).toEqual({
    requested: [['Lamp/l0'], ['Lamp/l1'], ['Lamp/l2']],
    found: ['Lamp/l0', 'Lamp/l1', 'Lamp/l2'],
  })
})

test('an owned resource is read at once, and again by its key only if it is gone', async () => {
  const specs = ['{}', '{name: of $(ref.Lamp/l0.id)}']
  const ownedAs = (identity: string): readonly Owned[] => [
    {
      address: 'Lamp/l1' as Address,
      kind: 'Lamp',
      identity: identity as Identity,
      applied: {},
      needs: [],
      adopted: false,
    },
  ]
  const there = [{ name: 'l0' }, { name: 'of id0' }]
  expect((await reads(specs, { there, owned: ownedAs('id1') })).requested).toEqual([['Lamp/l0', 'Lamp/l1']])
  expect(await reads(specs, { there, owned: ownedAs('id9') })).toEqual({
    requested: [['Lamp/l0', 'Lamp/l1'], ['Lamp/l1']],
    found: ['Lamp/l0', 'Lamp/l1'],
  })
})

test('a key that is made of another value is not read: the value may change with the plan', async () => {
  const there = [{ name: 'l0', colour: 'red' }, { name: 'red' }]
  const { requested, found } = await reads(['{colour: red}', '{name: $(ref.Lamp/l0.colour)}'], { there })
  expect([requested, found]).toEqual([[['Lamp/l0']], ['Lamp/l0']])
})
