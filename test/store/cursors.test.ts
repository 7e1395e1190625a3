// Cursors are texts that the store made; it refuses all others.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'

let directory: string
let store: SqliteStore
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-cursors-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

const lists: Readonly<Record<string, (after: string) => Promise<unknown>>> = {
  'runs of a stack': (after) => store.runs.list('s', { limit: 1, after }),
  'runs of all stacks': (after) => store.runs.listOfStacks({ selector: [], limit: 1, after }),
  'moves of a channel': (after) => store.channels.moves('r', 'main', { limit: 1, after }),
  'decisions about a channel': (after) => store.channels.decisions('r', 'main', { limit: 1, after }),
  deliveries: (after) => store.deliveries.list(undefined, { limit: 1, after }),
  messages: (after) => store.messages.list(undefined, { limit: 1, after }),
  'changes of resources': (after) => store.ownership.newest('s', { limit: 1, after }),
}

test.each(Object.entries(lists))('a list of %s refuses a cursor of another list', async (_, list) => {
  for (const after of ['', 'x', '1.5', '-1', '1'.repeat(16), '1e3', 'Bucket/raw', ' 1'])
    await expect(list(after)).rejects.toMatchObject({ status: 'usage', code: 'stacks/invalid-cursor' })
})
