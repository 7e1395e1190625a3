// The key was lost, for example after a restore without it: an interrupted apply cannot be undone.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.js'
import { Keyring } from '../../src/secrets/keyring.js'
import { bucket, dashboard, label } from '../plan/scenario.js'
import { never } from '../source/git-world.js'
import { EngineWorld } from './engine-world.js'

test('gives up entries sealed with a lost key: empties the journal, and ownership has the actual state', async () => {
  await using world = new EngineWorld()
  await world.apply([
    label('red', 'Red'),
    bucket('raw', 'raw', { labels: ['red'] }),
    dashboard('ops', 'Ops'),
    bucket('last', 'last'),
  ])
  let undoing = false
  world.fate = (call) => {
    if (call === 'start undo') undoing = true
    if (call === 'remove Bucket last') return 'refused'
    return undoing && /^(create|update|remove) /.test(call) ? 'unavailable' : 'well'
  }
  const { run, outcome } = await world.apply([label('red', 'Crimson'), bucket('raw', 'raw', { labels: ['red'] })])
  expect(outcome).toBe('undoing')

  world.fate = () => 'well'
  const another = new Engine({ journal: world.store.journal, sealer: new Keyring(randomBytes(32)) })
  const acting = await world.acting(run)
  await another.recover(acting, never)
  expect(await another.undo(acting, { problems: [], failure: null }, never)).toBe('undone')
  expect(await world.journal()).toEqual([])
  expect((await world.stack()).failure).toMatchObject({
    code: 'engine/undo-incomplete',
    message: expect.stringContaining('another key') as string,
  })
  const there = (await world.store.documents.list('main', { limit: 100 })).map(({ id }) => id)
  const owned = Object.values(await world.owned())
  expect(owned.filter((id) => !there.includes(id))).toEqual([])
  expect((await world.apply([bucket('raw', 'raw')])).outcome).toBe('applied')
  expect(await world.resources()).toEqual(['Bucket raw'])
})
