// The ways in which a stack is not synced: `stack list`, `explain`, `doctor` and `history` each print what happened,
// where, and what to type next.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/api/server/server.js'
import { releaseAtOnce } from '../../src/channel/channel-policy.js'
import type { SyncWindow } from '../../src/model/stacks/stack.js'
import { sampleToken, serveAgent } from '../api/request-api.js'
import { answering, unreachable } from '../memory-git.js'
import type { AnyRepository } from '../memory-repository.js'
import { bucket, label, yaml } from '../influxdb/packages.js'
import { refusal } from './refusal.js'
import { typeHere } from './type-here.js'
import { until } from './until.js'
import { never, useServedWorld, useWorld, type World } from '../influxdb/world.js'

interface Way {
  /** Makes the stack `boards`, and what keeps it from being synced. */
  readonly make: () => Promise<unknown>
  readonly state: string
  readonly reason: string
  /** What happened and where, in the words of all four commands. */
  readonly what: () => string | RegExp
  /** What `explain`, `doctor` and `history` say to do next. */
  readonly next: string | RegExp
  /** What `stack list` says to type next. */
  readonly command: string | RegExp
  /** Another blocker, which `stack list` marks and `explain` lists. */
  readonly also?: { readonly reason: string; readonly what: string }
  /** In place of `what` and `next`, for the doctor. */
  readonly doctor?: readonly (string | RegExp)[]
}

let served: RunningServer | undefined

afterEach(async () => {
  await served?.close()
  served = undefined
})

async function typed(world: World<unknown, AnyRepository>, line: string): Promise<string> {
  served ??= await serveAgent(world.call)
  const env = { GITMOOR_URL: served.url, GITMOOR_TOKEN: sampleToken }
  return (await typeHere(line.split(' '), { cwd: world.root, env })).stdout
}

function expectEach(text: string, expected: readonly (string | RegExp)[]): void {
  for (const one of expected)
    expect(text).toEqual(typeof one === 'string' ? expect.stringContaining(one) : expect.stringMatching(one))
}

async function expectShown(world: World<unknown, AnyRepository>, way: Way): Promise<void> {
  await way.make()
  const { state, reason, next, command, also } = way
  const what = way.what()
  const marks = also === undefined ? reason : `${reason}, ${also.reason}`
  const heading = reason === '-' ? state : `${state} (${marks})`
  const list = await typed(world, 'stack list')
  const row = list.split('\n').find((line) => line.startsWith('boards '))!
  expect(row.split(/ {2,}/).slice(0, 3)).toEqual(['boards', state, marks])
  expectEach(row, [what, command])
  const explained = await typed(world, 'explain boards')
  expectEach(explained, [heading, what, next, also?.what ?? ''])
  expectEach(explained.split('\n').slice(0, 3).join('\n'), [`boards: ${heading}`, what, '  next: '])
  expectEach(await typed(world, 'history boards'), [`Now: ${heading}`, what, next])
  const doctor = (await typed(world, 'doctor')).split('\n')
  const own = doctor.findIndex((line) => line.includes('stack boards: '))
  const shared = doctor.findIndex((line) => line.endsWith('affects 1 stack: boards'))
  const at = own < 0 ? shared - 1 : own
  expectEach(doctor.slice(at, at + 4).join('\n'), way.doctor ?? [what, next])
}

