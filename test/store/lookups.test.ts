// How the store finds resources, and in what order it gives them.
import Database from 'better-sqlite3'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '../../src/model/address.js'
import type { Owned } from '../../src/model/resources/resource.js'
import type { LabelCondition, Stack } from '../../src/model/stacks/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { SqliteFile, type Compilable } from '../../src/store/sqlite/file/sqlite-file.js'
import { selectRunIds } from '../../src/store/sqlite/runs/runs-of-stacks.js'
import { keepStatusTable } from '../../src/store/sqlite/status/status-table.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { fill } from './filled-store.js'
import { openNewStore } from '../new-data-directory.js'

let directory: string
let store: SqliteStore

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-store-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

async function create(name: string, target = 'embedded/main'): Promise<Stack> {
  const spec = {
    name,
    ...stackDefaults,
    sources: [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }],
  } as const
  const { stack } = await store.stacks.create(spec, {
    managedBy: 'api',
    target,
    cause: { kind: 'created' },
  })
  return stack
}

test('a stack is found by its name and by its id, which no other stack may have as a name', async () => {
  const first = await create('boards')
  expect((await store.stacks.get('boards'))?.id).toBe(first.id)
  expect((await store.stacks.get(first.id))?.spec.name).toBe('boards')
  await expect(create(first.id)).rejects.toMatchObject({ code: 'stacks/name-taken' })
  expect(await store.stacks.get('nobody')).toBeUndefined()
})

test('a damaged plan has no approval reasons, and those of other runs are found', async () => {
  const message = 'The stack applies nothing without an approval.'
  const runs: string[] = []
  for (const name of ['one', 'two']) {
    const [queued] = await store.runs.unfinished((await create(name)).id)
    const { id, lease } = await store.runs.takeLease(queued!)
    const needsApproval = [{ rule: 'approval', message }] as const
    const plan = { stack: name, target: '', revision: '', changes: [], unchanged: 0, needsApproval, digest: name }
    await store.runs.finish(lease, { outcome: 'needs-approval', plan })
    runs.push(id)
  }
  const database = new Database(join(directory, 'gitmoor.db'))
  database
    .prepare('update plans set body = ? where digest = (select plan from runs where id = ?)')
    .run(Buffer.from('x'), runs[0])
  database.close()
  const found = await store.runs.approvalReasons(runs)
  expect(found.get(runs[0]!)).toEqual([])
  expect(found.get(runs[1]!)).toMatchObject([{ message }])
})

test('unfinished runs of all stacks come one stack after the other; those that ended do not', async () => {
  const stacks = [await create('one'), await create('two')]
  const [ended] = await store.runs.unfinished(stacks[0]!.id)
  await store.runs.endQueued(ended!.id, { outcome: 'failed' })
  const again = await store.runs.add({ stack: stacks[0]!.id, revision: '', cause: { kind: 'retry' } })
  const waiting = await store.runs.unfinished()
  expect(waiting.map((run) => run.stack)).toEqual(stacks.map(({ id }) => id).sort())
  expect(waiting.filter((run) => run.stack === stacks[0]!.id).map((run) => run.id)).toEqual([again.id])
})

test('unfinished runs of some stacks are those of these alone, however many they are', async () => {
  const stacks = [await create('one'), await create('two'), await create('three')]
  const nowhere = Array.from({ length: 1_000 }, (_, n) => `nowhere-${n}`)
  const found = await store.runs.unfinished(stacks[0]!.id, ...nowhere, stacks[2]!.id)
  expect(found.map((run) => run.stack).sort()).toEqual([stacks[0]!.id, stacks[2]!.id].sort())
})

test('stacks are found by many ids at once, in pages; unknown ids are ignored', async () => {
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push((await create(`s${n}`)).id)
  const nowhere = Array.from({ length: 1_000 }, (_, n) => `nowhere-${n}`)
  const found = await store.stacks.many([ids[0]!, ...nowhere, ids[2]!])
  expect(found.map(({ spec }) => spec.name)).toEqual(['s0', 's2'])
  expect(await store.stacks.many([])).toEqual([])
})

