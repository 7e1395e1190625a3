// Since when a stack is desired at its revision, and runs as they come.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'

let directory: string
let clock: ManualClock
let store: SqliteStore
let stack: string

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-feed-'))
  clock = new ManualClock(1_000)
  store = openNewStore(join(directory, 'gitmoor.db'), clock)
  stack = await make('boards')
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

async function make(name: string): Promise<string> {
  const sources = [{ kind: 'git' as const, url: 'https://git.example/boards', ref: 'main', path: '' }]
  const created = await store.stacks.create(
    { name, ...stackDefaults, sources },
    { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } },
  )
  return created.stack.id
}

const revision = (digit: number): string => `main@sha1:${String(digit).repeat(40)}`

/** Queues runs of these revisions, one each second from second 2 on. */
async function runs(...digits: readonly number[]): Promise<void> {
  for (const digit of digits) {
    clock.advance(1_000)
    await store.runs.add({ stack, revision: revision(digit), cause: { kind: 'commit' } })
  }
}

/** The stack is pinned to the revision, which no run applied. */
async function since(digit: number): Promise<number | null> {
  await store.stacks.change(stack, { pinned: { run: '1', revision: revision(digit), by: 'ann', why: '' } })
  return store.feed.behindSince(stack)
}

describe('the revision of a stack is desired', () => {
  const situations: Readonly<Record<string, { readonly runs: readonly number[]; readonly since: number | null }>> = {
    'never, where no run was for it': { runs: [1], since: null },
    'since its run was queued': { runs: [1, 2], since: 3_000 },
    'since the first of several runs that tried it': { runs: [1, 2, 2, 2], since: 3_000 },
    'since it came back, where it was tried before': { runs: [2, 1, 2, 2], since: 4_000 },
    'since no time that is of another revision': { runs: [2, 1], since: null },
  }
  test.each(Object.entries(situations))('%s', async (_, { runs: digits, since: expected }) => {
    await runs(...digits)
    expect(await since(2)).toBe(expected)
  })

  test('regardless of other stacks', async () => {
    await runs(2)
    const first = stack
    stack = await make('others')
    await runs(1, 2)
    expect(await since(2)).toBe(4_000)
    stack = first
    expect(await since(2)).toBe(2_000)
  })

  test('as the rows of all stacks show it', async () => {
    await runs(1, 2)
    await since(2)
    expect(await store.feed.statuses({ limit: 10 })).toMatchObject([{ stack, behindSince: 3_000, undeclared: false }])
  })
})

test('runs are read as they come, page by page, and again by their ids', async () => {
  await runs(1, 2, 3)
  const after = async (run: string, limit: number): Promise<readonly string[]> =>
    (await store.feed.after(run, limit)).map(({ id }) => id)
  expect(await store.feed.newest()).toBe('4')
  expect(await after('0', 3)).toEqual(['1', '2', '3'])
  expect(await after('3', 3)).toEqual(['4'])
  expect(await after('4', 3)).toEqual([])
  expect((await store.feed.many(['3', '1', '99'])).map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
    '1 superseded',
    '3 superseded',
  ])
  expect(await store.feed.many([])).toEqual([])
})

test('without a run there is no newest', async () => {
  await store.stacks.delete(stack)
  expect(await store.feed.newest()).toBe('0')
})
