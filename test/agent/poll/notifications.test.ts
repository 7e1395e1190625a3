// Somebody tells of a change: the remote is asked, and what it shows counts.
import { expect, test } from 'vitest'
import type { Notification, NotificationOutcome } from '../../../src/model/notification.js'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()
const note = 'a webhook told it'
const both = yaml(label('red'), label('blue'))

function looks(): number {
  return world().server.seen.filter(({ kind }) => kind === 'list').length
}

function tell(hint: Omit<Notification, 'detectedBy'>): Promise<NotificationOutcome> {
  const remote = [...world().agent.polls.followers.keys()][0]!
  return world().agent.polls.notify(remote, { detectedBy: 'webhook', note, ...hint })
}

async function moves(ref = 'main') {
  return (await world().ask.listMoves(ref, {})).items
}

/** Time passes until it has ended. */
async function afterPauses(told: Promise<NotificationOutcome>): Promise<NotificationOutcome> {
  let outcome: NotificationOutcome | undefined
  void told.then((one) => (outcome = one))
  return until('the hint is settled', () => {
    world().clock.advance(250)
    return outcome
  })
}

test('what was told is looked for at once, and the move and the run say how it was learnt', async () => {
  await world().push(label('red'))
  const first = await world().create('boards')
  const commit = await world().push(both)
  const { result, runs } = await tell({ ref: 'refs/heads/main', commit })
  const run = await world().runAfter('boards', first.id)
  expect({ result, runs: runs.map(({ id }) => id) }).toEqual({ result: 'moved', runs: [run.id] })
  expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'commit', to: commit, note } })
  expect((await moves())[0]).toMatchObject({ to: { commit }, detectedBy: 'webhook' })
  expect((await world().ask.explainStack('boards')).lastRun).toContain(`(${note})`)
})

test('a move that was not told of is learnt by the look that finds it', async () => {
  await world().push(label('red'), 'stable')
  await world().create('boards', { ref: 'stable' })
  await world().create('others')
  await world().push(both, 'stable')
  await tell({ ref: 'refs/heads/main' })
  expect((await moves('main'))[0]).toMatchObject({ detectedBy: 'webhook' })
  expect((await moves('stable'))[0]).toMatchObject({ detectedBy: 'poll' })
})

test('a commit that the remote does not show yet is looked for again, soon', async () => {
  const old = await world().push(label('red'))
  const first = await world().create('boards')
  const commit = await world().repository.commit({ files: { 'package.yml': both }, branch: 'later', from: old })
  world().server.reset()
  const told = tell({ ref: 'refs/heads/main', commit })
  await until('it was looked at', () => looks() === 1)
  await world().repository.branch('main', commit)
  expect((await afterPauses(told)).result).toBe('moved')
  expect((await world().runAfter('boards', first.id)).cause).toMatchObject({ to: commit, note })
})

test('a tag that shall be gone is looked for until it is', async () => {
  await world().push(label('red'), 'stable')
  await world().create('boards', { ref: 'stable' })
  world().server.reset()
  const told = tell({ ref: 'refs/tags/stable', commit: null })
  await until('it was looked at', () => looks() === 1)
  await world().repository.remove('refs/tags/stable')
  expect((await afterPauses(told)).result).toBe('moved')
  expect((await moves('stable'))[0]).toMatchObject({ to: null, detectedBy: 'webhook' })
  expect(await world().names()).toEqual(['Label/red'])
})

test('an annotated tag may be told by its tag object', async () => {
  const commit = await world().push(label('red'))
  await world().repository.tag('stable', commit, { annotated: true })
  await world().create('boards', { ref: 'stable' })
  const { object } = world().repository.refs.get('refs/tags/stable')!
  expect(await tell({ ref: 'refs/tags/stable', commit: object })).toEqual({ result: 'known', runs: [] })
})

test('what was told late is known, whatever came since', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const passed = await world().push(both)
  await world().sync('boards')
  await world().push(label('red'))
  await world().sync('boards')
  world().server.reset()
  expect((await tell({ ref: 'refs/heads/main', commit: passed })).result).toBe('known')
  expect(looks()).toBe(1)
})

test('a branch that HEAD does not lead to is followed by nobody, which one look tells', async () => {
  await world().push(label('red'))
  await world().create('boards', { ref: 'HEAD' })
  const commit = await world().repository.commit({ files: { 'package.yml': both }, branch: 'feature', from: 'main' })
  world().server.reset()
  expect(await tell({ ref: 'refs/heads/feature', commit })).toEqual({ result: 'unfollowed', runs: [] })
  expect(looks()).toBe(1)
  world().repository.head = 'refs/heads/feature'
  expect((await tell({ ref: 'refs/heads/feature', commit })).result).toBe('moved')
})

test('what never comes is looked for during a minute, ever less often', async () => {
  await world().push(label('red'))
  await world().create('boards', { intervalMs: 86_400_000 })
  world().server.reset()
  expect((await afterPauses(tell({ ref: 'refs/heads/main', commit: '0'.repeat(39) + '1' }))).result).toBe('not-visible')
  expect(looks()).toBeGreaterThan(1)
  expect(looks()).toBeLessThanOrEqual(8)
})

test('a remote that cannot be asked is told as such, and asked again as any remote is', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().server.close()
  expect(await tell({ ref: 'refs/heads/main' })).toMatchObject({
    result: 'failed',
    runs: [],
    why: expect.stringContaining('git.example'),
  })
  expect((await world().ask.getStack('boards')).nextPollAt).not.toBeNull()
})

test('a thousand who tell at once share two looks at most', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const commit = await world().push(both)
  world().server.reset()
  const told = await Promise.all(Array.from({ length: 1_000 }, () => tell({ ref: 'refs/heads/main', commit })))
  expect(looks()).toBeLessThanOrEqual(2)
  expect(told.every(({ result }) => result === 'moved' || result === 'known')).toBe(true)
})

test('what is looked for still when the agent stops is told as interrupted', async () => {
  await world().push(label('red'))
  await world().create('boards')
  world().server.reset()
  const told = tell({ ref: 'refs/heads/main', commit: '0'.repeat(39) + '1' })
  await until('it was looked at', () => looks() === 1)
  await world().stop()
  expect(await told).toEqual({ result: 'interrupted', runs: [] })
})
