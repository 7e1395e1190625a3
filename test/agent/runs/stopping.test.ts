import { expect, test, vi } from 'vitest'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

test('a run that is about to begin while the agent stops does not begin, and the next start continues with it', async () => {
  const at = world()
  await at.push(yaml(label('red')))
  await at.create('boards')
  await at.push(yaml(label('blue')))
  const { runs } = at.store
  const take = runs.takeLease.bind(runs)
  let parked: Promise<boolean> | undefined
  vi.spyOn(runs, 'takeLease').mockImplementation((run) => {
    parked ??= at.agent.park()
    return take(run)
  })
  await at.ask.requestSync('boards', 'ann', never)
  await until('the agent stops', () => Promise.resolve(parked !== undefined))
  expect(await parked).toBe(true)
  const unfinished = await at.store.runs.unfinished((await at.store.stacks.get('boards'))!.id)
  expect(unfinished).toMatchObject([{ phase: 'queued', outcome: null }])

  await at.restart()
  expect(await at.lastRun('boards')).toMatchObject({ id: unfinished[0]!.id, outcome: 'applied' })
})
