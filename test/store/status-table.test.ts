// Lists filter and sort in SQL by rows that follow the rules of src/status.
import Database from 'better-sqlite3'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UnreadableInput } from '../../src/model/resources/inputs.js'
import { revisionHashes } from '../../src/model/sources/revision.js'
import type { Phase, Run } from '../../src/model/stacks/run.js'
import {
  stackSorts,
  type LiveStatus,
  type StackFilter,
  type StackSort,
  type Failure,
  type Stack,
} from '../../src/model/stacks/stack.js'
import { sourceLocations, sourcePath, type SourceSpec } from '../../src/model/sources/source-spec.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { needsPerson, runPhase, stackHealth, syncState, type StatusInput } from '../../src/status/axes.js'
import { compareText } from '../../src/lib/text/compare-text.js'
import { stateOf, states as allStates, type State } from '../../src/status/status.js'
import { SqliteFile } from '../../src/store/sqlite/file/sqlite-file.js'
import { Leases } from '../../src/store/sqlite/runs/leases.js'
import { OwnedRows } from '../../src/store/sqlite/ownership/owned-rows.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { SqliteStacks } from '../../src/store/sqlite/stacks/sqlite-stacks.js'
import { keepStatusTable } from '../../src/store/sqlite/status/status-table.js'
import type { LiveStacks, StackTable, StoredStatus } from '../../src/store/stack-table.js'
import { ManualClock } from '../manual-clock.js'
import { Dice } from '../random/dice.js'
import { openNewStore } from '../new-data-directory.js'

const many = 300
const nothing: LiveStatus = {
  pollFailures: new Map(),
  inProgress: new Map(),
  blockers: new Map(),
  unreadableInputs: new Map(),
}
const several = ['main@sha1:aa,sha256:cc', 'odd@sha1:aa,sha256:cc', 'main@sha1:bb,sha256:cc', 'main@sha1:aa,sha256:dd']
const revisions = ['main@sha1:aa', 'odd@name@sha1:aa', 'sha1:aa', 'main@sha1:bb', '', ...several]
const failure = (reason: string, retry: Failure['retry']): Failure => ({ reason, code: 'x/y', message: 'no', retry })
const failures = [
  null,
  null,
  null,
  failure('Cancelled', 'change'),
  failure('FetchFailed', 'soon'),
  failure('Ambiguous', 'person'),
]
const healths: readonly Stack['unhealthy'][] = [null, null, null, { count: 2, first: [] }]
const ends: readonly (readonly [Phase, Run['outcome']])[] = [
  ['queued', null],
  ['applying', null],
  ['undoing', null],
  ['needs-approval', 'needs-approval'],
  ['needs-approval', 'superseded'],
  ['done', 'applied'],
  ['done', 'failed'],
]

let directory: string
let store: SqliteStore
let raw: Database.Database
let opened: SqliteFile | undefined
let lists: Pick<StackTable, 'select'>

/** A new database for all tests of the group, which only read it. `fill` writes what they read. */
function useRows(fill: () => void | Promise<void>): void {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'gitmoor-status-'))
    store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
    raw = new Database(join(directory, 'gitmoor.db'))
    raw.pragma('foreign_keys = ON')
    await fill()
  })
  afterAll(() => {
    opened?.close()
    opened = undefined
    raw.close()
    store[Symbol.dispose]()
    rmSync(directory, { recursive: true, force: true })
  })
}

/** Of several sources always with its states; of one also as version 1 wrote it, without. */
const seenOf = (revision: string | null, dice: Dice): string | null => {
  if (revision === null) return null
  const states = several.includes(revision) || dice.chance(50) ? { states: revisionHashes(revision) } : {}
  return JSON.stringify({ revision, content: '', ...states })
}
const textOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

/** Rows as nothing but this test would write them: every state of a column with every other. */
function populate(dice: Dice): void {
  raw.transaction(() => addAll(dice))()
  reopen()
}

/** Another connection, whose table is computed as it opens. */
function reopen(): void {
  opened?.close()
  opened = new SqliteFile(join(directory, 'gitmoor.db'), { keepDerived: keepStatusTable })
  lists = new SqliteStacks(opened, { owned: new OwnedRows(opened), leases: new Leases(opened) }, new ManualClock())
}

function sourcesOf(dice: Dice): readonly SourceSpec[] {
  const git = (): SourceSpec => ({
    kind: 'git',
    url: `https://git.example/${dice.pick(['a', 'b', 'c'])}`,
    ref: dice.pick(['main', 'beta']),
    path: dice.pick(['', 'a', 'ab', 'a/b', 'a/b/c']),
  })
  return dice.pick([[git()], [git(), git()], [{ kind: 'inline' }], [git(), { kind: 'directory', directory: '/a' }]])
}

