// What may go wrong around a stack: each message says what, where and what next; nothing is lost, nothing half-done,
// and it goes on when the fault is gone.
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { requestedApartMs } from '../../src/agent/poll/poll-requests.js'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import type { StatusView } from '../../src/views/status.js'
import { startGitServer, type Intercept } from '../git-server.js'
import { LIMITS } from '../source/git-world.js'
import { bucket, dashboard, label, task, yaml } from '../influxdb/packages.js'
import { refusal } from './refusal.js'
import { shortenWait } from '../shorten-wait.js'
import { until } from './until.js'
import { never, useServedWorld, useWorld } from '../influxdb/world.js'

const world = useWorld()
const boards = yaml(label('red'), bucket('raw', { labels: ['red'] }))

describe('a source that cannot be polled', () => {
  const world = useServedWorld()
  const faults: Readonly<Record<string, Intercept>> = {
    'a server that is out of order': (_, response) => void response.writeHead(503).end(),
    'a repository that is missing': (_, response) => void response.writeHead(404).end(),
    'a repository that needs credentials': (_, response) =>
      void response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end(),
    'an answer that is not git': (_, response) => void response.writeHead(200).end('<html>'),
  }

  async function expectReported(): Promise<void> {
    const live = await world().live()
    const error = await refusal(world().ask.requestSync('boards', 'ann', never))
    expect(error.code).toMatch(/^source\//)
    expect(error.message).toContain('127.0.0.1')
    expect(world().condition(await world().ask.getStack('boards'))).toMatchObject({ reason: 'FetchFailed' })
    expect(await world().live()).toEqual(live)
  }

  async function expectNextPollSucceeds(): Promise<void> {
    world().server.intercept(undefined)
    await world().push(yaml(boards, label('blue')))
    world().clock.advance(requestedApartMs)
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(world().condition(await world().ask.getStack('boards')).reason).toBe('Applied')
  }

  test.each(Object.entries(faults))(
    '%s is reported, changes nothing, and the next poll succeeds',
    async (_, answer) => {
      await world().push(boards)
      await world().create('boards')
      world().server.intercept(answer)
      await expectReported()
      await expectNextPollSucceeds()
    },
  )

  test('a server that never answers is reported, changes nothing, and the next poll succeeds', async () => {
    await world().push(boards)
    await world().create('boards')
    await world().restart({ source: { limits: { ...LIMITS, gitRequestMs: 300 } } })
    world().server.intercept(() => {})
    await expectReported()
    await world().restart()
    await expectNextPollSucceeds()
  })

  test('a stack of a missing repository fails its first run, and the reason names the repository', async () => {
    const sources = [{ kind: 'git' as const, url: `${world().server.url}/nothing.git`, ref: 'main', path: '' }]
    const run = await world().create('boards', { sources })
    expect(run).toMatchObject({ outcome: 'failed', problems: [{ code: expect.stringMatching(/^source\//) as string }] })
    expect(run.problems[0]!.message).toContain('nothing.git')
    expect(run.problems[0]!.hint).toBeTruthy()
  })

  test('a hung remote does not delay stacks of others', async () => {
    const other = await startGitServer(dirname(world().repository.directory))
    try {
      await world().push(boards)
      other.intercept(() => {})
      const sources = [{ kind: 'git' as const, url: `${other.url}/${world().repository.name}`, ref: 'main', path: '' }]
      await world().ask.createStack(world().spec('hung', { sources }), 'ann')
      expect((await world().create('boards')).outcome).toBe('applied')
    } finally {
      await other.close()
    }
  })
})

describe('a ref', () => {
  test('that is missing is named; its deletion removes nothing; after it is restored, the stack syncs again', async () => {
    await world().push(boards)
    const run = await world().create('boards', { ref: 'stable' })
    expect(run.problems).toMatchObject([
      { code: 'source/ref-missing', message: expect.stringContaining('stable') as string },
    ])
    const commit = await world().push(boards, 'stable')
    expect((await world().sync('boards')).outcome).toBe('applied')
    const live = await world().live()
    await world().repository.remove('refs/tags/stable')
    expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject({ code: 'source/ref-missing' })
    expect(await world().live()).toEqual(live)
    expect((await world().ask.getStack('boards')).health).toBe('Degraded')
    await world().repository.tag('stable', commit)
    expect((await world().sync('boards')).outcome).toBe('unchanged')
    expect(await world().ask.getStack('boards')).toMatchObject({ health: 'Healthy', sync: 'Synced' })
  })
})

describe('a package that does not exist', () => {
  test.each([
    {
      what: 'its path vanished',
      files: {},
      removed: ['boards/package.yml'],
      code: 'source/path-missing',
      hint: 'Push a commit that has the path',
    },
    {
      what: 'it has no package file any more',
      files: { 'boards/README.md': 'empty' },
      removed: ['boards/package.yml'],
      code: 'source/no-package-files',
      hint: 'Applied resources stay unchanged',
    },
  ])('$what: the run fails and nothing is removed', async ({ files, removed, code, hint }) => {
    await world().repository.commit({ files: { 'boards/package.yml': boards, 'other.md': 'x' } })
    await world().create('boards', { path: 'boards' })
    const live = await world().live()
    await world().repository.commit({ files, removed })
    const run = await world().sync('boards')
    expect(run).toMatchObject({
      outcome: 'failed',
      problems: [{ code, hint: expect.stringContaining(hint) as string }],
    })
    expect(await world().live()).toEqual(live)
    await world().repository.commit({ files: { 'boards/package.yml': boards } })
    expect((await world().sync('boards')).outcome).toMatch(/applied|unchanged/)
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced', health: 'Healthy' })
  })

  test('an emptied repository removes nothing', async () => {
    await world().push(boards)
    await world().create('boards')
    const live = await world().live()
    await world().repository.commit({ removed: ['package.yml'] })
    expect((await world().sync('boards')).outcome).toBe('failed')
    expect(await world().live()).toEqual(live)
  })
})

describe('a package that cannot be read', () => {
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefgh'
    .split('')
    .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]\n`)
    .join('')}`
  test.each([
    { what: 'a syntax error', text: 'apiVersion: influxdata.com/v2alpha1\nkind: [Label\n', line: /^package\.yml/ },
    { what: 'a duplicate key', text: `${label('red')}  color: '#fff'\n`, line: /^package\.yml/ },
    { what: 'an alias bomb', text: bomb, line: /^package\.yml/ },
    { what: 'a reference to nothing', text: bucket('raw', { labels: ['nothing'] }), line: /^package\.yml/ },
  ])('$what is reported with file and line, and nothing is written', async ({ text, line }) => {
    await world().push(boards)
    await world().create('boards')
    const live = await world().live()
    await world().push(text)
    const run = await world().sync('boards')
    expect(run.outcome).toBe('failed')
    expect(run.problems[0]!.place!.file).toMatch(line)
    expect(run.problems[0]!.place!.line).toBeGreaterThan(0)
    expect(await world().live()).toEqual(live)
    expect((await world().ask.getStack('boards')).conditions.find(({ type }) => type === 'Stalled')).toMatchObject({
      status: true,
    })
  })
})

describe('a target that fails', () => {
  const before = yaml(label('red'), bucket('raw', { labels: ['red'] }), dashboard('ops'), label('green'))
  const after = yaml(
    label('red', { color: '#ffffff' }),
    bucket('raw', { labels: ['red'] }),
    task('sum', { labels: ['red'] }),
  )
  const failures: Readonly<Record<string, () => Error>> = {
    refuses: () => new Rejected('The target says no.', { code: 'platform/refused' }),
    'does not answer': () => new Unavailable('The target is away.', { code: 'platform/away' }),
  }

  test.each(Object.entries(failures))(
    'the target %s at the n-th write and from then on, also during undo: later all is as declared',
    async (_, fail) => {
      await world().push(before)
      await world().create('boards', { maxDeletes: 10, dataLoss: 'allow' })
      await world().push(after)
      for (let n = 1; n <= 5; n++) {
        let left = n
        world().platform.reset()
        world().platform.onCall(({ verb }) => {
          if (verb !== 'read' && verb !== 'find' && --left <= 0) throw fail()
        })
        const requested = await world().ask.requestSync('boards', 'ann', never)
        await until('the run ended or waits to go on', async () => {
          const { outcome, phase } = await world().ask.getRun('boards', requested.id)
          return outcome !== null || phase === 'undoing'
        })
        const { outcome, problems } = await world().ask.getRun('boards', requested.id)
        if (outcome === 'undone') expect(problems[0]!.message).toMatch(/The target (says no|is away)\./)
      }
      world().platform.reset()
      for (let i = 0; i < 3 && (await world().ask.getStack('boards')).sync !== 'Synced'; i++) {
        world().clock.advance(700_000)
        await world().sync('boards')
      }
      expect(await world().names()).toEqual(['Bucket/raw', 'Label/red', 'Task/sum'])
      const live = Object.values(await world().live())
      expect(live).toHaveLength(5)
      expect(live.every(({ stack }) => stack === 'boards')).toBe(true)
      expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced', health: 'Healthy' })
    },
  )

  test('a call that never ends is given up', async () => {
    shortenWait(1_000) // a step of the time that a call may take
    await world().push(before)
    world().platform.onCall(({ verb, family }) =>
      verb === 'create' && family === 'Bucket' ? new Promise(() => {}) : undefined,
    )
    const { run } = await world().ask.createStack(world().spec('boards'), 'ann')
    expect((await world().ended('boards', run)).problems[0]!.message).toMatch(/did not answer within 30 s/)
  })
})

describe('a full disk', () => {
  test('a stack is not Synced while what a poll found is not stored; it is again by itself', async () => {
    await world().push(boards)
    await world().create('boards')
    const { runs } = world().store
    const full = new Unavailable('Cannot write to the database: the disk is full.', { code: 'store/full' })
    const observe = vi.spyOn(runs, 'observe').mockRejectedValue(full)
    await world().push(yaml(boards, label('more')))
    world().clock.advance(60_000)
    const status = async (): Promise<StatusView> => (await world().ask.getStack('boards')).status
    await until('it is Failed', async () => (await status()).state === 'Failed')
    expect(await status()).toMatchObject({ reason: 'DatabaseFailed', message: full.message })
    observe.mockRestore()
    await until('it has caught up', async () => {
      world().clock.advance(10_000)
      return (await status()).state === 'Synced'
    })
    expect(await world().names()).toContain('Label/more')
  })

  test('runs that a poll stored begin, though the rest of the poll fails', async () => {
    await world().push(boards)
    const first = await world().create('boards')
    const settle = vi.spyOn(world().store.stacks, 'unsettled')
    settle.mockRejectedValueOnce(new Unavailable('The database failed.', { code: 'store/failed' }))
    await world().push(yaml(boards, label('more')))
    world().clock.advance(60_000)
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied' })
    settle.mockRestore()
  })

  test('it is reported, nothing is half-done, and the agent continues by itself when there is space', async () => {
    await world().push(boards)
    await world().create('boards')
    world().store.limitPages(1)
    const many = yaml(
      boards,
      ...Array.from({ length: 60 }, (_, i) => bucket(`b${i}`, { description: 'x'.repeat(2_000) })),
    )
    await world().push(many)
    await world()
      .ask.requestSync('boards', 'ann', never)
      .catch(() => {})
    await until('the agent says so', () =>
      world().log.some(({ facts }) => JSON.stringify(facts).includes('disk is full')),
    )
    await until('the stack says so', async () =>
      (await world().ask.explainStack('boards')).text.includes('disk is full'),
    )
    world().store.limitPages(1_000_000)
    await until('it has caught up', async () => {
      world().clock.advance(10_000)
      return (await world().ask.getStack('boards')).sync === 'Synced' && (await world().names()).length === 62
    })
    const live = Object.values(await world().live())
    expect(live.every(({ stack }) => stack === 'boards')).toBe(true)
    expect(live).toHaveLength(63)
  })
})
