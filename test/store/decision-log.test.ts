// What people decided, in a file beside the database: it survives a repair, an older database put back, and a commit
// that was lost.
import Database from 'better-sqlite3'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Stack } from '../../src/model/stacks/stack.js'
import { vetoMove } from '../../src/channel/decide-channel.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { never } from '../source/git-world.js'
import { fill, names, picture } from './filled-store.js'
import { movedTo } from './moved-channel.js'

const remote = 'https://example.com/x'
const suspended = { reason: 'freeze', by: 'ann', until: null }
const pinned = { run: '1', revision: 'main@sha1:0', by: 'ann', why: 'incident' }
const cancelled = { reason: 'Cancelled', code: 'run/cancelled', message: 'ann cancelled it.', retry: 'change' } as const
const pin = { commit: 'c1', object: 'c1', name: 'refs/tags/v1', by: 'ann', why: 'incident', at: 5 }

let directory: string
let file: string
let log: string
let clock: ManualClock

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-decisions-'))
  file = join(directory, 'gitmoor.db')
  log = join(directory, 'decisions.jsonl')
  clock = new ManualClock()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

async function withStore<T>(work: (store: SqliteStore) => Promise<T>): Promise<T> {
  using store = new SqliteStore(file, clock)
  return await work(store)
}

async function stack(store: SqliteStore, name: string): Promise<Stack> {
  return (await store.stacks.get(name))!
}

/** Of stacks and channels, what people decided. */
async function decided(store: SqliteStore): Promise<unknown> {
  const stacks = await store.stacks.list({ limit: 100 })
  const channel = (await store.channels.list({ limit: 1 }))[0]
  return {
    stacks: stacks.map((one) => [one.spec.name, one.spec.target, one.suspended, one.pinned, one.failure?.reason]),
    channel: channel && [channel.pin, channel.move?.state, channel.move?.decision, channel.released?.to?.commit],
    decisions: await store.channels.decisions(remote, 'stable', { limit: 10 }),
  }
}

/**
 * After the newest copy: a suspension, a pin, a cancelled run, a veto, a channel's pin, a new stack, a changed one and
 * one that is deleted.
 */
async function decide(store: SqliteStore): Promise<void> {
  await store.stacks.change((await stack(store, 's0')).id, { suspended })
  await store.stacks.change((await stack(store, 's1')).id, { pinned })
  await store.stacks.change((await stack(store, 's2')).id, { failure: cancelled })
  const veto = { kind: 'veto', by: 'ann', why: 'broken', at: 5 } as const
  const [channel] = await store.channels.list({ limit: 1 })
  const [move] = await store.channels.moves(remote, 'stable', { limit: 1 })
  const vetoed = vetoMove(channel!, move!, veto, await store.channels.releasedBefore(move!))
  await store.runs.observe([], [{ ...vetoed, channel: { ...vetoed.channel, pin } }])
  await fill(store, 5, 6)
  const changed = await stack(store, 's3')
  await store.stacks.change(changed.id, { spec: { ...changed.spec, maxDeletes: 1 } })
  await store.stacks.delete((await stack(store, 's4')).id)
}

async function prepare(): Promise<unknown> {
  return withStore(async (store) => {
    await fill(store, 0, 5)
    for (const [n, commit] of ['c1', 'c2'].entries())
      await store.runs.observe([], [await movedTo(store, { remote, ref: 'stable' }, commit, n)])
    await store.copies.make({ kept: 3, everyMs: 0 }, never)
    await decide(store)
    return decided(store)
  })
}

function newestCopy(): string {
  const [name] = readdirSync(join(directory, 'copies'))
  return join(directory, 'copies', name!)
}

const losses: Readonly<Record<string, () => void>> = {
  'the database is garbage and there is a copy': () => writeFileSync(file, 'not a database'),
  'the database is garbage and there is no copy': () => (
    writeFileSync(file, 'not a database'),
    rmSync(join(directory, 'copies'), { recursive: true })
  ),
  'the database is gone': () => rmSync(file),
  'an older database is put back by hand': () => copyFileSync(newestCopy(), file),
  'a bit of what was decided flips': () => {
    const bytes = readFileSync(file)
    const at = bytes.lastIndexOf('"freeze"')
    bytes[at + 1] = 0x46
    writeFileSync(file, bytes)
  },
}