function addAll(dice: Dice): void {
  const add = raw.prepare(
    `insert into stacks (id, name, target, spec, managed_by, created_at, suspended, pinned, observed, applied, checked_at,
       drifted, failure, unhealthy)
     values (?, ?, 'embedded/main', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (let at = 0; at < many; at++) {
    const name = `${dice.pick(['team', 'ops', 'data'])}-${dice.below(100_000)}-${at}`
    const labels = dice.pick([{}, { team: 'ops' }, { team: 'data', 'a.b/c': '' }])
    const spec = { name, ...stackDefaults, labels, target: dice.pick(['local', 'far']), sources: sourcesOf(dice) }
    const suspended = dice.pick([null, null, { reason: 'x', by: 'ann', until: null }])
    const pinned = dice.pick([null, null, { run: '1', revision: 'main@sha1:aa', by: 'ann', why: '' }])
    const states = [
      textOf(suspended),
      textOf(pinned),
      seenOf(dice.pick([null, ...revisions]), dice),
      seenOf(dice.pick([null, ...revisions]), dice),
    ]
    const checkedAt = dice.pick([null, 5])
    add.run(
      `id-${at}`,
      name,
      JSON.stringify(spec),
      dice.pick(['api', 'file']),
      dice.below(9),
      ...states,
      checkedAt,
      dice.pick([0, 0, 2]),
      textOf(dice.pick(failures)),
      textOf(dice.pick(healths)),
    )
    for (let runs = dice.below(4); runs > 0; runs--) addRun(dice, `id-${at}`)
  }
}

function addRun(dice: Dice, stack: string): void {
  const [phase, outcome] = dice.pick(ends)
  const revision = dice.pick(revisions)
  raw
    .prepare(
      `insert into runs (stack, revision, revision_hashes, cause, intent, phase, outcome, problems, created_at) values (?, ?, ?, '{}', 'sync', ?, ?, '[]', ?)`,
    )
    .run(stack, revision, revisionHashes(revision), phase, outcome, 1 + dice.below(5))
}

/** The same rows changed, runs of them ended and deleted, stacks deleted. */
function disturb(dice: Dice): void {
  raw.transaction(() => disturbAll(dice))()
  reopen()
}

function disturbAll(dice: Dice): void {
  for (let at = 0; at < many; at += 2) {
    const id = `id-${at}`
    raw
      .prepare('update stacks set failure = ?, drifted = ?, observed = ?, unhealthy = ? where id = ?')
      .run(
        textOf(dice.pick(failures)),
        dice.below(2),
        seenOf(dice.pick(revisions), dice),
        textOf(dice.pick(healths)),
        id,
      )
    const [phase, outcome] = dice.pick(ends)
    raw
      .prepare('update runs set phase = ?, outcome = ? where id = (select max(id) from runs where stack = ?)')
      .run(phase, outcome, id)
    if (at % 3 === 0) raw.prepare('delete from runs where id = (select max(id) from runs where stack = ?)').run(id)
    if (at % 5 === 0) addRun(dice, id)
    if (at % 7 === 0) raw.prepare('delete from stacks where id = ?').run(id)
  }
}

async function situations(fleeting: LiveStatus): Promise<readonly StatusInput[]> {
  const stacks = await store.stacks.list({ limit: 500 })
  const last = await store.runs.last(stacks.map(({ id }) => id))
  return stacks.map((stack) => ({
    stack,
    last: last.get(stack.id),
    inProgress: fleeting.inProgress.get(last.get(stack.id)?.id ?? ''),
    pollFailure: fleeting.pollFailures.get(stack.id),
    blockers: [],
    blockedMoves: [],
    unreadableInputs: fleeting.unreadableInputs.get(stack.id) ?? [],
  }))
}

const pollFailures = [
  failure('FetchFailed', 'soon'),
  failure('FetchFailed', 'change'),
  failure('ConfigurationMissing', 'change'),
]

const unreadableInput: UnreadableInput = { kind: 'secret', key: 'slack', why: 'It is not set.', fix: 'Set it' }

/** What the process might know of some of them. */
async function fleetingOf(dice: Dice): Promise<LiveStatus> {
  const all = await situations(nothing)
  const some = <T>(from: readonly T[]): readonly T[] => from.filter(() => dice.below(4) === 0)
  const unreachable = some(all).map(({ stack }) => [stack.id, dice.pick(pollFailures)] as const)
  const inHand = some(all.flatMap(({ last }) => last ?? [])).map(
    ({ id }) => [id, dice.pick<Phase>(['fetching', 'planning'])] as const,
  )
  const missing = some(all).map(({ stack }) => [stack.id, [unreadableInput]] as const)
  return {
    pollFailures: new Map(unreachable),
    inProgress: new Map(inHand),
    blockers: new Map(),
    unreadableInputs: new Map(missing),
  }
}

const states: readonly (readonly [
  string,
  readonly StackFilter[],
  (situation: StatusInput, filter: StackFilter) => boolean,
])[] = [
  [
    'sync',
    (['Synced', 'OutOfSync', 'Drifted', 'Unknown'] as const).map((sync) => ({ sync })),
    (situation, { sync }) => syncState(situation) === sync,
  ],
  [
    'health',
    (['Healthy', 'Progressing', 'Degraded', 'Missing', 'Unknown'] as const).map((health) => ({ health })),
    (situation, { health }) => stackHealth(situation) === health,
  ],
  [
    'phase',
    (['queued', 'fetching', 'planning', 'needs-approval', 'applying', 'undoing', 'done'] as const).map((phase) => ({
      phase,
    })),
    (situation, { phase }) => runPhase(situation) === phase,
  ],
  [
    'suspended',
    [{ suspended: true }, { suspended: false }],
    ({ stack }, { suspended }) => (stack.suspended !== null) === suspended,
  ],
  ['target', [{ target: 'local' }, { target: 'nowhere' }], ({ stack }, { target }) => stack.spec.target === target],
  ['managedBy', [{ managedBy: 'file' }], ({ stack }, { managedBy }) => stack.managedBy === managedBy],
  [
    'path',
    [{ path: 'a' }, { path: 'a/b' }, { path: '%' }],
    ({ stack }, { path }) => stack.spec.sources.some((one) => `${sourcePath(one)}/`.startsWith(`${path}/`)),
  ],
  [
    'the ref that it follows',
    [{ follows: { urls: ['https://git.example/b', 'https://git.example/c'], ref: 'beta' } }],
    ({ stack }) =>
      stack.spec.sources.some((one) => one.kind === 'git' && one.ref === 'beta' && !one.url.endsWith('/a')),
  ],
  ['name', [{ name: 'team-1' }, { name: '%' }], ({ stack }, { name }) => stack.spec.name.includes(name!)],
  [
    'selector',
    (['equals', 'differs'] as const).map((operator) => ({ selector: [{ operator, key: 'team', value: 'ops' }] })),
    ({ stack }, { selector }) => (stack.spec.labels['team'] === 'ops') === (selector![0]!.operator === 'equals'),
  ],
  [
    'existence',
    (['exists', 'absent'] as const).map((operator) => ({ selector: [{ operator, key: 'a.b/c' }] })),
    ({ stack }, { selector }) => 'a.b/c' in stack.spec.labels === (selector![0]!.operator === 'exists'),
  ],
  [
    'all that is given',
    [{ sync: 'OutOfSync', health: 'Degraded', suspended: false }],
    (situation) =>
      syncState(situation) === 'OutOfSync' &&
      stackHealth(situation) === 'Degraded' &&
      situation.stack.suspended === null,
  ],
]

const namesOf = (found: readonly { readonly stack: Stack }[]): readonly string[] =>
  found.map(({ stack }) => stack.spec.name)

describe.each([11, 12, 13])('over random rows, seed %i', (seed) => {
  let liveStatus: LiveStatus
  let all: readonly StatusInput[]
  useRows(async () => {
    const dice = new Dice(seed)
    populate(dice)
    disturb(dice)
    liveStatus = await fleetingOf(dice)
    all = await situations(liveStatus)
  })

  test.each(states)('a list by %s shows the stacks of which that is said', async (_, filters, isLike) => {
    for (const filter of filters) {
      const { found } = await lists.select({ limit: 500, filter, liveStatus })
      expect(namesOf(found)).toEqual(namesOf(all.filter((situation) => isLike(situation, filter))))
    }
  })
})

describe.each([21, 22, 23])('by what is stored and what the process knows, seed %i', (seed) => {
  let all: readonly StatusInput[]
  let listed: (stored: StoredStatus) => Promise<readonly StatusInput[]>
  useRows(async () => {
    const dice = new Dice(seed)
    populate(dice)
    disturb(dice)
    const liveStatus = await fleetingOf(dice)
    all = await situations(liveStatus)
    listed = async (stored) => {
      const { found } = await lists.select({ limit: 500, filter: {}, liveStatus, stored })
      const names = new Set(namesOf(found))
      return all.filter(({ stack }) => names.has(stack.spec.name))
    }
  })
  const live: LiveStacks = { stacks: [], exceptTargets: ['local', 'far'] }
  const certain = ({ inProgress, pollFailure, unreadableInputs }: StatusInput): boolean =>
    inProgress === undefined && pollFailure === undefined && unreadableInputs.length === 0

  /** Those of which the process knows something. */
  const liveStates = (): ReadonlyMap<string, State> =>
    new Map(all.filter((one) => !certain(one)).map((one) => [one.stack.id, stateOf(one)]))

  test.each(allStates)('a list shows the stacks that are %s', async (state) => {
    const found = await listed({ states: [state], liveStates: liveStates(), live })
    expect(found).toEqual(all.filter((situation) => stateOf(situation) === state))
  })

  test('a list by need begins with failed stacks, in the order of names', async () => {
    const rank = (one: StatusInput): number => allStates.indexOf(stateOf(one))
    const sorted = all.toSorted((a, b) => rank(a) - rank(b) || compareText(a.stack.spec.name, b.stack.spec.name))
    const found: string[] = []
    for (let after: string | null | undefined; after !== null;) {
      const stored = { liveStates: liveStates(), live }
      const query = { limit: 37, sort: '-needs', filter: {}, liveStatus: nothing, stored, counted: true } as const
      const page = await lists.select({ ...query, after })
      expect(page.total).toBe(all.length)
      found.push(...namesOf(page.found))
      after = page.next
    }
    expect(found).toEqual(namesOf(sorted))
  })

  test('a list leaves out no stack that needs a person, and few others', async () => {
    const found = await listed({ needsPerson: true, live })
    expect(all.filter((situation) => needsPerson(situation) && !found.includes(situation))).toEqual([])
    expect(found.filter(certain)).toEqual(all.filter((situation) => certain(situation) && needsPerson(situation)))
  })

  test('given stacks, and those of other targets and owners, may have any status', async () => {
    const none = { needsPerson: true } as const
    expect(await listed({ ...none, live: { ...live, exceptTargets: [] } })).toEqual(all)
    const given = all.find((one) => certain(one) && !needsPerson(one))!
    const named = await listed({ ...none, live: { ...live, stacks: [given.stack.id] } })
    expect(named.filter(certain)).toEqual(all.filter((one) => certain(one) && (one === given || needsPerson(one))))
    const found = await listed({ ...none, live: { ...live, exceptManagedBy: 'file' } })
    const isOther = (one: StatusInput): boolean => one.stack.managedBy === 'api' || needsPerson(one)
    expect(found.filter(certain)).toEqual(all.filter((one) => certain(one) && isOther(one)))
  })
})

const keyOf: Readonly<Record<string, (one: StatusInput) => number | string>> = {
  name: () => 0,
  createdAt: ({ stack }) => stack.createdAt,
  lastRun: ({ last }) => Number(last?.id ?? 0),
  lag: ({ behindSince }) => -(behindSince ?? Infinity),
  needs: (one) => -allStates.indexOf(stateOf(one)),
  target: ({ stack }) => stack.spec.target,
  package: ({ stack }) => sourceLocations(stack.spec),
}

function compareKeys(a: number | string, b: number | string): number {
  return typeof a === 'number' ? Math.sign(a - Number(b) || 0) : compareText(a, String(b))
}

async function pages(
  sort: StackSort,
  filter: StackFilter,
): Promise<readonly { readonly stack: Stack; readonly last: Run | undefined }[]> {
  const all: { readonly stack: Stack; readonly last: Run | undefined }[] = []
  for (let after: string | undefined; ;) {
    const page = await lists.select({
      limit: 7,
      filter,
      sort,
      liveStatus: nothing,
      ...(after === undefined ? {} : { after }),
    })
    all.push(...page.found)
    if (page.next === null) return all
    after = page.next
  }
}

describe('sorted rows', () => {
  useRows(() => populate(new Dice(5)))

  test.each(stackSorts)(
    'pages sorted by %s follow one another without a gap, and nothing comes twice',
    async (sort) => {
      const key = keyOf[sort.replace('-', '')]!
      const all = await lists.select({ limit: 500, filter: {}, liveStatus: nothing })
      const since = new Map(all.found.map((one) => [one.stack.id, one.behindSince]))
      expect(new Set(since.values()).size).toBeGreaterThan(3)
      const rows = (await situations(nothing)).map((one) => ({
        stack: one.stack,
        key: key({ ...one, behindSince: since.get(one.stack.id)! }),
      }))
      const way = sort.startsWith('-') ? -1 : 1
      const ties = sort === '-lag' || sort === '-needs' ? 1 : way
      const sorted = rows.toSorted(
        (a, b) => way * compareKeys(a.key, b.key) || ties * compareText(a.stack.spec.name, b.stack.spec.name),
      )
      const found = await pages(sort, { suspended: false })
      const expected = namesOf(sorted)
      const shown = new Set(
        (await situations(nothing)).filter(({ stack }) => stack.suspended === null).map(({ stack }) => stack.spec.name),
      )
      expect(namesOf(found)).toEqual(expected.filter((name) => shown.has(name)))
    },
  )

  test('the place of a list sorted otherwise is refused', async () => {
    const select = lists.select({ limit: 7, filter: {}, sort: 'lastRun', after: 'boards', liveStatus: nothing })
    await expect(select).rejects.toMatchObject({ status: 'usage', code: 'stacks/invalid-cursor' })
  })

  test('a list names the last run of each', async () => {
    const { found } = await lists.select({ limit: 500, filter: {}, liveStatus: nothing })
    const last = await store.runs.last(found.map(({ stack }) => stack.id))
    expect(found.map((one) => one.last)).toEqual(found.map(({ stack }) => last.get(stack.id)))
  })
})

describe('written rows', () => {
  useRows(() => void (lists = store.stacks))

  test('rows follow each change of a stack and of a run, in the same transaction', async () => {
    const listed = async (): Promise<readonly unknown[]> => {
      const items = await store.feed.statuses({ limit: 10 })
      const { found } = await lists.select({ limit: 10, filter: { phase: 'needs-approval' }, liveStatus: nothing })
      return [
        items.map(({ name, suspended, failing, needsApproval, unfinished }) => ({
          name,
          suspended,
          failing,
          needsApproval,
          unfinished,
        })),
        namesOf(found),
      ]
    }
    const spec = { ...stackDefaults, name: 'boards', sources: [{ kind: 'inline' as const }] }
    const { stack, run } = await store.stacks.create(spec, {
      managedBy: 'api',
      target: 'embedded/main',
      cause: { kind: 'created' },
    })
    const row = { name: 'boards', suspended: false, failing: false, needsApproval: false, unfinished: true }
    expect(await listed()).toEqual([[row], []])
    await store.runs.endQueued(run.id, { outcome: 'failed', failure: failure('Ambiguous', 'person') })
    expect(await listed()).toEqual([[{ ...row, failing: true, unfinished: false }], []])
    await store.stacks.change(stack.id, { failure: null, suspended: { reason: 'x', by: 'ann', until: null } })
    expect(await listed()).toEqual([[{ ...row, suspended: true, unfinished: false }], []])
    const next = await store.runs.add({ stack: stack.id, revision: 'main@sha1:aa', cause: { kind: 'commit' } })
    await store.runs.endQueued(next.id, { outcome: 'needs-approval', phase: 'needs-approval' })
    expect(await listed()).toEqual([[{ ...row, suspended: true, needsApproval: true, unfinished: false }], ['boards']])
    const [, before] = await listed()
    reopen()
    expect((await listed())[1]).toEqual(before)
    lists = store.stacks
    await store.stacks.delete(stack.id)
    expect(await listed()).toEqual([[], []])
  })
})

describe('many rows', () => {
  useRows(() => populate(new Dice(3)))

  test('a changed stack is updated without a scan of all stacks or of all runs', () => {
    const executed: string[] = []
    const database = new Database(join(directory, 'gitmoor.db'), { verbose: (sql) => executed.push(String(sql)) })
    try {
      const update = keepStatusTable(database)
      database.exec("update stacks set drifted = drifted + 1 where id = 'id-7'")
      executed.length = 0
      update()
      const selects = executed.filter((sql) => /^\s*select/.test(sql))
      const steps = selects.flatMap((sql) => database.prepare(`explain query plan ${sql}`).all()) as {
        detail: string
      }[]
      expect(selects.length).toBeGreaterThan(1)
      expect(steps.map(({ detail }) => detail).filter((detail) => /^SCAN (?!c$|changed_stacks)/.test(detail))).toEqual(
        [],
      )
    } finally {
      database.close()
    }
  })
})
