// Digests of events: few and small, whatever happens.
import { expect, test } from 'vitest'
import type { DigestView } from '../../src/views/event.js'
import { label } from '../e2e/packages.js'
import { until } from '../e2e/until.js'
import { useWorld } from '../e2e/world.js'

const world = useWorld()

async function watch(options: { names?: readonly string[]; after?: string } = {}): Promise<{
  readonly heard: DigestView[]
  readonly stop: () => void
}> {
  const heard: DigestView[] = []
  const stop = await world().ask.watchDigests(options, (digest) => heard.push(digest))
  return { heard, stop }
}

test('the first digest has the counts; later ones what changed, with the states then', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const { heard, stop } = await watch()
  expect(heard).toMatchObject([{ type: 'digest', counts: { Synced: 1, Failed: 0 }, changed: [], more: 0 }])
  await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
  await until('it waits', async () => (world().clock.advance(250), heard.length > 1))
  expect(heard[1]).toMatchObject({ counts: { Suspended: 1, Synced: 0 }, more: 0 })
  expect(heard[1]!.changed).toEqual([{ name: 'boards', state: 'Suspended' }])
  await world().ask.deleteStack('boards', { by: 'ann' }, new AbortController().signal)
  const last = (): DigestView => heard.at(-1)!
  await until('it is deleted', async () => (world().clock.advance(250), last().changed[0]?.state === null))
  stop()
  expect(last().counts).toMatchObject({ Suspended: 0, Synced: 0 })
})

test('many changes make few digests; the stacks that the client shows come first', async () => {
  await world().push(label('red'))
  const names = Array.from({ length: 130 }, (_, at) => `stack-${'x'.repeat(40)}-${at}`)
  const shown = names.at(-1)!
  const { heard, stop } = await watch({ names: [shown] })
  for (const name of names) await world().ask.createStack({ ...world().spec(name), schedule: 'never' }, 'ann')
  const ofShown = (): DigestView | undefined => heard.find(({ changed }) => changed.some(({ name }) => name === shown))
  await until('it is reported', async () => (world().clock.advance(250), ofShown() !== undefined))
  stop()
  for (const digest of heard) expect(JSON.stringify(digest).length).toBeLessThan(4_200)
  expect(ofShown()!.changed[0]!.name).toBe(shown)
  expect(Math.max(...heard.map(({ more }) => more))).toBeGreaterThan(0)
})

test('a client that missed too much is asked to read everything again', async () => {
  const { heard, stop } = await watch({ after: 'of-another-process-1' })
  stop()
  expect(heard).toMatchObject([{ type: 'reset' }])
})

test('the resources of a stack are listed with their needs, parts and last change', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const { items, next } = await world().ask.listStackResources('boards', {})
  expect(next).toBeNull()
  expect(items).toMatchObject([
    { address: 'Label/red', needs: [], parts: [], unhealthy: null, lastChange: { action: 'create' } },
  ])
})