describe('a stack that is not synced because of', () => {
  const world = useWorld()
  const because = { why: 'the chart is wrong', by: 'ann' }
  const windows: readonly SyncWindow[] = [
    { kind: 'deny', schedule: '0 0 * * *', durationMs: 18_000_000, reason: 'night' },
  ]

  const create =
    (files: Readonly<Record<string, string>>, changed: Parameters<World['spec']>[1] = {}) =>
    async () => {
      await world().repository.commit({ files })
      await world().create('boards', { path: 'dash', ...changed })
    }

  /** Creates a stack whose first run does not begin. */
  async function createBlocked(name: string, changed: Parameters<World['spec']>[1]): Promise<void> {
    await world().ask.createStack(world().spec(name, changed), 'ann')
    await until(`${name} is blocked`, async () => (await world().ask.explainStack(name)).blockers.length > 0)
  }

  /** Follows the tag `stable`. Gives its commit. */
  async function follow(): Promise<string> {
    const commit = await world().push(label('one'), 'stable')
    await world().create('boards', { ref: 'stable', dataLoss: 'allow' })
    return commit
  }

  const buckets = bucket('raw').replace('spec:\n', 'spec:\n  description: a\n')
  const inFailure = { state: 'Failed', reason: 'PackageInvalid', command: 'gitmoor explain boards' }

  const ways: Readonly<Record<string, Way>> = {
    'a typo in YAML': {
      ...inFailure,
      make: create({ 'dash/a.yml': `${label('red')}  color: [1` }),
      what: () => /dash\/a\.yml:\d+:10 cannot be read: the bracket \[ here is not closed\./,
      next: 'Add the missing ] at its end.',
    },
    'a duplicate key': {
      ...inFailure,
      make: create({ 'dash/a.yml': `${buckets}  description: b\n` }),
      what: () => 'dash/a.yml:8:3 cannot be read: duplicate key "description", first at dash/a.yml:6.',
      next: 'Remove one of the two.',
    },
    'an unknown kind': {
      ...inFailure,
      make: create({ 'dash/a.yml': bucket('raw').replace('kind: Bucket', 'kind: Buckett') }),
      what: () => 'dash/a.yml:2: There is no kind "Buckett".',
      next: 'Did you mean "Bucket"?',
    },
    'a duplicate name': {
      ...inFailure,
      make: create({ 'dash/a.yml': bucket('raw'), 'dash/b/c.yml': yaml(label('red'), bucket('raw')) }),
      what: () => /dash\/b\/c\.yml:\d+: Bucket\/raw is declared twice; the first is at dash\/a\.yml:1\./,
      next: 'Give one of them another metadata.name.',
    },
    'a missing path': {
      make: create({ 'other/a.yml': bucket('raw') }),
      state: 'Failed',
      reason: 'FetchFailed',
      what: () => /There is nothing at dash in commit [0-9a-f]{7} of https:\/\/git\.example/,
      next: 'Did you mean "other"? Use it: gitmoor stack set boards --path other',
      command: 'gitmoor stack set boards --path other',
    },
    'a server that refuses the credentials': {
      make: async () => {
        await follow()
        world().server.intercept(answering(401))
        await refusal(world().ask.requestSync('boards', 'ann', never))
      },
      state: 'Failed',
      reason: 'FetchFailed',
      what: () => /https:\/\/git\.example\/repository\.git .*401/,
      next: /credential[^]*gitmoor sync boards/,
      command: 'gitmoor explain boards',
    },
    'a server that is away': {
      make: async () => {
        await follow()
        world().server.intercept(unreachable)
        await refusal(world().ask.requestSync('boards', 'ann', never))
      },
      state: 'Failed',
      reason: 'FetchFailed',
      what: () => /git\.example.*refused/,
      next: /retries [^]*gitmoor sync boards/,
      command: 'gitmoor',
    },
    'a deleted ref, after a failed run': {
      make: async () => {
        const commit = await world().push(label('red').replace('kind: Label', 'kind: Labell'), 'stable')
        await world().repository.tag('other', commit)
        await world().create('boards', { ref: 'stable' })
        await world().repository.remove('refs/tags/stable')
        await refusal(world().ask.requestSync('boards', 'ann', never))
      },
      state: 'Failed',
      reason: 'FetchFailed',
      what: () => /In https:\/\/git\.example\/repository\.git there is no branch or tag "stable"\./,
      also: { reason: 'PackageInvalid', what: 'package.yml:2: There is no kind "Labell".' },
      next: 'Or follow another ref: gitmoor stack set boards --ref REF',
      command: 'gitmoor explain boards',
    },
    'a missing directory, after a failed run': {
      make: async () => {
        const directory = join(world().root, 'work', 'boards')
        mkdirSync(directory, { recursive: true })
        writeFileSync(join(directory, 'package.yml'), label('red').replace('kind: Label', 'kind: Labell'))
        await world().create('boards', { sources: [{ kind: 'directory', directory }] })
        rmSync(directory, { recursive: true })
        await refusal(world().ask.requestSync('boards', 'ann', never))
      },
      state: 'Failed',
      reason: 'FetchFailed',
      what: () => /The directory \S+\/boards does not exist\./,
      also: { reason: 'PackageInvalid', what: 'package.yml:2: There is no kind "Labell".' },
      next: 'Restore the directory. Until then, applied resources stay as they are.',
      command: 'gitmoor explain boards',
    },
    'a target that is gone from the configuration': {
      make: async () => {
        await world().push(bucket('raw'))
        await world().create('boards', { target: 'other' })
        await world().restart({ targets: ['local'] })
      },
      state: 'Failed',
      reason: 'TargetMissing',
      what: () => 'Target other is not declared in the configuration file.',
      next: 'gitmoor stack delete boards',
      command: 'gitmoor explain boards',
    },
    'a target that is gone, after a failed run': {
      make: async () => {
        await world().push(bucket('raw').replace('kind: Bucket', 'kind: Buckett'))
        await world().create('boards', { target: 'other' })
        await world().restart({ targets: ['local'] })
      },
      state: 'Failed',
      reason: 'TargetMissing',
      what: () => 'Target other is not declared in the configuration file.',
      also: { reason: 'PackageInvalid', what: 'package.yml:2: There is no kind "Buckett".' },
      next: 'gitmoor stack delete boards',
      command: 'gitmoor explain boards',
    },
    'a suspension': {
      make: async () => {
        await create({ 'dash/a.yml': label('red') })()
        await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
      },
      state: 'Suspended',
      reason: '-',
      what: () => 'Suspended by ann: lunch.',
      next: 'gitmoor resume boards',
      command: 'gitmoor resume boards',
    },
    'a plan that needs approval': {
      make: create({ 'dash/a.yml': label('red') }, { apply: 'approval' }),
      state: 'Needs approval',
      reason: '-',
      what: () => 'The plan needs approval',
      next: /gitmoor plan boards[^]*gitmoor approve boards [0-9a-f]{12}/,
      command: 'gitmoor plan boards',
    },
    'a closed window': {
      make: async () => {
        world().clock.advance(3_600_000)
        await world().repository.commit({ files: { 'dash/a.yml': label('red') } })
        await createBlocked('boards', { path: 'dash', windows })
      },
      state: 'Waiting',
      reason: 'Window',
      what: () => 'A sync window denies writes until 2026-01-01 05:00:00Z: night.',
      next: /Wait until 2026-01-01 05:00:00Z[^]*Or override it: gitmoor sync boards --override-window --why "REASON"/,
      command: 'gitmoor explain boards',
    },
    'a dependency that is not ready yet': {
      make: async () => {
        world().clock.advance(3_600_000)
        await world().repository.commit({ files: { 'dash/a.yml': label('red') } })
        await createBlocked('base', { path: 'dash', windows })
        await createBlocked('boards', { path: 'dash', dependsOn: ['base'] })
      },
      state: 'Waiting',
      reason: 'Dependencies',
      what: () =>
        'It waits for base, which is not ready yet (Waiting): A sync window denies writes until 2026-01-01 05',
      next: /See why: gitmoor explain base[^]*Sync anyway: gitmoor sync boards/,
      command: 'gitmoor explain base',
      doctor: [
        /^warning .*It waits for base, which is not ready yet \(Waiting\): A sync window denies writes until 2026-01-01 05/,
        'Or sync anyway: gitmoor sync boards',
      ],
    },
    'a dependency that will not be ready': {
      make: async () => {
        await world().repository.commit({ files: { 'dash/a.yml': label('red') } })
        await world().create('first', { path: 'nowhere' })
        await createBlocked('base', { path: 'dash', dependsOn: ['first'] })
        await createBlocked('boards', { path: 'dash', dependsOn: ['base'] })
      },
      state: 'Waiting',
      reason: 'Dependencies',
      what: () => 'It waits for base. first will not become ready by itself (Failed): There is nothing at nowhere',
      next: /See why: gitmoor explain first[^]*Sync anyway: gitmoor sync boards/,
      command: 'gitmoor explain first',
      doctor: [
        /^problem .*It waits for base\. first will not become ready by itself \(Failed\): There is nothing at nowhere/,
        'gitmoor stack set first --path dash',
        'Or sync anyway: gitmoor sync boards',
      ],
    },
    'a move that the policy refuses': {
      make: async () => {
        world().agent.setChannelPolicies([{ ...releaseAtOnce, moves: 'forward-only' }])
        const first = await follow()
        await world().push(label('two'), 'stable')
        await world().sync('boards')
        await world().repository.tag('stable', first)
        await world().sync('boards')
      },
      state: 'Behind',
      reason: 'MoveRefused',
      what: () => /Move \d+ of stable to [0-9a-f]{7} is refused: .*\(moves: forward-only\)\./,
      next: /gitmoor channel log \S+#stable[^]*Move the ref to a descendant of the released commit/,
      command: /gitmoor channel log \S+#stable/,
    },
    'a veto': {
      make: async () => {
        await follow()
        await world().push(label('two'), 'stable')
        await world().sync('boards')
        const { newest } = (await world().ask.listChannels({})).items[0]!
        const { lastRun } = await world().ask.getStack('boards')
        await world().ask.vetoMove(newest!.id, because)
        await world().runAfter('boards', lastRun!.id)
      },
      state: 'Behind',
      reason: 'MoveVetoed',
      what: () => /Move \d+ of stable to [0-9a-f]{7} was vetoed by ann: the chart is wrong\./,
      next: /next: Move stable to another commit: its .* veto[^]*Or release .*: gitmoor channel approve \d+ --why "REASON"/,
      command: 'gitmoor explain boards',
    },
    'a veto of the only release': {
      make: async () => {
        await follow()
        const { newest } = (await world().ask.listChannels({})).items[0]!
        await world().ask.vetoMove(newest!.id, because)
        await world().ask.updateStack('boards', { values: { region: 'eu' } }, 'ann')
      },
      state: 'Behind',
      reason: 'MoveVetoed',
      what: () => /Move \d+ of stable to [0-9a-f]{7} was vetoed by ann: the chart is wrong\./,
      next: /next: Move stable to another commit: its .* veto[^]*Or release .*: gitmoor channel approve \d+ --why "REASON"/,
      command: 'gitmoor explain boards',
    },
    'a pin of its channel': {
      make: async () => {
        await follow()
        await world().ask.pinChannel('stable', because, never)
        await world().push(label('two'), 'stable')
        await world().sync('boards')
      },
      state: 'Pinned',
      reason: 'ChannelPinned',
      what: () => /The channel stable is pinned at [0-9a-f]{7} by ann: the chart is wrong\./,
      next: /gitmoor channel unpin \S+#stable/,
      command: /gitmoor channel unpin \S+#stable/,
    },
    'a rollback': {
      make: async () => {
        await follow()
        const { lastRun } = await world().ask.getStack('boards')
        await world().push(label('two'), 'stable')
        await world().sync('boards')
        await world().ended('boards', (await world().ask.rollBack('boards', lastRun!.id, 'bad charts', 'ann')).id)
      },
      state: 'Pinned',
      reason: '-',
      what: () => /Pinned at stable@[0-9a-f]{7} \(run \d+\) by ann: bad charts\./,
      next: 'gitmoor unpin boards',
      command: 'gitmoor unpin boards',
    },
  }

  test.each(Object.entries(ways))('%s is shown by all four commands', (_, way) => expectShown(world(), way))

  test.each([
    ['a veto', 'a warning', 'warning'],
    ['a pin of its channel', 'no warning', 'ok'],
    ['a rollback', 'no warning', 'ok'],
  ])('%s is %s of the doctor', async (way, _, state) => {
    await ways[way]!.make()
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'stack boards')).toMatchObject({ state })
  })

  test('several of them is marked with all their reasons', async () => {
    await ways['a veto']!.make()
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    const row = (await typed(world(), 'stack list')).split('\n')[1]!
    expect(row.split(/ {2,}/).slice(0, 3)).toEqual(['boards', 'Suspended', 'Suspended, MoveVetoed'])
  })
})

