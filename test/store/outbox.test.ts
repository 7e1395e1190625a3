// What waits for a receiver is bounded: the oldest messages are dropped.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CommitStatus } from '../../src/model/agent/message.js'
import { messagesKept } from '../../src/store/sqlite/sqlite-messages.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'

let directory: string
let store: SqliteStore
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-outbox-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

const status = (at: number): CommitStatus => ({
  stack: `stack-${at}`,
  remote: 'https://git.example/team/boards',
  commit: 'a'.repeat(40),
  state: 'pending',
  description: 'Run 1 is queued.',
  run: '1',
})

function record(receiver: string, from: number, count: number): Promise<ReadonlyMap<string, number>> {
  const statuses = Array.from({ length: count }, (_, at) => ({ receiver, status: status(from + at) }))
  return store.messages.record({ reports: [], removed: [], transitions: [], statuses })
}

async function pendingOf(receiver: string): Promise<number> {
  return (await store.messages.pending()).find((one) => one.receiver === receiver)?.count ?? 0
}

test('1,000 messages wait for a receiver; of more, the oldest are dropped, and those of others stay', async () => {
  const { pending } = messagesKept
  expect(await record('host', 0, pending)).toEqual(new Map([['host', 0]]))
  expect(await record('other', 0, 3)).toEqual(new Map([['other', 0]]))
  expect(await record('host', pending, 5)).toEqual(new Map([['host', 5]]))
  expect(await pendingOf('host')).toBe(pending)
  expect(await pendingOf('other')).toBe(3)
  const next = await store.messages.next('host')
  expect(next!.commit!.stack).toBe('stack-5')
  const [oldest] = (await store.messages.list('host', { limit: 2_000 })).filter(({ state }) => state === 'dropped')
  expect(oldest!.commit!.stack).toBe('stack-4')
  expect(await store.messages.begin(oldest!.id)).toBeUndefined()
})
