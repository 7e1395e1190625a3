// The last change of a resource, stored with its ownership.
import { expect, test } from 'vitest'
import type { ExplainedResource } from '../../src/store/ownership-table.js'
import { bucket, dashboard, label, type Doc } from '../plan/scenario.js'
import { EngineWorld } from './engine-world.js'

async function newest(world: EngineWorld): Promise<readonly ExplainedResource[]> {
  return (await world.store.ownership.newest((await world.stack()).id, { limit: 10 })).found
}

/** `update Bucket/raw by 2: description`, newest first. */
async function reported(world: EngineWorld): Promise<readonly string[]> {
  return (await newest(world)).map(({ owned: { address, changed } }) =>
    changed === undefined
      ? `${address}?`
      : `${changed.action} ${address} (${changed.reason}) by ${changed.run}: ${changed.paths.join(' ')}`.trimEnd(),
  )
}

const before: readonly Doc[] = [label('red'), bucket('raw'), dashboard('ops', 'ops', { labels: ['red'] })]
const after: readonly Doc[] = [
  label('red'),
  bucket('raw', 'raw', { description: 'new' }),
  dashboard('ops', 'ops', { labels: ['red'] }),
]

test('a resource knows the run that changed it last, the reason, the time and the fields', async () => {
  await using world = new EngineWorld()
  const first = await world.apply(before)
  world.clock.advance(1_000)
  const second = await world.apply(after)
  expect(await reported(world)).toEqual([
    `update Bucket/raw (edited) by ${second.run.id}: description`,
    `create Dashboard/ops (added) by ${first.run.id}:`,
    `create Label/red (added) by ${first.run.id}:`,
  ])
  const [changed] = await newest(world)
  expect(changed).toMatchObject({
    owned: { changed: { at: world.clock.now(), fields: 1 } },
    cause: { kind: 'commit' },
  })
})

test('an undone resource keeps its former last change', async () => {
  await using world = new EngineWorld()
  await world.apply(before)
  const settled = await reported(world)
  world.fate = (call) => (call.startsWith('update Dashboard') ? 'refused' : 'well')
  const failing = [
    label('red', 'red', '#ffffff'),
    bucket('raw', 'raw', { description: 'new' }),
    dashboard('ops', 'ops', { description: 'x' }),
  ]
  expect((await world.apply(failing)).outcome).toBe('undone')
  expect(await reported(world)).toEqual(settled)
})

test('last changes are listed page by page, and found by address', async () => {
  await using world = new EngineWorld()
  await world.apply(before)
  await world.apply(after)
  const { id } = await world.stack()
  const pages: string[] = []
  for (let at: string | undefined; ;) {
    const { found, next } = await world.store.ownership.newest(id, { limit: 1, after: at })
    pages.push(...found.map(({ owned }) => owned.address))
    if (next === null) break
    at = next
  }
  expect(pages).toEqual(['Bucket/raw', 'Dashboard/ops', 'Label/red'])
  expect((await world.store.ownership.explained(id, 'LabelMapping/Dashboard/ops/red'))?.owned.partOf).toBe(
    'Dashboard/ops',
  )
  expect(await world.store.ownership.explained(id, 'Bucket/other')).toBeUndefined()
})
