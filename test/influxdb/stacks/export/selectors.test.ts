// Which resources the selectors of an export match (docs/guides/export.md).
import { describe, expect, test } from 'vitest'
import { bucket, label, yaml } from '../../packages.js'
import { refusal } from '../../../e2e/refusal.js'
import { never, onlyEmbedded, useWorld } from '../../world.js'
import { exportOf, heldTelegraf, heldVariable, make } from '../../../stacks/export/exporting.js'

const world = useWorld()

describe('a stack', () => {
  test('is exported whole, under the names that its package gave, by name and by id', async () => {
    await world().push(
      yaml(bucket('raw', { name: 'Raw', labels: ['red'] }), bucket('old'), label('red', { name: 'Red' })),
    )
    await world().create('boards')
    await make(world(), 'Bucket', { name: 'mine' })
    const { addresses, names, problems } = await exportOf(world(), { stack: 'boards' })
    expect({ addresses, names, problems }).toEqual({
      addresses: ['Label/red', 'Bucket/old', 'Bucket/raw'],
      names: ['Label/Red', 'Bucket/old', 'Bucket/Raw'],
      problems: [],
    })
    const { id } = await world().ask.getStack('boards')
    expect((await exportOf(world(), { stack: id })).addresses).toEqual(addresses)
  })

  test('has the current labels of its resources, with manual additions and removals', async () => {
    await world().push(yaml(bucket('raw', { labels: ['red'] }), label('red')))
    await world().create('boards')
    const mine = await make(world(), 'Label', { name: 'mine' })
    const { resources } = await world().ask.getStack('boards')
    const raw = resources.find(({ kind }) => kind === 'Bucket')!.id
    const mapping = (await world().ask.listResources({ limit: 500 }, never)).items.find(
      ({ family }) => family === 'LabelMapping',
    )!
    await world().ask.deleteResource(`LabelMapping/${mapping.id}`, {}, never)
    await world().ask.createResource(
      'LabelMapping',
      { resourceType: 'buckets', resourceID: raw, labelID: mine },
      {},
      never,
    )
    const exported = await exportOf(world(), { stack: 'boards' })
    const [generated] = exported.addresses.filter((one) => one !== 'Label/red' && one.startsWith('Label/'))
    expect(exported.names).toEqual(expect.arrayContaining(['Label/mine', 'Label/red', 'Bucket/raw']))
    expect(exported.spec('Bucket')).toMatchObject({
      associations: [{ kind: 'Label', name: generated!.slice('Label/'.length) }],
    })
  })

  test('is exported without what is gone from its target, which is said', async () => {
    await world().push(yaml(bucket('raw'), label('red')))
    await world().create('boards')
    await world().ask.deleteResource('Bucket/raw', { consent: 'Bucket/raw' }, never)
    const { addresses, problems } = await exportOf(world(), { stack: 'boards' })
    expect(addresses).toEqual(['Label/red'])
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'stacks/export-gone', message: expect.stringContaining('Bucket/raw') },
    ])
  })

  test('that is not there is not found', async () => {
    for (const stack of [{ stack: 'nothing' }, { stackID: '00000000000000aa' }])
      expect(await refusal(world().ask.exportPackage(stack, never))).toMatchObject({
        status: 'not-found',
        code: 'stacks/unknown',
      })
  })

  test('of which all is gone is an empty package, with warnings', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await world().ask.deleteResource('Label/red', { consent: 'Label/red' }, never)
    const { documents, codes } = await exportOf(world(), { stack: 'boards' })
    expect({ documents, codes }).toEqual({ documents: [], codes: ['stacks/export-gone', 'stacks/export-empty'] })
  })
})

