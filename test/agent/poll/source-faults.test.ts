// What may befall a repository that stacks follow, seen through the whole agent: the newest wins, what was seen is
// attempted or superseded, nothing is lost and nothing done twice.
import { describe, expect, test } from 'vitest'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { useServedWorld, useWorld, type World } from '../../e2e/world.js'
import { startFaultyProxy } from '../../faulty-proxy.js'
import { answering } from '../../memory-git.js'
import type { AnyRepository } from '../../memory-repository.js'
import { shortenWait } from '../../shorten-wait.js'

const world = useWorld()
const minute = 60_000
const one = label('red')
const two = yaml(one, label('blue'))
const three = yaml(two, label('green'))

/** Fetches wait until they are let go; polls are answered. */
function holdFetches(): { readonly isReached: () => boolean; readonly letGo: () => void } {
  shortenWait(2_000) // of a poll, for a fetch to compare contents
  let letGo = (): void => {}
  let reached = false
  const gone = new Promise<void>((resolve) => (letGo = resolve))
  world().server.intercept(({ kind }) => {
    if (kind !== 'fetch') return
    reached = true
    return gone
  })
  return { isReached: () => reached, letGo }
}

/** Fetches are refused; polls are answered. */
function refuseFetches(status: number, headers: Readonly<Record<string, string>> = {}): void {
  const refuse = answering(status, headers)
  world().server.intercept((request) => (request.kind === 'fetch' ? refuse(request) : undefined))
}

type AnyWorld = World<unknown, AnyRepository>

/** Waits for the next poll to end. */
async function nextPoll({ ask, clock }: AnyWorld = world()): Promise<void> {
  const planned = await until(
    'no poll is in progress',
    async () => (await ask.getStack('boards')).nextPollAt ?? undefined,
  )
  clock.advance(Date.parse(planned) - clock.now())
  await until('the poll has ended', async () => {
    const { nextPollAt } = await ask.getStack('boards')
    return nextPollAt !== null && nextPollAt !== planned
  })
}

/** Newest first. */
async function history({ ask }: AnyWorld = world()): Promise<readonly (string | null)[]> {
  return (await ask.listRuns('boards', {})).items.map(({ outcome }) => outcome)
}

/** Where the channel went, newest first. */
async function moves(ref: string): Promise<readonly (string | null)[]> {
  return (await world().ask.listMoves(ref, {})).items.map(({ to }) => to?.commit ?? null)
}

async function synced(names: readonly string[], at: AnyWorld = world()): Promise<void> {
  await until(
    'it is synced',
    async () => (await at.ask.getStack('boards')).sync === 'Synced' && (await at.names()).length === names.length,
  )
  expect(await at.names()).toEqual(names)
}

test('a fetch that hangs is stopped by the next push: the older revision is superseded, the newest is applied', async () => {
  const first = await world().push(one, 'stable')
  await world().create('boards', { ref: 'stable' })
  const fetches = holdFetches()
  const second = await world().push(two, 'stable')
  await nextPoll()
  await until('it is fetched', fetches.isReached)
  world().server.intercept(undefined)
  const third = await world().push(three, 'stable')
  await nextPoll()
  await synced(['Label/blue', 'Label/green', 'Label/red'])
  fetches.letGo()
  expect(await history()).toEqual(['applied', 'superseded', 'applied'])
  expect(await moves('stable')).toEqual([third, second, first])
})

test('of two pushes during one apply, the newest is applied, and the other is reported as superseded', async () => {
  const first = await world().push(bucket('raw', { description: 'one' }))
  await world().create('boards')
  let letGo: (() => void) | undefined
  world().platform.onCall(({ verb }) => (verb === 'update' ? new Promise((resolve) => (letGo = resolve)) : undefined))
  const pushed = [await world().push(bucket('raw', { description: 'two' }))]
  await nextPoll()
  await until('it is applied', () => letGo !== undefined)
  for (const description of ['three', 'four']) {
    pushed.unshift(await world().push(bucket('raw', { description })))
    await nextPoll()
  }
  world().platform.reset()
  letGo!()
  await until('it is synced', async () => (await world().ask.getStack('boards')).sync === 'Synced')
  expect((await world().live())['Bucket/raw']!.live['description']).toBe('four')
  const [newest, ...others] = await history()
  expect([newest, others[0], others.at(-1)]).toEqual(['applied', 'superseded', 'applied'])
  expect(others[1]).toMatch(/^(superseded|applied)$/) // the run in progress may have been at its end
  expect(await moves('main')).toEqual([...pushed, first])
})

test('a commit that a force-push removes before it is fetched fails with its hash, and the new one is applied', async () => {
  await world().push(one)
  await world().create('boards')
  const fetches = holdFetches()
  const lost = await world().push(two)
  await nextPoll()
  await until('it is fetched', fetches.isReached)
  await world().repository.commit({ files: { 'package.yml': three }, from: null })
  world().repository.prune()
  const { id } = (await world().ask.getStack('boards')).lastRun!
  fetches.letGo()
  const run = await world().ended('boards', id)
  expect(run).toMatchObject({
    outcome: 'failed',
    problems: [{ code: 'source/commit-missing', message: expect.stringContaining(lost) as string }],
  })
  expect(await world().names()).toEqual(['Label/red'])
  await nextPoll()
  await synced(['Label/blue', 'Label/green', 'Label/red'])
  expect(await history()).toEqual(['applied', 'failed', 'applied'])
})

