// What the store keeps of resources that do not work.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Address } from '../../src/model/address.js'
import type { Stack } from '../../src/model/stacks/stack.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'
import { stack } from './describe-store.js'

let directory: string
let clock: ManualClock
let store: SqliteStore
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-health-'))
  clock = new ManualClock()
  store = openNewStore(join(directory, 'gitmoor.db'), clock)
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

function dark(...names: readonly string[]): Stack['unhealthy'] {
  const first = names.map((name) => ({ address: `Lamp/${name}` as Address, reason: 'It is dark.' }))
  return first.length === 0 ? null : { count: first.length, first }
}

async function stored(): Promise<Pick<Stack, 'unhealthy' | 'unhealthySince'>> {
  const { unhealthy, unhealthySince } = (await store.stacks.get('lights'))!
  const [row] = await store.feed.statuses({ limit: 1 })
  expect(row?.unhealthy).toBe(unhealthy?.count ?? 0)
  return { unhealthy, unhealthySince }
}

test('it keeps its first time through later checks, until everything works', async () => {
  const { id } = (await stack(store, 'lights')).stack
  const check = async (unhealthy: Stack['unhealthy']): Promise<unknown> => {
    clock.advance(1_000)
    await store.stacks.change(id, { checkedAt: clock.now(), drifted: 0, unhealthy })
    return stored()
  }
  expect(await stored()).toEqual({ unhealthy: null, unhealthySince: null })
  const since = clock.now() + 1_000
  expect(await check(dark('a'))).toEqual({ unhealthy: dark('a'), unhealthySince: since })
  expect(await check(dark('b', 'c'))).toEqual({ unhealthy: dark('b', 'c'), unhealthySince: since })
  await store.stacks.change(id, { drifted: 1 })
  expect(await stored()).toEqual({ unhealthy: dark('b', 'c'), unhealthySince: since })
  expect(await check(null)).toEqual({ unhealthy: null, unhealthySince: null })
  expect(await check(dark('a'))).toMatchObject({ unhealthySince: clock.now() })
})

test('the end of a run stores what it found, and one that found nothing out leaves it', async () => {
  const { lease } = await stack(store, 'lights')
  const end = { outcome: 'applied', problems: [], failure: null } as const
  await store.journal.settle(lease, { ...end, unhealthy: dark('a') })
  expect((await stored()).unhealthy).toEqual(dark('a'))
  const again = await store.runs.add({ stack: lease.stack, revision: 'main', cause: { kind: 'retry' } })
  await store.journal.settle((await store.runs.takeLease(again)).lease, { ...end, outcome: 'undone' })
  expect((await stored()).unhealthy).toEqual(dark('a'))
})
