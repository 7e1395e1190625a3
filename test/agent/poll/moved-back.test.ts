// A ref that goes back to the applied commit while another one is applied: what the target has is what it says.
import { expect, test } from 'vitest'
import { bucket } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()

test('a ref that moves back is applied after what is in progress', async () => {
  const good = await world().push(bucket('raw', { description: 'good' }))
  await world().create('boards', { drift: 'ignore' })
  let goOn = (): void => {}
  const held = new Promise<void>((resolve) => (goOn = resolve))
  let isWriting = false
  world().platform.onCall(async ({ verb }) => {
    if (verb !== 'update') return
    isWriting = true
    await held
  })
  await world().push(bucket('raw', { description: 'bad' }))
  world().clock.advance(60_000)
  await until('the bad commit is applied', () => isWriting)
  await world().repository.branch('main', good)
  world().clock.advance(60_000)
  await until('it is observed', async () => (await world().ask.getStack('boards')).revision.observed?.endsWith(good))
  goOn()
  await until('nothing is in progress', async () => {
    const { phase, lastRun, revision } = await world().ask.getStack('boards')
    return phase === 'done' && lastRun?.outcome === 'applied' && revision.applied?.endsWith(good)
  })
  expect((await world().live())['Bucket/raw']!.live['description']).toBe('good')
})
