// Runs of a revision whose package an earlier run stored need no remote.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'
import { unreachable } from '../../memory-git.js'

const world = useWorld()

/** The agent ends while it applies the first commit, and every read of the remote is refused after the next start. */
async function interrupt(): Promise<void> {
  const at = world()
  await at.push(yaml(label('red'), bucket('raw', { labels: ['red'] })))
  const held = at.platform.holdCalls('create')
  await at.ask.createStack(at.spec('boards'), 'ann')
  await held.reached
  const parked = at.agent.park()
  held.release()
  await parked
  await at.stop()
  writeFileSync(join(at.root, 'reads.json'), JSON.stringify({ reading: [], crashes: { [at.url]: 9 } }))
}

test('an interrupted apply is completed while reads of its remote are refused', async () => {
  await interrupt()
  await world().start()
  const run = await world().lastRun('boards')
  expect(run).toMatchObject({ cause: { kind: 'recovery' }, outcome: 'applied', problems: [] })
  expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
  const { applied } = (await world().store.stacks.get('boards'))!
  expect(await world().store.files.get(applied!.files)).toMatchObject([{ path: 'package.yml' }])
  expect(applied!.content).toMatch(/^[0-9a-f]{40}$/)
})

test('a revision that was not attempted waits for its remote', async () => {
  await interrupt()
  await world().start()
  await world().lastRun('boards')
  const second = await world().ask.createStack(world().spec('second'), 'ann')
  expect(await world().ended('second', second.run)).toMatchObject({
    outcome: 'failed',
    problems: [{ code: 'source/delayed-after-crash' }],
  })
})

test('a retry after a failure of the target reads nothing of the remote, with another path it does', async () => {
  const at = world()
  await at.repository.commit({ files: { 'a/p.yml': label('red'), 'b/p.yml': label('blue') } })
  at.platform.onCall(({ verb }) => {
    if (verb === 'create') throw new Unavailable('Not now.', { code: 'platform/unavailable' })
  })
  const failed = await at.create('boards', { path: 'a' })
  expect(failed).toMatchObject({ outcome: 'undone', problems: [{ code: 'platform/unavailable' }] })
  at.platform.reset()
  at.server.keepOnly([])
  at.server.intercept(unreachable)
  at.clock.advance(60_000)
  const retried = await at.runAfter('boards', failed.id)
  expect(retried).toMatchObject({ cause: { kind: 'retry' }, outcome: 'applied' })
  expect(await at.names()).toEqual(['Label/red'])

  at.server.intercept(undefined)
  await at.ask.updateStack('boards', { source: { path: 'b' } }, 'ann')
  await at.runAfter('boards', retried.id)
  expect(await at.names()).toEqual(['Label/blue'])
})