describe('a ref that the remote does not have', () => {
  const world = useServedWorld()

  test('is shown by all four commands, with the ref that was probably meant', () =>
    expectShown(world(), {
      make: async () => {
        await world().push(label('red'), 'stable')
        await world().create('boards', { ref: 'stabel' })
      },
      state: 'Failed',
      reason: 'FetchFailed',
      what: () => `In ${world().url} there is no branch or tag "stabel".`,
      next: /Did you mean "stable"\? Follow it: gitmoor stack set boards --ref stable$/m,
      command: 'gitmoor stack set boards --ref stable',
    }))
})

describe('closed windows that block nothing', () => {
  const world = useWorld()

  test('are counted by the doctor, with the time when the next one opens', async () => {
    const windows: readonly SyncWindow[] = [{ kind: 'deny', schedule: '0 1 * * *', durationMs: 3_600_000 }]
    await world().push(label('red'))
    await world().create('boards', { windows })
    world().clock.advance(5_400_000)
    const { checks, worst } = await world().ask.diagnose(never)
    expect(worst).toBe('ok')
    expect(checks.find(({ name }) => name === 'windows')).toEqual({
      name: 'windows',
      state: 'ok',
      message:
        '1 stack is closed for automatic syncs now, and nothing waits; the next opens at 2026-01-01 02:00:00Z (boards)',
      next: 'See its windows: gitmoor explain boards',
    })
  })
})
