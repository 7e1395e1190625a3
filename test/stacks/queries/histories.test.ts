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

test('a plan that was cancelled or superseded no longer needs approval in any history', async () => {
  await world().push(label('red'))
  await world().create('boards', { apply: 'approval' })
  const approvals = async (): Promise<readonly unknown[]> => {
    const { items } = await world().ask.listRuns('boards', {})
    const all = await world().ask.listAllRuns({})
    expect(all.items.map(({ id, approval }) => [id, approval])).toEqual(items.map(({ id, approval }) => [id, approval]))
    const { lastRun } = await world().ask.getStack('boards')
    expect(lastRun?.approval).toBe(items[0]!.approval)
    expect((await world().ask.getRun('boards', items[0]!.id)).approval).toBe(items[0]!.approval)
    return items.map(({ outcome, approval }) => `${outcome} ${approval}`)
  }
  expect(await approvals()).toEqual(['needs-approval undefined'])
  await world().ask.cancelRun('boards', 'ann')
  expect(await approvals()).toEqual(['needs-approval cancelled'])
  await world().sync('boards')
  expect(await approvals()).toEqual(['needs-approval undefined', 'needs-approval superseded'])
})