describe('a resource', () => {
  test('is found by its id, on every target', async () => {
    const raw = await make(world(), 'Bucket', { name: 'raw', description: 'here' })
    const there = await make(world(), 'Bucket', { name: 'raw', description: 'there' }, [], 'other')
    expect((await exportOf(world(), { resources: [{ kind: 'Bucket', id: raw }] })).spec('Bucket')).toMatchObject({
      description: 'here',
    })
    expect((await exportOf(world(), { resources: [{ kind: 'Bucket', id: there }] })).spec('Bucket')).toMatchObject({
      description: 'there',
    })
    const elsewhere = { resources: [{ kind: 'Bucket', id: there }], target: 'local' }
    expect(await refusal(world().ask.exportPackage(elsewhere, never))).toMatchObject({ status: 'not-found' })
  })

  test('is renamed if the selector has an id and a name', async () => {
    const id = await make(world(), 'Bucket', { name: 'raw' })
    const { names } = await exportOf(world(), { resources: [{ kind: 'Bucket', id, name: 'Better' }] })
    expect(names).toEqual(['Bucket/Better'])
  })

  test('is every one of its kind that bears the name, with labels', async () => {
    const red = await make(world(), 'Label', { name: 'red' })
    await make(world(), 'Telegraf', heldTelegraf('roll up', { description: 'one' }), [red])
    await make(world(), 'Telegraf', heldTelegraf('roll up', { description: 'two' }))
    await make(world(), 'Telegraf', heldTelegraf('Roll up'))
    const exported = await exportOf(world(), { resources: [{ kind: 'Telegraf', name: 'roll up' }] })
    expect(exported.names).toEqual(['Label/red', 'Telegraf/roll up', 'Telegraf/roll up'])
    expect(exported.documents.filter(({ spec }) => 'associations' in (spec as object))).toHaveLength(1)
  })

  test('and several names of one kind are all found', async () => {
    for (const name of ['a1', 'b2', 'c3']) await make(world(), 'Bucket', { name })
    const resources = ['a1', 'b2', 'c3'].map((name) => ({ kind: 'Bucket', name }))
    expect([...(await exportOf(world(), { resources })).names].sort()).toEqual(['Bucket/a1', 'Bucket/b2', 'Bucket/c3'])
  })

  test('that two selectors match is exported once, under the given name', async () => {
    const id = await make(world(), 'Bucket', { name: 'raw' })
    const resources = [
      { kind: 'Bucket', id, name: 'Better' },
      { kind: 'Bucket', name: 'raw' },
      { kind: 'Bucket', id },
    ]
    expect((await exportOf(world(), { resources })).names).toEqual(['Bucket/Better'])
  })

  test.each([
    ['an id', { kind: 'Bucket', id: '00000000000000aa' }],
    ['a name', { kind: 'Bucket', name: 'nothing' }],
    ['an id with a new name', { kind: 'Bucket', id: '00000000000000aa', name: 'x' }],
    ['the id of a resource of another family', { kind: 'Label', id: '00000000000000aa' }],
  ])('%s that leads nowhere is not found', async (_, desired) => {
    expect(await refusal(world().ask.exportPackage({ resources: [desired] }, never))).toMatchObject({
      status: 'not-found',
      code: 'resources/unknown',
    })
  })

  test.each([
    ['neither id nor name', { resources: [{ kind: 'Bucket' }] }],
    ['empty id and name', { resources: [{ kind: 'Bucket', id: '', name: '' }] }],
    ['an unknown kind', { resources: [{ kind: 'Bukket', name: 'x' }] }],
    ['a kind of parts', { resources: [{ kind: 'LabelMapping', name: 'x' }] }],
    ['an unknown kind in a filter', { targets: [{ target: 'local', kinds: ['Bukket'] }] }],
    ['no selector at all', {}],
    ['empty selectors', { resources: [], targets: [] }],
  ])('%s is refused', async (_, request) => {
    expect(await refusal(world().ask.exportPackage(request, never))).toMatchObject({
      status: 'usage',
      code: 'stacks/export-selector',
    })
  })

  test('on a target that is not declared is not found', async () => {
    expect(await refusal(world().ask.exportPackage({ targets: [{ target: 'nowhere' }] }, never))).toMatchObject({
      code: 'stacks/target-unknown',
    })
  })
})

