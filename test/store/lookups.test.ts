// How the store finds things, and in what order it gives them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stackDefaults, type Stack } from '../../src/model/stack.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'

let directory: string
let store: SqliteStore

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-store-'))
  store = new SqliteStore(join(directory, 'gitmoor.db'), new ManualClock())
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

async function create(name: string): Promise<Stack> {
  const spec = { name, ...stackDefaults, sources: [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] } as const
  const { stack } = await store.stacks.create(spec, { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } })
  return stack
}

test('a stack is found by its name and by its id, which nobody else may have as a name', async () => {
  const first = await create('boards')
  expect((await store.stacks.get('boards'))?.id).toBe(first.id)
  expect((await store.stacks.get(first.id))?.spec.name).toBe('boards')
  await expect(create(first.id)).rejects.toMatchObject({ code: 'stacks/name-taken' })
  expect(await store.stacks.get('nobody')).toBeUndefined()
})

test('unfinished runs of all stacks come one stack after the other; those that ended do not', async () => {
  const stacks = [await create('one'), await create('two')]
  const [ended] = await store.runs.unfinished(stacks[0]!.id)
  await store.runs.finish(ended!.id, { outcome: 'failed' })
  const again = await store.runs.add({ stack: stacks[0]!.id, revision: '', cause: { kind: 'retry' } })
  const waiting = await store.runs.unfinished()
  expect(waiting.map((run) => run.stack)).toEqual(stacks.map(({ id }) => id).sort())
  expect(waiting.filter((run) => run.stack === stacks[0]!.id).map((run) => run.id)).toEqual([again.id])
})