test('a tag that is deleted during its fetch is applied; then its absence is reported, nothing is removed, and a new tag is followed', async () => {
  const first = await world().push(one, 'stable')
  await world().create('boards', { ref: 'stable' })
  const fetches = holdFetches()
  const second = await world().push(two, 'stable')
  await nextPoll()
  await until('it is fetched', fetches.isReached)
  await world().repository.remove('refs/tags/stable')
  fetches.letGo()
  await synced(['Label/blue', 'Label/red'])
  world().server.intercept(undefined)
  await nextPoll()
  expect(world().condition(await world().ask.getStack('boards'))).toMatchObject({
    message: expect.stringContaining('stable') as string,
  })
  expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
  const third = await world().push(three, 'stable')
  await nextPoll()
  await synced(['Label/blue', 'Label/green', 'Label/red'])
  expect(await moves('stable')).toEqual([third, null, second, first])
  expect(await history()).toEqual(['applied', 'applied', 'applied'])
})

test('a branch with the name of a followed tag is reported and changes nothing; its deletion ends that without a run', async () => {
  const commit = await world().push(one, 'stable')
  await world().create('boards', { ref: 'stable' })
  await world().repository.commit({ files: { 'package.yml': two }, branch: 'stable', from: commit })
  await nextPoll()
  const { message } = world().condition(await world().ask.getStack('boards'))
  expect(message).toContain('stable')
  expect(message).toMatch(/branch/)
  expect(await world().names()).toEqual(['Label/red'])
  await world().repository.remove('refs/heads/stable')
  await nextPoll()
  expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced', health: 'Healthy' })
  expect([await history(), await moves('stable')]).toEqual([['applied'], [commit]])
})

test('an unrelated repository in place of the followed one is a move, and its package is applied', async () => {
  const before = await world().push(one)
  await world().create('boards')
  const other = world().server.makeRepository()
  const commit = await other.commit({ files: { 'package.yml': label('blue') }, message: 'Another beginning' })
  await nextPoll()
  await synced(['Label/blue'])
  expect((await world().ask.getStack('boards')).lastRun).toMatchObject({
    outcome: 'applied',
    cause: { from: before, to: commit },
  })
  expect(await moves('main')).toEqual([commit, before])
})

test.each([
  [
    '503 with a Retry-After of half an hour, of which a quarter counts',
    503,
    { 'retry-after': '1800' },
    'source/server-error',
    900_000,
  ],
  ['429 with a Retry-After of two minutes', 429, { 'retry-after': '120' }, 'source/too-many-requests', 120_000],
  ['500', 500, {}, 'source/server-error', 5_000],
] as const)(
  'a fetch that is answered with %s fails its run, and is not retried earlier',
  async (_, status, headers, code, leastMs) => {
    await world().push(one)
    await world().create('boards', { intervalMs: 86_400_000 })
    await world().push(two)
    refuseFetches(status, headers)
    expect(await world().sync('boards')).toMatchObject({ outcome: 'failed', problems: [{ code }] })
    world().server.intercept(undefined)
    const { retryAt } = (await world().store.stacks.get('boards'))!
    const waits = retryAt! - world().clock.now()
    expect(waits).toBeGreaterThanOrEqual(leastMs * 0.9)
    world().clock.advance(waits - 1)
    expect(await world().names()).toEqual(['Label/red'])
    world().clock.advance(1)
    await synced(['Label/blue', 'Label/red'])
    expect(await history()).toEqual(['applied', 'failed', 'applied'])
  },
)

test.each([
  [401, 'source/unauthorized'],
  [403, 'source/unauthorized'],
  [404, 'source/not-found'],
] as const)('a fetch that is answered with %i fails its run until someone syncs', async (status, code) => {
  await world().push(one)
  await world().create('boards')
  await world().push(two)
  refuseFetches(status)
  expect(await world().sync('boards')).toMatchObject({ outcome: 'failed', problems: [{ code }] })
  expect(await world().store.stacks.get('boards')).toMatchObject({ retryAt: null, failure: { retry: 'change' } })
  expect(await world().names()).toEqual(['Label/red'])
  world().server.intercept(undefined)
  expect(await world().sync('boards')).toMatchObject({ outcome: 'applied' })
})

describe('over a network', () => {
  const at = useServedWorld()

  test('a server that is unreachable for a minute changes nothing; within the interval its new commits are found', async () => {
    await using proxy = await startFaultyProxy(Number(new URL(at().server.url).port))
    const url = `http://127.0.0.1:${proxy.port}/${at().repository.name}`
    await at().push(one)
    await at().create('boards', { sources: [{ kind: 'git', url, ref: 'main', path: '' }] })
    await proxy.leave()
    await at().push(two)
    const since = at().clock.now()
    while (at().clock.now() < since + minute) await nextPoll(at())
    expect(at().condition(await at().ask.getStack('boards'))).toMatchObject({ reason: 'FetchFailed' })
    expect(await at().names()).toEqual(['Label/red'])
    await proxy.comeBack()
    const { nextPollAt } = await at().ask.getStack('boards')
    expect(Date.parse(nextPollAt!) - at().clock.now()).toBeLessThanOrEqual(1.1 * minute)
    await nextPoll(at())
    await synced(['Label/blue', 'Label/red'], at())
    expect(await history(at())).toEqual(['applied', 'applied'])
  })
})
