import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Upkeep } from '../../../src/agent/upkeep/upkeep.js'
import type { Source, UsedRemotes } from '../../../src/source/source.js'
import type { SqliteStore } from '../../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../../manual-clock.js'
import { never } from '../../source/git-world.js'
import { openNewStore } from '../../new-data-directory.js'

const dayMs = 86_400_000
let directory: string
let store: SqliteStore
let clock: ManualClock
let logged: string[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-upkeep-'))
  clock = new ManualClock()
  store = openNewStore(join(directory, 'gitmoor.db'), clock)
  logged = []
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

const used = { remotes: ['https://git.example/boards'], undecided: ['https://git.example/team'] }

function upkeep(everyMs: number, keepOnly: Source['keepOnly'] = () => Promise.resolve(0)): Upkeep {
  const note = (message: string): void => void logged.push(message)
  const log = { debug: note, info: note, warn: note, error: note }
  const references = [{ check: () => Promise.resolve() }]
  const parts = { references, source: { keepOnly }, remotes: () => Promise.resolve(used) }
  const limits = { runsKept: 1, revisionsKept: 1 }
  return new Upkeep({ ...parts, store, clock, log, limits, copies: { everyMs, kept: 2 }, signal: never })
}

const minuteMs = 60_000

test('the first copy is due two minutes after a start, or sooner if the newest one is older than the interval', async () => {
  expect((await upkeep(dayMs).firstTimes()).get('copy')).toBe(clock.now() + 2 * minuteMs)
  await store.copies.make({ kept: 2, everyMs: dayMs }, never)
  clock.advance(dayMs - minuteMs)
  expect((await upkeep(dayMs).firstTimes()).get('copy')).toBe(clock.now() + minuteMs)
  clock.advance(dayMs)
  expect((await upkeep(dayMs).firstTimes()).get('copy')).toBe(clock.now())
})

test('a copy with a date in the future delays nothing', async () => {
  clock.advance(10 * dayMs)
  await store.copies.make({ kept: 2, everyMs: dayMs }, never)
  clock = new ManualClock()
  expect((await upkeep(dayMs).firstTimes()).get('copy')).toBe(clock.now() + 2 * minuteMs)
})

test('each pause between copies is twice as long as the one before, up to the interval', async () => {
  const at = upkeep(10 * minuteMs)
  const pauses: number[] = []
  for (let n = 0; n < 5; n++) {
    pauses.push(((await at.perform('copy'))! - clock.now()) / minuteMs)
    clock.advance(pauses.at(-1)! * minuteMs)
  }
  expect(pauses).toEqual([2, 4, 8, 10, 10])
})

test('copies in quick succession keep an older one', async () => {
  const first = await store.copies.make({ kept: 2, everyMs: dayMs }, never)
  for (let n = 0; n < 3; n++) {
    clock.advance(minuteMs)
    const newest = await store.copies.make({ kept: 2, everyMs: dayMs }, never)
    expect(readdirSync(join(directory, 'copies')).map((name) => join(directory, 'copies', name))).toEqual([
      first,
      newest,
    ])
  }
})

test('an interval of 0 makes no copies', async () => {
  expect((await upkeep(0).firstTimes()).has('copy')).toBe(false)
})

test('copies are made and logged; a failed one is logged, and retried within the hour', async () => {
  const at = upkeep(dayMs)
  expect(await at.perform('copy')).toBe(clock.now() + 2 * minuteMs)
  expect(readdirSync(join(directory, 'copies'))).toHaveLength(1)
  rmSync(join(directory, 'copies'), { recursive: true })
  writeFileSync(join(directory, 'copies'), 'in the way')
  expect(await at.perform('copy')).toBe(clock.now() + 3_600_000)
  expect(logged).toEqual(['database copied', 'database was not copied'])
})

test('unused clones are deleted at the start and then daily; a failure is logged, and retried the next day', async () => {
  const kept: UsedRemotes[] = []
  const at = upkeep(0, (remotes) => Promise.resolve(kept.push(remotes)))
  expect((await at.firstTimes()).get('sweep')).toBe(clock.now())
  expect(await at.perform('sweep')).toBe(clock.now() + dayMs)
  expect(kept).toEqual([used])
  const failing = upkeep(0, () => Promise.reject(new Error('no')))
  expect(await failing.perform('sweep')).toBe(clock.now() + dayMs)
  expect(logged).toEqual(['unused clones removed', 'cleanup of unused clones failed'])
})