describe('a target', () => {
  test('is exported whole, without what the system made itself', async () => {
    await make(world(), 'Bucket', { name: 'raw' })
    await make(world(), 'Telegraf', heldTelegraf('mine'))
    expect((await exportOf(world(), { targets: [{ target: 'local' }] })).names).toEqual(['Bucket/raw', 'Telegraf/mine'])
  })

  test('a bucket of the system is exported where its id is given', async () => {
    const { items } = await world().ask.listResources({}, never)
    const { id } = items.find(({ displayName }) => displayName === '_tasks')!
    const { names, codes } = await exportOf(world(), { resources: [{ kind: 'Bucket', id }] })
    expect({ names, codes }).toEqual({ names: ['Bucket/_tasks'], codes: [] })
  })

  test('a bucket that no package can declare is exported with a warning', async () => {
    onlyEmbedded('The test stores the bucket in the database of the embedded platform.')
    await world().store.documents.insert('main', 'Bucket', {
      id: '00000000000000aa',
      key: 'x',
      state: { name: 'x' },
      links: [],
    })
    const { names, codes } = await exportOf(world(), { targets: [{ target: 'local' }] })
    expect({ names, codes }).toEqual({ names: ['Bucket/x'], codes: ['stacks/export-invalid'] })
  })

  async function labelled(): Promise<void> {
    const red = await make(world(), 'Label', { name: 'Red' })
    const blue = await make(world(), 'Label', { name: 'blue' })
    await make(world(), 'Label', { name: 'grey' })
    await make(world(), 'Bucket', { name: 'both' }, [red, blue])
    await make(world(), 'Bucket', { name: 'only-blue' }, [blue])
    await make(world(), 'Bucket', { name: 'none' })
    await make(world(), 'Telegraf', heldTelegraf('red one'), [red])
  }

  test.each<readonly [title: string, filters: object, names: readonly string[]]>([
    [
      'one label: what bears it, and of its labels only that one',
      { labels: ['Red'] },
      ['Label/Red', 'Bucket/both', 'Telegraf/red one'],
    ],
    [
      'a label in another case, as the target has it',
      { labels: [' rEd '] },
      ['Label/Red', 'Bucket/both', 'Telegraf/red one'],
    ],
    [
      'two labels: what bears one of them',
      { labels: ['Red', 'blue'] },
      ['Label/Red', 'Label/blue', 'Bucket/both', 'Bucket/only-blue', 'Telegraf/red one'],
    ],
    ['a kind: its labels come along', { kinds: ['Telegraf'] }, ['Label/Red', 'Telegraf/red one']],
    ['two kinds', { kinds: ['Telegraf', 'Label'] }, ['Label/Red', 'Label/blue', 'Label/grey', 'Telegraf/red one']],
    ['a label and a kind: both must match', { labels: ['Red'], kinds: ['Bucket'] }, ['Label/Red', 'Bucket/both']],
    ['a label and the kind Label', { labels: ['Red'], kinds: ['Label'] }, ['Label/Red']],
    [
      'empty filters: everything',
      { labels: [], kinds: [] },
      ['Label/Red', 'Label/blue', 'Label/grey', 'Bucket/both', 'Bucket/none', 'Bucket/only-blue', 'Telegraf/red one'],
    ],
  ])('filtered by %s', async (_, filters, names) => {
    await labelled()
    const exported = await exportOf(world(), { targets: [{ target: 'local', ...filters }] })
    expect([...exported.names].sort()).toEqual([...names].sort())
    expect(exported.problems).toEqual([])
  })

  test('only labels that the filter names are associated', async () => {
    await labelled()
    const exported = await exportOf(world(), { targets: [{ target: 'local', labels: ['Red'] }] })
    expect(exported.spec('Bucket')['associations']).toHaveLength(1)
  })

  test('filtered by a label that is not there is an empty package, with warnings', async () => {
    await labelled()
    const { documents, codes } = await exportOf(world(), { targets: [{ target: 'local', labels: ['green'] }] })
    expect({ documents, codes }).toEqual({
      documents: [],
      codes: ['stacks/export-label-unknown', 'stacks/export-empty'],
    })
  })

  test('that is empty gives an empty package, with a warning', async () => {
    const { documents, codes } = await exportOf(world(), { targets: [{ target: 'other' }] })
    expect({ documents, codes }).toEqual({ documents: [], codes: ['stacks/export-empty'] })
  })
})

test('selectors are added up: what one restricts, another may want whole', async () => {
  await world().push(yaml(bucket('raw', { labels: ['red', 'blue'] }), label('red'), label('blue')))
  await world().create('boards')
  const other = await make(world(), 'Variable', heldVariable('host'), [], 'other')
  const exported = await exportOf(world(), {
    stack: 'boards',
    resources: [{ kind: 'Variable', id: other }],
    targets: [{ target: 'local', labels: ['red'] }],
  })
  expect(exported.names).toEqual(['Label/blue', 'Label/red', 'Bucket/raw', 'Variable/host'])
  expect(exported.spec('Bucket')['associations']).toHaveLength(2)
})