test('a plan that two runs have is kept once, is read with its run and not with a list, and goes with the last of them', async () => {
  const { id } = await create('boards')
  const plan = {
    stack: id,
    target: 'embedded/main',
    revision: 'main@sha1:1',
    changes: [],
    unchanged: 1,
    needsApproval: [],
    digest: 'd',
  }
  const counts = { create: 0, update: 0, remove: 0, unchanged: 1 }
  const runs: string[] = []
  for (let n = 0; n < 2; n++) {
    const run = await store.runs.add({ stack: id, revision: 'main@sha1:1', cause: { kind: 'retry' } })
    await store.runs.savePlan((await store.runs.takeLease(run)).lease, plan, counts)
    await store.runs.finish((await store.runs.takeLease(run)).lease, { outcome: 'failed' })
    runs.push(run.id)
  }
  expect((await store.runs.list(id, { limit: 2 })).map((run) => run.plan)).toEqual([null, null])
  expect(kept()).toBe(1)
  await store.files.prune({ runsKept: 1, revisionsKept: 1 })
  expect((await store.runs.get(runs[1]!))?.plan).toEqual(plan)
  await store.runs.add({ stack: id, revision: 'main@sha1:1', cause: { kind: 'retry' } })
  await store.files.prune({ runsKept: 0, revisionsKept: 1 })
  expect(kept()).toBe(0)
})

test('a plan is read as it was kept: with many changes, with long ones, with line ends in them, without any', async () => {
  const { id } = await create('boards')
  const counts = { create: 0, update: 0, remove: 0, unchanged: 1 }
  for (const texts of [
    [],
    ['a\nb,\n]}'],
    Array.from({ length: 3_000 }, (_, n) => `text ${n}`),
    ['x'.repeat(200_000), ',', ''],
  ]) {
    const changes = texts.map((text, n) => ({
      address: `Label/${n}` as never,
      kind: 'Label',
      action: 'create' as const,
      fields: [{ path: 'description', new: text }],
      reason: 'added' as const,
      needs: [],
      after: [],
    }))
    const plan = {
      stack: id,
      target: 'embedded/main',
      revision: 'main@sha1:1',
      changes,
      unchanged: 1,
      needsApproval: [],
      digest: 'd',
    }
    const run = await store.runs.add({ stack: id, revision: 'main@sha1:1', cause: { kind: 'retry' } })
    const { lease } = await store.runs.takeLease(run)
    await store.runs.savePlan(lease, plan, counts)
    await store.runs.requeue(lease)
    expect((await store.runs.get(run.id))?.plan).toEqual(plan)
  }
})

function kept(): number {
  const database = new Database(join(directory, 'gitmoor.db'), { readonly: true })
  try {
    return database.prepare('select count(*) from plans').pluck().get() as number
  } finally {
    database.close()
  }
}

test('resources at an address are found among many stacks, each once', async () => {
  await fill(store, 0, 503)
  const last = (await store.stacks.list({ limit: 10, after: 's98' })).at(-1)!.spec.name
  const address = `Bucket/b${last.slice(1)}` as Address
  expect(await store.ownership.at(address, 20)).toEqual([
    { stack: last, target: 'local', identity: expect.any(String) as string },
  ])
  expect(await store.ownership.at('Bucket/nowhere' as Address, 20)).toEqual([])
})

