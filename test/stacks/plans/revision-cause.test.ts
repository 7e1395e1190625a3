// The decision that moves a stack to a revision is searched among its newest runs, a few at a time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Cause } from '../../../src/model/stacks/run.js'
import type { Stack } from '../../../src/model/stacks/stack.js'
import { stackDefaults } from '../../../src/settings/stack-settings.js'
import { revisionCause } from '../../../src/stacks/plans/revision-cause.js'
import type { SqliteStore } from '../../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../../manual-clock.js'
import { openNewStore } from '../../new-data-directory.js'

const decided = 'stable@sha1:1'
const applied = { revision: 'stable@sha1:2', content: 'c', place: 'p', files: 'f', run: '1' } as const
const rollback: Cause = { kind: 'person', decision: 'rollback' }
const retry: Cause = { kind: 'retry' }

let directory: string
let store: SqliteStore
let stack: Stack

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-cause-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
  const sources = [{ kind: 'git', url: 'https://example.com/x', ref: 'stable', path: '' }] as const
  const made = { managedBy: 'api', target: 't', cause: { kind: 'created' } } as const
  stack = (await store.stacks.create({ name: 'boards', ...stackDefaults, sources }, made)).stack
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

async function ended(cause: Cause, outcome: 'applied' | 'failed'): Promise<void> {
  const { id } = await store.runs.add({ stack: stack.id, revision: decided, cause })
  await store.runs.endQueued(id, { outcome })
}

/** What is found, and how many runs were read for it. */
async function search(): Promise<{ readonly decision: string | undefined; readonly read: number }> {
  let read = 0
  const runs = Object.assign(Object.create(store.runs) as typeof store.runs, {
    list: async (...given: Parameters<typeof store.runs.list>) => {
      const found = await store.runs.list(...given)
      read += found.length
      return found
    },
  })
  const moved = { ...stack, applied: applied as unknown as Stack['applied'] }
  const cause = await revisionCause(moved, { revision: decided, files: [] }, { runs, files: store.files })
  return { decision: cause.decision, read }
}

test('after an applied run, only the newest runs are read', async () => {
  await ended(rollback, 'failed')
  for (let at = 0; at < 10; at++) await ended(retry, 'failed')
  await ended(retry, 'applied')
  await store.runs.add({ stack: stack.id, revision: decided, cause: retry })
  expect(await search()).toEqual({ decision: undefined, read: 3 })
})

test('a decision before several failed runs is found', async () => {
  await ended(retry, 'applied')
  await ended(rollback, 'failed')
  for (let at = 0; at < 10; at++) await ended(retry, 'failed')
  expect((await search()).decision).toBe('rollback')
})

test('a decision before more failed runs than are searched is not found', async () => {
  await ended(rollback, 'failed')
  for (let at = 0; at < 30; at++) await ended(retry, 'failed')
  expect(await search()).toEqual({ decision: undefined, read: 21 })
})
