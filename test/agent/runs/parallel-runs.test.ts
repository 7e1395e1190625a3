// Runs of several stacks with one target: those that only update what their own stacks own write at the same time.
import { expect, test } from 'vitest'
import type { RunView } from '../../../src/views/run.js'
import { label } from '../../e2e/packages.js'
import { settled, until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

/** Holds calls that write, and lists them as they arrive. */
function holdWrites(): { readonly arrived: readonly string[]; readonly release: () => void } {
  const arrived: string[] = []
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  world().platform.onCall(async ({ verb, family }) => {
    if (verb !== 'create' && verb !== 'update') return
    arrived.push(`${verb} ${family}`)
    await released
  })
  return { arrived, release: () => release() }
}

async function commit(colors: Readonly<Record<string, string>>): Promise<void> {
  const files = Object.entries(colors).map(([name, color]) => [`${name}/package.yml`, label(name, { color })])
  await world().repository.commit({ files: Object.fromEntries(files) as Record<string, string> })
}

/** Requests a sync of each stack, and gives its run. */
function begin(...stacks: readonly string[]): readonly Promise<RunView>[] {
  return stacks.map(async (stack) => {
    const { id } = await world().ask.requestSync(stack, 'ann', never)
    return world().ended(stack, id)
  })
}

async function outcomes(runs: readonly Promise<RunView>[]): Promise<readonly unknown[]> {
  return (await Promise.all(runs)).map(({ outcome }) => outcome)
}

test('two stacks that update their own resources on one target write at the same time', async () => {
  await commit({ red: '#000001', blue: '#000001' })
  for (const name of ['red', 'blue']) await world().create(name, { path: name })
  await commit({ red: '#000002', blue: '#000002' })
  const { arrived, release } = holdWrites()
  const runs = begin('red', 'blue')
  await until('both write', async () => arrived.length === 2)
  release()
  expect(await outcomes(runs)).toEqual(['applied', 'applied'])
  const live = await world().live()
  expect(['red', 'blue'].map((name) => live[`Label/${name}`]?.live['color'])).toEqual(['#000002', '#000002'])
})

test('a stack that creates a resource waits until no other one writes to the target', async () => {
  await commit({ red: '#000001', green: '#000001' })
  await world().create('red', { path: 'red' })
  await commit({ red: '#000002', green: '#000001' })
  const { arrived, release } = holdWrites()
  const red = begin('red')
  await until('red writes', async () => arrived.length === 1)
  const { run: green } = await world().ask.createStack(world().spec('green', { path: 'green' }), 'ann')
  await until('green plans', async () => (await world().ask.getStack('green')).lastRun?.phase === 'planning')
  await settled()
  expect(arrived).toEqual(['update Label'])
  release()
  expect(await outcomes([...red, world().ended('green', green)])).toEqual(['applied', 'applied'])
  expect(arrived).toEqual(['update Label', 'create Label'])
})

test('a resource that is gone from the target is created again by a run that has the target alone', async () => {
  await commit({ red: '#000001', blue: '#000001' })
  for (const name of ['red', 'blue']) await world().create(name, { path: name })
  await world().ask.deleteResource('Label/red', { stack: 'red' }, never)
  await commit({ red: '#000001', blue: '#000002' })
  const { arrived, release } = holdWrites()
  const blue = begin('blue')
  await until('blue writes', async () => arrived.length === 1)
  const red = begin('red')
  await until('red plans', async () => (await world().ask.getStack('red')).lastRun?.phase === 'planning')
  await settled()
  expect(arrived).toEqual(['update Label'])
  release()
  expect(await outcomes([...blue, ...red])).toEqual(['applied', 'applied'])
  expect(arrived).toEqual(['update Label', 'create Label'])
})
