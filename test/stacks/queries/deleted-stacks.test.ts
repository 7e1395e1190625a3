import { expect, test } from 'vitest'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

test('the history of a deleted stack can be read, and says who deleted it', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const { id } = await world().ask.getStack('boards')
  const { items: before } = await world().ask.listRuns('boards', {})
  await world().ask.deleteStack('boards', { by: 'ann' }, never)
  const after = await world().ask.listRuns('boards', {})
  expect(after).toMatchObject({ items: before, next: null, deleted: { id, by: 'ann' } })
  expect(await world().ask.listRuns(id, {})).toEqual(after)
  const [run] = before
  expect(await world().ask.getRun('boards', run!.id)).toMatchObject({ ...run, stack: 'boards', plan: null })
  const missing = await refusal(world().ask.getStack('boards'))
  expect(missing.message).toMatch(/^There is no stack named boards: ann deleted it at .*Z\.$/)
  expect(missing).toMatchObject({ code: 'stacks/unknown', hint: 'Its history: gitmoor history boards' })
})

test('deleted stacks are listed, newest first, page by page', async () => {
  await world().push(label('red'))
  for (const name of ['one', 'two', 'three']) {
    await world().create(name)
    await world().ask.deleteStack(name, { by: `${name}-by` }, never)
  }
  const first = await world().ask.listDeletions({ limit: 2 })
  expect(first.items).toMatchObject([
    { name: 'three', target: 'local', by: 'three-by' },
    { name: 'two', by: 'two-by' },
  ])
  const rest = await world().ask.listDeletions({ limit: 2, after: first.next! })
  expect(rest).toMatchObject({ items: [{ name: 'one' }], next: null })
})

test('a new stack of that name has its own history', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const former = await world().ask.getStack('boards')
  await world().ask.deleteStack('boards', { by: 'ann' }, never)
  await world().create('boards')
  expect((await world().ask.listRuns('boards', {})).deleted).toBeUndefined()
  expect((await world().ask.listRuns(former.id, {})).deleted).toMatchObject({ by: 'ann' })
})

test('direct writes to a resource are in the history of its stack, with who and why', async () => {
  await world().push(yaml(bucket('raw'), label('red')))
  await world().create('boards')
  const written = { by: 'ann', why: 'too small' }
  await world().ask.editResource('Bucket/raw', { description: 'by hand' }, written, never)
  await world().ask.deleteResource('Label/red', { by: 'bob' }, never)
  await refusal(world().ask.deleteResource('Bucket/raw', { by: 'bob' }, never))
  const { items } = await world().ask.listRuns('boards', {})
  const texts = items.map(({ outcome, cause, changes }) => [outcome, cause.by, cause.note, changes?.update])
  expect(texts.slice(0, 2)).toEqual([
    ['applied', 'bob', 'delete Label/red', 0],
    ['applied', 'ann', 'edit Bucket/raw: too small', 1],
  ])
  expect(await world().ask.getStack('boards')).toMatchObject({ lastRun: { cause: { kind: 'created' } } })
})
