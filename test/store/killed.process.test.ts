// Kills a process at a step of a restore, or of a repair of a damaged database. The next attempt completes. A tenth of
// the steps in `npm test`, all of them in `npm run test:all`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Refused } from '../../src/model/errors.js'
import { openKeyring } from '../../src/secrets/keyring.js'
import { Backups } from '../../src/agent/upkeep/backups.js'
import { restoreBackup } from '../../src/store/sqlite/backup/restore-backup.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { attackSample, attackSeed } from '../attack/scale.js'
import { buildChild } from '../crash/build-child.js'
import { ManualClock } from '../manual-clock.js'
import { seeded } from '../package/seeded.js'
import { never } from '../source/git-world.js'
import { fill, names, picture } from './filled-store.js'
import type { KilledOrder } from './killed-child.js'

const clock = new ManualClock()
let child: Awaited<ReturnType<typeof buildChild>>
let root: string
let data: string

beforeAll(async () => {
  child = await buildChild('test/store/killed-child.ts')
})
afterAll(() => child[Symbol.dispose]())
beforeEach(() => {
  // A process that is killed loses nothing of memory.
  root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'gitmoor-killed-'))
  data = join(root, 'data')
  mkdirSync(data)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** The calls that it made; undefined: it was killed. */
function run(order: KilledOrder): readonly string[] | undefined {
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, [child.entry, JSON.stringify(order)], {
    encoding: 'utf8',
  })
  if (signal === 'SIGKILL') return undefined
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as readonly string[]
}

/** The calls before which a process is killed, counted from 1. */
function pointsOf(calls: readonly string[]): readonly number[] {
  const all = calls.map((_, at) => at + 1)
  return attackSample(all, seeded(attackSeed()))
}

async function pictureOf(file: string): ReturnType<typeof picture> {
  using store = new SqliteStore(file, clock)
  return await picture(store)
}

test('a restore that is killed at any step is there, or is begun again by the same command', async () => {
  openKeyring(data)
  const backup = join(root, 'taken.db')
  {
    using store = new SqliteStore(join(data, 'gitmoor.db'), clock)
    await fill(store, 0, 5)
    await using taken = await new Backups({ store, data, version: '0' }).create(true, never)
    cpSync(taken.path, backup)
  }
  const to = (name: string): KilledOrder & { readonly directory: string } => {
    mkdirSync(join(root, name))
    return { what: 'restore', file: backup, directory: join(root, name), point: 0 }
  }
  const calls = run(to('whole'))!
  expect(calls.length).toBeGreaterThan(10)
  for (const point of pointsOf(calls)) {
    const order = { ...to(`at-${point}`), point }
    expect([point, run(order)]).toEqual([point, undefined])
    try {
      restoreBackup(order, clock.now())
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'store/not-empty')) throw error
    }
    expect([point, await pictureOf(join(order.directory, 'gitmoor.db'))]).toEqual([
      point,
      { stacks: names(5), owning: 5, resources: 5 },
    ])
    expect(readFileSync(join(order.directory, 'key'))).toEqual(readFileSync(join(data, 'key')))
    expect(
      readdirSync(order.directory).filter((name) => !/^(gitmoor\.db|decisions\.jsonl|key|token)/.test(name)),
    ).toEqual([])
  }
})

test('a repair that is killed at any step ends at the next start, and the damaged file is kept', async () => {
  const file = join(data, 'gitmoor.db')
  {
    using store = new SqliteStore(file, clock)
    await fill(store, 0, 12)
    await store.copies.make({ kept: 3, everyMs: 0 }, never)
    await fill(store, 12, 15)
  }
  const bytes = readFileSync(file)
  bytes.fill(0x5a, 0, 100)
  bytes.fill(0x5a, bytes.length - 8_192)
  writeFileSync(file, bytes)
  const at = (name: string): KilledOrder => {
    cpSync(data, join(root, name), { recursive: true })
    return { what: 'open', file: join(root, name, 'gitmoor.db'), directory: '', point: 0 }
  }
  const whole = at('whole')
  const calls = run(whole)!
  const expected = await pictureOf(whole.file)
  expect([calls.length > 10, expected.stacks.length >= 12]).toEqual([true, true])
  for (const point of pointsOf(calls)) {
    const order = { ...at(`at-${point}`), point }
    expect([point, run(order)]).toEqual([point, undefined])
    expect([point, await pictureOf(order.file)]).toEqual([point, expected])
    const [aside] = readdirSync(join(root, `at-${point}`)).filter((name) => name.startsWith('gitmoor.db.damaged-'))
    expect(readFileSync(join(root, `at-${point}`, aside!)).equals(bytes)).toBe(true)
    expect(existsSync(`${order.file}.repaired`)).toBe(false)
  }
})
