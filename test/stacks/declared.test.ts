// Stacks of the configuration file.
import { describe, expect, test } from 'vitest'
import { declareStacks } from '../../src/stacks/declare-stacks.js'
import type { StackSpec } from '../../src/model/stack.js'
import type { Problem } from '../../src/model/problem.js'
import { bucket, label, yaml } from '../e2e/packages.js'
import { refusal } from '../e2e/refusal.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'

const world = useWorld()

function declare(...specs: readonly StackSpec[]): Promise<readonly Problem[]> {
  return declareStacks(specs, { sync: world().agent.sync, dispatch: world().agent })
}

async function synced(name: string): Promise<void> {
  await until(`${name} is synced`, async () => (await world().verbs.get(name)).sync === 'Synced')
}

test('a declared stack is made, synced, and managed by the file', async () => {
  await world().push(label('red'))
  expect(await declare(world().spec('boards'))).toEqual([])
  await synced('boards')
  expect(await world().verbs.get('boards')).toMatchObject({ managedBy: 'file', lastRun: { cause: { kind: 'created', by: 'file' } } })
})

test('declaring it again as it is changes nothing', async () => {
  await world().push(label('red'))
  await declare(world().spec('boards'))
  await synced('boards')
  const before = await world().verbs.get('boards')
  await declare(world().spec('boards'))
  expect((await world().verbs.get('boards')).lastRun).toEqual(before.lastRun)
})

test('changed settings are carried out', async () => {
  await world().push(label('red'), 'stable')
  await world().push(yaml(label('red'), label('blue')), 'beta')
  await declare(world().spec('boards', { ref: 'stable' }))
  await synced('boards')
  await declare(world().spec('boards', { ref: 'beta' }))
  await until('the other ref is applied', async () => (await world().names()).length === 2)
})

describe('over the API', () => {
  test.each([
    ['set', () => world().verbs.set('boards', { intervalMs: 30_000 }, 'ann')],
    ['delete', () => world().verbs.delete('boards', { by: 'ann' }, never)],
  ] as const)('%s is refused, and says where to change it', async (_, ask) => {
    await world().push(label('red'))
    await declare(world().spec('boards'))
    expect(await refusal(ask())).toMatchObject({
      status: 'conflict',
      code: 'stacks/managed-by-file',
      hint: expect.stringContaining('HUP') as string,
    })
  })

  test('it can be synced, suspended, resumed and rolled back', async () => {
    await world().push(label('red'))
    await declare(world().spec('boards'))
    await synced('boards')
    const first = await world().lastRun('boards')
    await world().verbs.suspend('boards', 'lunch', undefined, 'ann')
    await declare(world().spec('boards'))
    expect((await world().verbs.get('boards')).suspended).toMatchObject({ reason: 'lunch', by: 'ann' })
    await world().verbs.resume('boards', 'ann')
    await world().push(yaml(label('red'), label('blue')))
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().ended('boards', (await world().verbs.rollback('boards', first.id, '', 'ann')).id)).toMatchObject({
      outcome: 'applied',
    })
  })
})

test('a stack that vanishes is suspended with that reason, and what it owned stays; it goes on when it is declared again', async () => {
  await world().push(bucket('raw'))
  await declare(world().spec('boards'))
  await synced('boards')
  await declare()
  expect((await world().verbs.get('boards')).suspended).toMatchObject({
    by: 'file',
    reason: 'no longer declared in the configuration file',
  })
  expect(await world().names()).toEqual(['Bucket/raw'])
  await world().push(yaml(bucket('raw'), label('red')))
  await declare(world().spec('boards'))
  await until('it goes on', async () => (await world().names()).length === 2)
  expect((await world().verbs.get('boards')).suspended).toBeNull()
})

test('one that vanished may be deleted', async () => {
  await world().push(bucket('raw'))
  await declare(world().spec('boards'))
  await synced('boards')
  await declare()
  await world().verbs.delete('boards', { by: 'ann' }, never)
  expect((await world().verbs.list({})).items).toEqual([])
})

test('what the API made is not touched, and the file is told', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const before = await world().verbs.get('boards')
  const problems = await declare(world().spec('boards', { intervalMs: 30_000 }), world().spec('others'))
  expect(problems).toMatchObject([{ code: 'config/stack', message: expect.stringContaining('the API made one of that name') as string }])
  expect(await world().verbs.get('boards')).toMatchObject({ managedBy: 'api', spec: before.spec, suspended: null })
  expect((await world().verbs.get('others')).managedBy).toBe('file')
  await declare()
  expect((await world().verbs.get('boards')).suspended).toBeNull()
})

test('another target is refused for a stack that is there', async () => {
  await world().push(label('red'))
  await declare(world().spec('boards'))
  expect(await declare(world().spec('boards', { target: 'other' }))).toMatchObject([
    { message: expect.stringContaining('keeps its target') as string },
  ])
})
