// Writes that are requested for together: how many share a commit, and what comes of contents that nothing names yet.
import { performance as eventLoop } from 'node:perf_hooks'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { sql } from 'kysely'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { blobId } from '../../src/source/blob-id.js'
import { SqliteFile } from '../../src/store/sqlite/file/sqlite-file.js'
import { ManualClock } from '../manual-clock.js'
import { jsonDigest } from '../../src/plan/digest.js'
import { openNewStore } from '../new-data-directory.js'
import { commitsOf } from './commits.js'

let directory: string

beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'gitmoor-commits-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('writes that take long together give the event loop its turn between them, and end in their order', async () => {
  const file = new SqliteFile(join(directory, 'gitmoor.db'))
  let rounds = 0
  const count = (): void => void (rounds++, (hook = setImmediate(count)))
  let hook = setImmediate(count)
  const ended: number[] = []
  await Promise.all([0, 1, 2, 3].map((at) => file.write(() => spin(25)).then(() => ended.push(at))))
  clearImmediate(hook)
  file.close()
  expect(rounds).toBeGreaterThanOrEqual(3)
  expect(ended).toEqual([0, 1, 2, 3])
})

async function rounds(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(setImmediate)
}

describe('with the clock of a test', () => {
  let path: string
  let file: SqliteFile
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    path = join(directory, 'gitmoor.db')
    file = new SqliteFile(path)
    await file.write(() => file.run(sql`create table texts (text)`))
  })
  afterEach(() => {
    file.close()
    vi.useRealTimers()
  })

  describe('while several writers share commits', () => {
    const took = 6
    const write = (text: string, ms = 0): Promise<unknown> =>
      file.write(() => {
        vi.advanceTimersByTime(ms)
        file.run(sql`insert into texts values (${text})`)
      })

    test('the next commit waits three times as long as the last one took, and has what was requested until then', async () => {
      const before = commitsOf(path)
      await Promise.all([write('one', took), write('beside it')])
      const first = write('arrives at once')
      await rounds()
      const second = write('arrives later')
      await rounds()
      vi.advanceTimersByTime(2 * took)
      await rounds()
      expect(commitsOf(path) - before).toBe(1)
      vi.advanceTimersByTime(took)
      await Promise.all([first, second])
      expect(commitsOf(path) - before).toBe(2)
    })

    test('the next commit waits no longer once the process has nothing else to do', async () => {
      await Promise.all([write('one', took), write('beside it')])
      const before = commitsOf(path)
      const next = write('the next step')
      await rounds()
      expect(commitsOf(path) - before).toBe(0)
      vi.spyOn(eventLoop, 'eventLoopUtilization').mockReturnValue({ idle: 1, active: 0, utilization: 0 })
      vi.advanceTimersByTime(1)
      await next
      expect(commitsOf(path) - before).toBe(1)
    })

    test('a single writer waits for nothing', async () => {
      await write('one', took)
      await write('the next step of the same writer')
      expect(vi.getTimerCount()).toBe(0)
    })
  })

  describe('writes that may wait', () => {
    const add = (text: string): Promise<unknown> =>
      file.writeSoon(() => file.run(sql`insert into texts values (${text})`))

    /** More than 16 in 10 s. */
    async function addMany(): Promise<void> {
      for (let n = 0; n < 15; n++) await add(`${n}`)
    }

    test('are committed at once while there are few of them', async () => {
      await addMany()
      expect(vi.getTimerCount()).toBe(0)
      vi.advanceTimersByTime(10_000)
      await add('much later')
      expect(vi.getTimerCount()).toBe(0)
    })

    test('share a commit after 2 s if there are many, or that of the next write, which comes after them', async () => {
      await addMany()
      const before = commitsOf(path)
      const shared = Promise.all([add('a'), add('b')])
      vi.advanceTimersByTime(1_999)
      await rounds()
      expect(commitsOf(path) - before).toBe(0)
      vi.advanceTimersByTime(1)
      await shared
      expect(commitsOf(path) - before).toBe(1)
      const more = add('c')
      await file.write(() => file.run(sql`insert into texts values ('d')`))
      await more
      expect(commitsOf(path) - before).toBe(2)
      const found = file.all<{ text: string }>(sql<{ text: string }>`select text from texts`).map(({ text }) => text)
      expect(found.slice(-4)).toEqual(['a', 'b', 'c', 'd'])
    })
  })
})

test.each([0, 2])(
  'a write that fails stores nothing, beside %i others, and those and the next are stored',
  async (count) => {
    const file = new SqliteFile(join(directory, 'gitmoor.db'))
    await file.write(() => file.run(sql`create table texts (text)`))
    const write = (text: string, failure?: Error): Promise<void> =>
      file.write(() => {
        file.run(sql`insert into texts values (${text})`)
        if (failure !== undefined) throw failure
      })
    const failure = new Error('no')
    const others = Array.from({ length: count }, (_, at) => write(`other ${at}`))
    await expect(write('half', failure)).rejects.toBe(failure)
    await Promise.all([...others, write('next')])
    const found = file.all<{ text: string }>(sql<{ text: string }>`select text from texts`).map(({ text }) => text)
    file.close()
    expect(found).toEqual([...['other 0', 'other 1'].slice(0, count), 'next'])
  },
)

test('closing a file waits for every requested write', async () => {
  const file = new SqliteFile(join(directory, 'gitmoor.db'))
  const requested = [0, 1, 2].map((at) => file.write(() => (spin(25), at)))
  file.close()
  expect(await Promise.all(requested)).toEqual([0, 1, 2])
})

test('copies the pages of a large commit in a later round of the event loop, and those of small ones at once', async () => {
  const path = join(directory, 'gitmoor.db')
  const file = new SqliteFile(path)
  const mib = 2 ** 20
  const write = (length: number): Promise<unknown> =>
    file.write(() => file.run(sql`insert into texts values (${'x'.repeat(length)})`))
  await file.write(() => file.run(sql`create table texts (text)`))
  await write(4 * mib)
  expect(statSync(path).size).toBeLessThan(mib)
  for (let round = 0; round < 3; round++) await new Promise(setImmediate)
  const copied = statSync(path).size
  expect(copied).toBeGreaterThan(4 * mib)
  for (let at = 0; at < 12; at++) await write(mib / 2)
  expect(statSync(path).size).toBeGreaterThan(copied + 3 * mib)
  file.close()
})

test('files are kept whole whenever pruning comes between their contents and their names', async () => {
  using store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
  for (let turns = 0; turns < 20; turns++) {
    const files = [`a ${turns}`, `b ${turns}`].map((text) => ({
      path: text,
      id: blobId(Buffer.from(text)),
      bytes: Buffer.from(text),
    }))
    const digest = jsonDigest(files.map(({ path, id }) => [path, id]))
    const kept = store.files.keep(digest, files)
    for (let turn = 0; turn < turns; turn++) await (turn < 10 ? Promise.resolve() : new Promise(setImmediate))
    const pruned = store.files.prune({ runsKept: 1, revisionsKept: 1 })
    await kept
    const found = await store.files.get(digest)
    await pruned
    expect(found === undefined || found.length === 2, `after ${turns} turns`).toBe(true)
    await store.files.keep(digest, files)
    expect((await store.files.get(digest))?.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
      files.map(({ path }) => path),
    )
  }
})

function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}
