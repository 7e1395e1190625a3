// A ref that goes back to the applied commit while a run for another one is in progress, at many moments of that run:
// what the stack says is on the target.
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bucket } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

async function untilNothingIsInProgress(stack: string): Promise<void> {
  await until('all runs have ended', async () => {
    await world().agent.runs.exclusively(stack, never, async () => {})
    return (await world().ask.listRuns('boards', {})).items.every(({ outcome }) => outcome !== null)
  })
}

test.each([0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20])('after %i turns of the event loop', async (turns) => {
  const good = await world().push(bucket('raw', { description: 'good' }))
  await world().create('boards', { drift: 'ignore' })
  const { id } = await world().ask.getStack('boards')
  for (let round = 0; round < 3; round++) {
    await world().push(bucket('raw', { description: `bad ${round}` }))
    const forth = world().ask.requestSync('boards', 'ann', never)
    for (let taken = 0; taken < turns; taken++) await turn()
    await world().repository.branch('main', good)
    await Promise.allSettled([forth, world().ask.requestSync('boards', 'ann', never)])
    await untilNothingIsInProgress(id)
    const { sync, revision } = await world().ask.getStack('boards')
    expect([sync, revision.applied]).toEqual(['Synced', `main@sha1:${good}`])
    expect((await world().live())['Bucket/raw']!.live['description']).toBe('good')
  }
})