describe('runs of several stacks', () => {
  const labelled = async (name: string, labels: Readonly<Record<string, string>>): Promise<Stack> => {
    const { id } = await create(name)
    const { spec } = (await store.stacks.get(id))!
    await store.stacks.change(id, { spec: { ...spec, labels } })
    return (await store.stacks.get(id))!
  }
  const ops = [{ operator: 'equals', key: 'team', value: 'ops' }] as const

  /** `one` and `two` of the team, `other`; each with its first run and two more, by turns. */
  const fillRuns = async (): Promise<void> => {
    const stacks = [
      await labelled('one', { team: 'ops' }),
      await labelled('other', {}),
      await labelled('two', { team: 'ops' }),
    ]
    for (let n = 0; n < 2; n++)
      for (const { id } of stacks)
        await store.runs.add({ stack: id, revision: 'main@sha1:1', cause: { kind: 'retry' } })
  }

  test('are listed newest first, with the names of their stacks, in pages', async () => {
    await fillRuns()
    const all = await store.runs.listOfStacks({ selector: [], limit: 4 })
    expect(all.map(({ run, stackName }) => [run.id, stackName])).toEqual([
      ['9', 'two'],
      ['8', 'other'],
      ['7', 'one'],
      ['6', 'two'],
    ])
    const rest = await store.runs.listOfStacks({ selector: [], limit: 9, after: '6' })
    expect(rest.map(({ run }) => run.id)).toEqual(['5', '4', '3', '2', '1'])
    expect(await store.runs.listOfStacks({ selector: [], limit: 9, after: '1' })).toEqual([])
  })

  test('are those of the stacks with the labels', async () => {
    await fillRuns()
    const some = await store.runs.listOfStacks({ selector: ops, limit: 3 })
    expect(some.map(({ run, stackName }) => [run.id, stackName])).toEqual([
      ['9', 'two'],
      ['7', 'one'],
      ['6', 'two'],
    ])
    const rest = await store.runs.listOfStacks({ selector: ops, limit: 9, after: '6' })
    expect(rest.map(({ run }) => run.id)).toEqual(['4', '3', '1'])
    expect(await store.runs.listOfStacks({ selector: ops, managedBy: 'file', limit: 9 })).toEqual([])
    expect(await store.runs.listOfStacks({ selector: ops, managedBy: 'api', limit: 9 })).toHaveLength(6)
    const absent = [{ operator: 'absent', key: 'team' }] as const
    expect((await store.runs.listOfStacks({ selector: absent, limit: 9 })).map(({ run }) => run.id)).toEqual([
      '8',
      '5',
      '2',
    ])
  })

  test.each([
    ['all stacks', [], ['SEARCH runs USING INTEGER PRIMARY KEY (rowid<?)']],
    ['some stacks', ops, ['SEARCH runs USING COVERING INDEX runs_of_stack (stack=? AND id<?)']],
  ])('of %s are found by an index', (_, selector, steps) => {
    expect(queryPlan(selector)).toEqual(expect.arrayContaining(steps))
  })
})

/** The steps of the query for a page of ids. */
function queryPlan(selector: readonly LabelCondition[]): readonly string[] {
  const database = new Database(join(directory, 'gitmoor.db'))
  const file = new SqliteFile(':memory:')
  const steps: string[] = []
  const all = (query: Compilable<unknown>): never[] => {
    const { sql, parameters } = query.compile(file.build)
    const rows = database.prepare(`explain query plan ${sql}`).all(...parameters) as { readonly detail: string }[]
    steps.push(...rows.map(({ detail }) => detail))
    return []
  }
  try {
    keepStatusTable(database)
    selectRunIds({ all } as unknown as SqliteFile, { selector, limit: 100 })
  } finally {
    file.close()
    database.close()
  }
  return steps
}

test('an event lists the families that the platform of its stack lists, whatever other platforms leave out', async () => {
  const families = new Map([
    ['vault', { associated: [], unlisted: ['Label'] }],
    ['lamps', { associated: ['Label'], unlisted: [] }],
  ])
  store[Symbol.dispose]()
  const file = join(directory, 'platforms.db')
  store = openNewStore(file, new ManualClock(), { eventFamilies: families })
  const own = [
    { address: 'Label/red', kind: 'Label', identity: '00aa', applied: {}, needs: [], adopted: false },
    { address: 'Lamp/door', kind: 'Lamp', identity: '00bb', applied: {}, needs: ['Label/red'], adopted: false },
  ] as unknown as readonly Owned[]
  const listed = async (target: string): Promise<unknown> => {
    const { id } = await create(target.replace('/', '-'), target)
    await store.stacks.changeOwnership({ stack: id, cause: { kind: 'created' }, own })
    const event = (await store.runs.events(id, 10)).at(-1)!
    return event.resources.map(({ templateMetaName, associations }) => [templateMetaName, associations.length])
  }
  expect(await listed('lamps/hall')).toEqual([
    ['red', 0],
    ['door', 1],
  ])
  expect(await listed('vault/hall')).toEqual([['door', 0]])
  expect(await listed('unknown/hall')).toEqual([
    ['red', 0],
    ['door', 0],
  ])
})
