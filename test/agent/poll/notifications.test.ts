// A notification reports a change: gitmoor polls the remote and applies what the remote has, not what was reported.
import { setImmediate as nextRound } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Notification, NotificationOutcome } from '../../../src/model/agent/notification.js'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()
const note = 'a webhook reported it'
const both = yaml(label('red'), label('blue'))

function pollCount(): number {
  return world().server.seen.filter(({ kind }) => kind === 'list').length
}

function notify(hint: Omit<Notification, 'detectedBy'>): Promise<NotificationOutcome> {
  const remote = [...world().agent.polls.followers.keys()][0]!
  return world().agent.polls.notify(remote, { detectedBy: 'webhook', note, ...hint })
}

async function moves(ref = 'main') {
  return (await world().ask.listMoves(ref, {})).items
}

/** Time passes until it has ended. */
async function afterPauses(notified: Promise<NotificationOutcome>): Promise<NotificationOutcome> {
  let outcome: NotificationOutcome | undefined
  void notified.then((one) => (outcome = one))
  return until('the hint is settled', () => {
    world().clock.advance(250)
    return outcome
  })
}

test('a notification has the remote polled at once, and move and run name the webhook', async () => {
  await world().push(label('red'))
  const first = await world().create('boards')
  const commit = await world().push(both)
  const { result, runs } = await notify({ ref: 'refs/heads/main', commit })
  const run = await world().runAfter('boards', first.id)
  expect({ result, runs: runs.map(({ id }) => id) }).toEqual({ result: 'moved', runs: [run.id] })
  expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'commit', to: commit, note } })
  expect((await moves())[0]).toMatchObject({ to: { commit }, detectedBy: 'webhook' })
  expect((await world().ask.explainStack('boards')).lastRun).toContain(`: ${note}`)
})

test('a move without a notification is detected by the poll', async () => {
  await world().push(label('red'), 'stable')
  await world().create('boards', { ref: 'stable' })
  await world().create('others')
  await world().push(both, 'stable')
  await notify({ ref: 'refs/heads/main' })
  expect((await moves('main'))[0]).toMatchObject({ detectedBy: 'webhook' })
  expect((await moves('stable'))[0]).toMatchObject({ detectedBy: 'poll' })
})

test('a remote that does not show the commit yet is polled again soon', async () => {
  const old = await world().push(label('red'))
  const first = await world().create('boards')
  const commit = await world().repository.commit({ files: { 'package.yml': both }, branch: 'later', from: old })
  world().server.reset()
  const outcome = notify({ ref: 'refs/heads/main', commit })
  await until('it was polled', () => pollCount() === 1)
  await world().repository.branch('main', commit)
  expect((await afterPauses(outcome)).result).toBe('moved')
  expect((await world().runAfter('boards', first.id)).cause).toMatchObject({ to: commit, note })
})

test('a remote is polled until a tag that was reported as deleted is gone', async () => {
  await world().push(label('red'), 'stable')
  await world().create('boards', { ref: 'stable' })
  world().server.reset()
  const outcome = notify({ ref: 'refs/tags/stable', commit: null })
  await until('it was polled', () => pollCount() === 1)
  await world().repository.remove('refs/tags/stable')
  expect((await afterPauses(outcome)).result).toBe('moved')
  expect((await moves('stable'))[0]).toMatchObject({ to: null, detectedBy: 'webhook' })
  expect(await world().names()).toEqual(['Label/red'])
})

test('a notification may name the tag object of an annotated tag', async () => {
  const commit = await world().push(label('red'))
  await world().repository.tag('stable', commit, { annotated: true })
  await world().create('boards', { ref: 'stable' })
  const { object } = world().repository.refs.get('refs/tags/stable')!
  expect(await notify({ ref: 'refs/tags/stable', commit: object })).toEqual({ result: 'known', runs: [] })
})

