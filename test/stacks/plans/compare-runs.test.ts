// What the packages of two runs declare differently.
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import type { StackSpecPatch } from '../../../src/model/stacks/stack.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()

/** A stack with three runs; the second one changed the package. Returns their ids. */
async function threeRuns(): Promise<readonly [string, string, string]> {
  await world().push(yaml(label('red'), bucket('raw', { description: 'first' })))
  const first = await world().create('boards')
  await world().push(yaml(label('red'), label('blue'), bucket('raw', { description: 'second' })))
  const second = await world().sync('boards')
  const third = await world().sync('boards')
  return [first.id, second.id, third.id]
}

describe('a comparison of two runs', () => {
  test('has the changes from one to the other, and reads neither source nor target', async () => {
    const [a, b] = await threeRuns()
    world().server.intercept(answering(503))
    world().platform.onCall(() => {
      throw new Unavailable('The target is down.', { code: 'platform/unreachable' })
    })
    const compared = await world().ask.compareRuns('boards', [a, b], never)
    expect(compared).toMatchObject({
      stack: 'boards',
      a: { id: a, outcome: 'applied' },
      b: { id: b, outcome: 'applied' },
      counts: { create: 1, update: 1, remove: 0, unchanged: 1 },
    })
    expect(compared.changes.map(({ address, action }) => `${action} ${address}`).sort()).toEqual([
      'create Label/blue',
      'update Bucket/raw',
    ])
    const bucketChange = compared.changes.find(({ address }) => address === 'Bucket/raw')
    expect(bucketChange?.fields).toEqual([{ path: 'description', old: 'first', new: 'second' }])
  })

  test('goes the other way, too', async () => {
    const [a, b] = await threeRuns()
    const { changes } = await world().ask.compareRuns('boards', [b, a], never)
    expect(changes.map(({ address, action }) => `${action} ${address}`).sort()).toEqual([
      'remove Label/blue',
      'update Bucket/raw',
    ])
  })

  test('has no changes if both declare the same', async () => {
    const [, b, c] = await threeRuns()
    expect((await world().ask.compareRuns('boards', [b, c], never)).changes).toEqual([])
  })

  test('shows settings that differ, and what they change, with the settings that each run read', async () => {
    await world().push(label('red').replace('name: "red"', 'name: {envRef: {key: text}}'))
    const first = await world().create('boards', { values: { text: 'first' } })
    const update = async (changes: StackSpecPatch): Promise<string> => {
      await world().ask.updateStack('boards', changes, 'ann')
      return (await world().sync('boards')).id
    }
    const second = await update({ dataLoss: 'allow' })
    const third = await update({ setValues: { text: 'third', other: 'new' } })
    await update({ values: {} })
    const compare = (a: string, b: string) => world().ask.compareRuns('boards', [a, b], never)
    expect(await compare(first.id, second)).toMatchObject({
      changes: [],
      settings: [{ path: 'dataLoss', old: 'refuse', new: 'allow' }],
    })
    const { changes, settings } = await compare(second, third)
    expect(settings).toEqual([
      { path: 'values.text', old: 'first', new: 'third' },
      { path: 'values.other', new: 'new' },
    ])
    expect(changes.map(({ fields }) => fields)).toEqual([[{ path: 'name', old: 'first', new: 'third' }]])
  })

  test('has the drift of no target', async () => {
    const [a] = await threeRuns()
    await world().ask.editResource('Bucket/raw', { description: 'by hand' }, { stack: 'boards' }, never)
    expect((await world().ask.compareRuns('boards', [a, a], never)).changes).toEqual([])
  })
})

describe('a comparison is refused', () => {
  test('of a run of another stack', async () => {
    const [a] = await threeRuns()
    const { id } = await world().create('copy', { target: 'other' })
    expect(await refusal(world().ask.compareRuns('boards', [a, id], never))).toMatchObject({
      status: 'not-found',
      code: 'runs/unknown',
    })
  })

  test('if the files of a run are no longer stored', async () => {
    const [a, b] = await threeRuns()
    await world().store.files.prune({ runsKept: 100, revisionsKept: 1 })
    expect(await refusal(world().ask.compareRuns('boards', [a, b], never))).toMatchObject({
      status: 'not-found',
      code: 'runs/no-files',
      message: `The files of run ${a} are no longer stored.`,
      hint: 'Compare newer runs that applied a package: gitmoor history boards',
    })
  })

  test('of a run that read no package', async () => {
    const [a] = await threeRuns()
    await world().ask.releaseResource('boards', { address: 'Label/red', by: 'ann' }, never)
    const { items } = await world().ask.listRuns('boards', {})
    const owned = items.find(({ revision }) => revision === '')!
    expect(await refusal(world().ask.compareRuns('boards', [a, owned.id], never))).toMatchObject({
      code: 'runs/no-files',
      message: `Run ${owned.id} read no package, so it declares nothing to compare.`,
    })
  })
})