describe('every decision is there again, and every stack reads its target, where', () => {
  test.each(Object.entries(losses))('%s', async (_, lose) => {
    const before = await prepare()
    lose()
    await withStore(async (store) => {
      expect(store.startEvents.map(({ code }) => code)).toContain('store/decisions-restored')
      expect(await decided(store)).toEqual(before)
      const stacks = await store.stacks.list({ limit: 100 })
      expect(stacks.map(({ spec, observed, checkedAt }) => [spec.name, observed, checkedAt])).toEqual(
        ['s0', 's1', 's2', 's3', 's5'].map((name) => [name, null, null]),
      )
      const waiting = (await store.runs.unfinished()).map((run) => stacks.find(({ id }) => id === run.stack)!.spec.name)
      expect(waiting.sort()).toEqual(['s0', 's1', 's3', 's5']) // not the cancelled one
    })
    await withStore((store) => Promise.resolve(expect(store.startEvents).toEqual([])))
  })
})

test('a start that finds nothing lost changes nothing', async () => {
  const before = await prepare()
  await withStore(async (store) => expect([store.startEvents, await decided(store)]).toEqual([[], before]))
})

test('a decision is in the file before the verb resolves, and one that failed is not', async () => {
  await withStore(async (store) => {
    await fill(store, 0, 2)
    const { id } = await stack(store, 's0')
    const size = (): number => readFileSync(log).length
    await store.stacks.change(id, { suspended })
    expect(readFileSync(log, 'utf8')).toContain('freeze')
    const before = size()
    await store.stacks.change(id, { checkedAt: 5, drifted: 1, failure: { ...cancelled, reason: 'FetchFailed' } })
    expect(size()).toBe(before)
    await expect(
      store.stacks.create((await stack(store, 's1')).spec, {
        managedBy: 'api',
        target: 't',
        cause: { kind: 'created' },
      }),
    ).rejects.toThrow()
    expect(size()).toBe(before)
  })
})

test('where decisions may be lost and there is no log, every stack is suspended with that reason', async () => {
  await prepare()
  rmSync(log)
  writeFileSync(file, 'not a database')
  await withStore(async (store) => {
    expect(store.startEvents.map(({ code }) => code)).toEqual(['store/repaired', 'store/decisions-lost'])
    const stacks = await store.stacks.list({ limit: 100 })
    expect(stacks.map(({ suspended: why }) => why?.reason)).toEqual(
      names(5).map(() => 'the database was repaired, and a veto, suspension, pin or cancelled run may be lost'),
    )
  })
})

const untrusted: Readonly<Record<string, { readonly harm: () => void; readonly news: readonly string[] }>> = {
  'is not as it was written': {
    harm: () => writeFileSync(log, readFileSync(log, 'utf8').replace('freeze', 'thawed')),
    news: ['store/decisions-lost'],
  },
  'is empty': { harm: () => writeFileSync(log, ''), news: ['store/decisions-lost'] },
  'is gone': { harm: () => rmSync(log), news: ['store/decisions-lost'] },
  'lost its last lines': {
    harm: () => writeFileSync(log, `${readFileSync(log, 'utf8').split('\n').slice(0, -4).join('\n')}\n`),
    news: [],
  },
  'is of another database': {
    harm: () => void new Database(file).exec("update recorded set database = 'another', seq = 1").close(),
    news: ['store/decisions-lost'],
  },
  'ends in a line that a crash cut off': {
    harm: () => appendFileSync(log, '0123456789ab [99,"stacks","[\\"x\\"]'),
    news: [],
  },
}

test.each(Object.entries(untrusted))(
  'a log that %s changes no decision in a whole database',
  async (_, { harm, news }) => {
    const before = await prepare()
    harm()
    const found = existsSync(log) ? [readFileSync(log, 'utf8')] : []
    await withStore(async (store) => {
      expect([store.startEvents.map(({ code }) => code), await decided(store)]).toEqual([news, before])
      const kept = readdirSync(directory).filter((name) => /^decisions\.jsonl\.\w+$/.test(name))
      expect(kept.map((name) => readFileSync(join(directory, name), 'utf8'))).toEqual(news.length > 0 ? found : [])
      const known = (await store.stacks.list({ limit: 100 })).map(({ checkedAt }) => checkedAt !== null)
      if (news.length > 0) expect(known).not.toContain(true) // and every stack reads its target again
    })
  },
)

test('a stack that only the log knows finds its resources by key', async () => {
  await withStore((store) => fill(store, 0, 3))
  writeFileSync(file, 'not a database')
  await withStore(async (store) => expect(await picture(store)).toMatchObject({ stacks: names(3), owning: 0 }))
})