describe('while the refs are read', () => {
  const hook = 'github'

  /** Whether the pushed commit was fetched before the refs were answered. */
  async function fetchedEarly(hint: (commit: string) => Omit<Notification, 'detectedBy'>): Promise<boolean> {
    const commit = await world().push(both)
    world().server.reset()
    let isEarly = false
    world().server.intercept(async ({ kind }) => {
      if (kind !== 'list') return
      for (let round = 0; round < 10; round++) await nextRound()
      isEarly = world().server.seen.some((request) => request.kind === 'fetch' && request.commit === commit)
    })
    await notify(hint(commit))
    return isEarly
  }

  test('the commit that a webhook announced for a branch is fetched, and what the refs have is applied', async () => {
    await world().push(label('red'))
    const first = await world().create('boards')
    expect(await fetchedEarly((commit) => ({ ref: 'refs/heads/main', commit, hook }))).toBe(true)
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied', cause: { kind: 'commit' } })
    expect(world().server.seen.filter(({ kind }) => kind === 'fetch')).toHaveLength(1)
  })

  test('an announced commit that the branch does not have is not applied', async () => {
    const commit = await world().push(label('red'))
    await world().create('boards')
    const other = await world().repository.commit({ files: { 'package.yml': both }, branch: 'other', from: commit })
    world().server.reset()
    const outcome = notify({ ref: 'refs/heads/main', commit: other, hook })
    expect((await afterPauses(outcome)).result).toBe('not-visible')
    expect(pollCount()).toBeGreaterThan(1)
    expect(world().server.seen.filter((request) => request.commit === other)).toHaveLength(1)
    expect(await world().names()).toEqual(['Label/red'])
  })

  test('only the newest commit of a branch is fetched, and one that hangs does not delay that of the branch', async () => {
    const first = await world().push(label('red'))
    const run = await world().create('boards')
    const commitAt = (branch: string): Promise<string> =>
      world().repository.commit({ files: { 'package.yml': both }, branch, from: first })
    const [old, other] = [await commitAt('old'), await commitAt('other')]
    const commit = await world().push(both)
    world().server.reset()
    world().server.intercept(({ commit: requested }) => (requested === other ? new Promise(() => {}) : undefined))
    const outcomes = [old, other].map((one) => notify({ ref: 'refs/heads/main', commit: one, hook }))
    expect(await world().runAfter('boards', run.id)).toMatchObject({ outcome: 'applied', cause: { to: commit } })
    expect((await Promise.all(outcomes)).map(({ result }) => result)).toEqual(['moved', 'moved'])
    const fetched = world().server.seen.filter(({ kind }) => kind === 'fetch')
    expect(fetched.map((request) => request.commit)).toEqual([other, commit])
  })

  test.each([
    ['for another branch', { ref: 'refs/heads/other', hook }],
    ['for a tag', { ref: 'refs/tags/main', hook }],
    ['by no webhook', { ref: 'refs/heads/main' }],
  ])('nothing is fetched that was announced %s', async (_what, hint) => {
    await world().push(label('red'))
    await world().create('boards')
    expect(await fetchedEarly((commit) => ({ ...hint, commit }))).toBe(false)
  })

  test('nothing is fetched for a suspended stack', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    expect(await fetchedEarly((commit) => ({ ref: 'refs/heads/main', commit, hook }))).toBe(false)
  })
})

test('a late notification is known, whatever was found since', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const passed = await world().push(both)
  await world().sync('boards')
  await world().push(label('red'))
  await world().sync('boards')
  world().server.reset()
  expect((await notify({ ref: 'refs/heads/main', commit: passed })).result).toBe('known')
  expect(pollCount()).toBe(1)
})

test('one poll shows that no stack follows a branch other than that of HEAD', async () => {
  await world().push(label('red'))
  await world().create('boards', { ref: 'HEAD' })
  const commit = await world().repository.commit({ files: { 'package.yml': both }, branch: 'feature', from: 'main' })
  world().server.reset()
  expect(await notify({ ref: 'refs/heads/feature', commit })).toEqual({ result: 'unfollowed', runs: [] })
  expect(pollCount()).toBe(1)
  world().repository.head = 'refs/heads/feature'
  expect((await notify({ ref: 'refs/heads/feature', commit })).result).toBe('moved')
})

test('a change that never appears is polled for during a minute, less and less often', async () => {
  await world().push(label('red'))
  await world().create('boards', { intervalMs: 86_400_000 })
  world().server.reset()
  expect((await afterPauses(notify({ ref: 'refs/heads/main', commit: '0'.repeat(39) + '1' }))).result).toBe(
    'not-visible',
  )
  expect(pollCount()).toBeGreaterThan(1)
  expect(pollCount()).toBeLessThanOrEqual(8)
})

test('an unreachable remote is reported, and polled again like any remote', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().server.close()
  expect(await notify({ ref: 'refs/heads/main' })).toMatchObject({
    result: 'failed',
    runs: [],
    why: expect.stringContaining('git.example'),
  })
  expect((await world().ask.getStack('boards')).nextPollAt).not.toBeNull()
})

test('a thousand notifications at once share two polls at most', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const commit = await world().push(both)
  world().server.reset()
  const outcomes = await Promise.all(Array.from({ length: 1_000 }, () => notify({ ref: 'refs/heads/main', commit })))
  expect(pollCount()).toBeLessThanOrEqual(2)
  expect(outcomes.every(({ result }) => result === 'moved' || result === 'known')).toBe(true)
})

test('a notification in progress is reported as interrupted when the agent stops', async () => {
  await world().push(label('red'))
  await world().create('boards')
  world().server.reset()
  const outcome = notify({ ref: 'refs/heads/main', commit: '0'.repeat(39) + '1' })
  await until('it was polled', () => pollCount() === 1)
  await world().stop()
  expect(await outcome).toEqual({ result: 'interrupted', runs: [] })
})
