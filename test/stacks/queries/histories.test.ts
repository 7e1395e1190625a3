// Histories show versions and directions of many runs by one read of moves.
import { afterEach, expect, test, vi } from 'vitest'
import { label } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()
const ref = 'semver:^1'

afterEach(() => {
  vi.restoreAllMocks()
})

test('the history of a stack, and that of all stacks, read the moves of their runs at once', async () => {
  await world().push(label('red'), 'v1.0.0')
  await world().create('boards', { ref })
  await world().create('main', { target: 'other' })
  for (const [name, tag] of [
    ['blue', 'v1.1.0'],
    ['green', 'v1.2.0'],
  ] as const) {
    await world().push(label(name), tag)
    await world().sync('boards')
    await world().sync('main')
  }
  await until('the directions are read', async () => {
    const { items } = await world().ask.listRuns('boards', {})
    return items.map(({ cause }) => cause.direction).join() === 'forward,forward,'
  })
  const read = vi.spyOn(world().store.channels, 'movesTo')
  const own = await world().ask.listRuns('boards', {})
  expect(own.items.map(({ versions }) => Object.values(versions ?? {}))).toEqual([['v1.2.0'], ['v1.1.0'], ['v1.0.0']])
  expect(read).toHaveBeenCalledTimes(1)
  const all = await world().ask.listAllRuns({})
  expect(all.items.map(({ stack, cause }) => [stack, cause.direction])).toEqual(
    expect.arrayContaining([
      ['boards', 'forward'],
      ['main', 'forward'],
    ]),
  )
  expect(read).toHaveBeenCalledTimes(2)
  // Each move is sought once, however many runs show it.
  for (const [sought] of read.mock.calls)
    expect(new Set(sought.map((one) => JSON.stringify(one))).size).toBe(sought.length)
})
