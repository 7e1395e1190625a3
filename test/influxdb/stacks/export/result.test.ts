// The documents of an export, and their names (docs/guides/export.md).
import { describe, expect, test } from 'vitest'
import { generatedName } from '../../../../src/stacks/export/names.js'
import type { ExportRequest } from '../../../../src/stacks/export/export-request.js'
import { bucket, label, yaml } from '../../packages.js'
import { useWorld } from '../../world.js'
import { exportOf, heldTelegraf, heldVariable, make } from '../../../stacks/export/exporting.js'

const world = useWorld()
const everything = { targets: [{ target: 'local' }] }

describe('names', () => {
  test('are those of the stack that owns the resource, else derived from its id; two exports are the same text', async () => {
    await world().push(bucket('raw', { name: 'Raw' }))
    await world().create('boards')
    const mine = await make(world(), 'Bucket', { name: 'mine' })
    const exported = await exportOf(world(), everything)
    expect([...exported.addresses].sort()).toEqual([`Bucket/${generatedName(mine)}`, 'Bucket/raw'].sort())
    expect((await exportOf(world(), everything)).yaml).toBe(exported.yaml)
  })

  test('survive a restart, and changes of other resources', async () => {
    const mine = await make(world(), 'Bucket', { name: 'mine' })
    const { addresses } = await exportOf(world(), { resources: [{ kind: 'Bucket', id: mine }] })
    for (let i = 0; i < 5; i++) await make(world(), 'Bucket', { name: `b${i}` })
    await world().restart()
    expect((await exportOf(world(), everything)).addresses).toContain(addresses[0])
  })

  test('that two stacks use go to the exported stack, else to the first stack by name', async () => {
    await world().repository.commit({
      files: { 'one/a.yml': label('red', { name: 'r1' }), 'two/a.yml': label('red', { name: 'r2' }) },
    })
    await world().create('one', { path: 'one' })
    await world().create('two', { path: 'two' })
    const named = async (request: ExportRequest): Promise<string> => {
      const { addresses, names } = await exportOf(world(), request)
      return names[addresses.indexOf('Label/red')]!
    }
    expect(await named(everything)).toBe('Label/r1')
    expect(await named({ ...everything, stack: 'two' })).toBe('Label/r2')
    expect((await exportOf(world(), everything)).documents).toHaveLength(2)
  })

  test('of a shared resource are those of the exported stack, else of its owner', async () => {
    await world().repository.commit({
      files: { 'one/a.yml': label('first', { name: 'red' }), 'two/a.yml': label('second', { name: 'red' }) },
    })
    await world().create('one', { path: 'one' })
    await world().create('two', { path: 'two' })
    expect((await exportOf(world(), { stack: 'two' })).addresses).toEqual(['Label/second'])
    expect((await exportOf(world(), everything)).addresses).toEqual(['Label/first'])
  })
})

describe('what is written', () => {
  test('comes in the order of need, then by name', async () => {
    await make(world(), 'Telegraf', heldTelegraf('t'))
    await make(world(), 'Variable', heldVariable('v'))
    const red = await make(world(), 'Label', { name: 'red' })
    const ids = [await make(world(), 'Bucket', { name: 'b1' }, [red]), await make(world(), 'Bucket', { name: 'b2' })]
    const { addresses } = await exportOf(world(), everything)
    expect(addresses.map((one) => one.slice(0, one.indexOf('/')))).toEqual([
      'Label',
      'Bucket',
      'Bucket',
      'Variable',
      'Telegraf',
    ])
    expect(addresses.slice(1, 3)).toEqual(ids.map((id) => `Bucket/${generatedName(id)}`).sort())
  })

  test('has the display name always, and first', async () => {
    await world().push(bucket('raw'))
    await world().create('boards')
    const { documents } = await exportOf(world(), { stack: 'boards' })
    expect(Object.keys(documents[0]!)).toEqual(['apiVersion', 'kind', 'metadata', 'spec'])
    expect(Object.entries(documents[0]!['spec'] as object)[0]).toEqual(['name', 'raw'])
  })

  test('has labels that are associated in the order of their names', async () => {
    await world().push(
      yaml(bucket('raw', { labels: ['red', 'blue', 'grey'] }), label('grey'), label('red'), label('blue')),
    )
    await world().create('boards')
    const { spec } = await exportOf(world(), { resources: [{ kind: 'Bucket', name: 'raw' }] })
    expect(spec('Bucket')['associations']).toEqual(['blue', 'grey', 'red'].map((name) => ({ kind: 'Label', name })))
  })

  test('a label alone does not bring what bears it', async () => {
    const red = await make(world(), 'Label', { name: 'red' })
    await make(world(), 'Bucket', { name: 'raw' }, [red])
    expect((await exportOf(world(), { resources: [{ kind: 'Label', id: red }] })).names).toEqual(['Label/red'])
  })
})

describe('a target with more resources than one page', () => {
  test('is exported to the end: 120 buckets, 105 labels, variables and configurations each, all labelled', async () => {
    const labels: string[] = []
    for (let i = 0; i < 105; i++) labels.push(await make(world(), 'Label', { name: `label ${i}` }))
    for (let i = 0; i < 120; i++) await make(world(), 'Bucket', { name: `bucket ${i}` }, [labels[i % 105]!])
    for (let i = 0; i < 105; i++) await make(world(), 'Variable', heldVariable(`variable_${i}`), [labels[i]!])
    for (let i = 0; i < 105; i++) await make(world(), 'Telegraf', heldTelegraf(`telegraf ${i}`), [labels[0]!])
    const exported = await exportOf(world(), everything)
    const count = (kind: string): number => exported.addresses.filter((one) => one.startsWith(`${kind}/`)).length
    expect(['Bucket', 'Label', 'Variable', 'Telegraf'].map(count)).toEqual([120, 105, 105, 105])
    expect(new Set(exported.addresses.map((one) => one.slice(one.indexOf('/') + 1))).size).toBe(435)
    expect(exported.documents.filter(({ spec }) => 'associations' in (spec as object))).toHaveLength(330)
    expect(exported.problems).toEqual([])
  })
})
