// When remotes are polled, and what a poll costs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { StackSpecPatch } from '../../../src/model/stacks/stack.js'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld, type World } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()

function pollCount(at: World): number {
  return at.server.seen.filter(({ kind }) => kind === 'list').length
}

/** Until the planned poll has ended. */
async function nextPoll(name: string, planned: string | null): Promise<void> {
  await until('the poll has ended', async () => {
    const { nextPollAt } = await world().ask.getStack(name)
    return nextPollAt !== null && nextPollAt !== planned
  })
}

test('a push is found at the interval, and the cause names the old and the new commit', async () => {
  const one = await world().push(label('red'), 'stable')
  const first = await world().create('boards', { ref: 'stable', intervalMs: 30_000 })
  const two = await world().push(yaml(label('red'), label('blue')), 'stable')
  world().clock.advance(30_000)
  expect(await world().runAfter('boards', first.id)).toMatchObject({
    outcome: 'applied',
    cause: { kind: 'tag-moved', ref: 'stable', from: one, to: two },
  })
})

test('a commit that a poll stores during a step of its worker is applied by the run of that poll only', async () => {
  await world().push(label('red'))
  const first = await world().create('boards')
  await world().push(yaml(label('red'), label('blue')))
  const stack = (await world().store.stacks.get('boards'))!
  const { stacks } = world().store
  const read = stacks.withRuns.bind(stacks)
  const withRuns = vi.spyOn(stacks, 'withRuns').mockImplementation(async (name) => {
    const found = await read(name)
    if (withRuns.mock.calls.length === 1) await world().agent.polls.poll(stack, never)
    return found
  })
  world().agent.runs.wake(stack.id)
  expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied', cause: { kind: 'commit' } })
  expect((await world().ask.listRuns('boards', {})).items).toHaveLength(2)
})

describe('settings that change while a poll is in progress', () => {
  /** Polls for the stack, and changes its settings when the remote has answered. */
  async function changeDuringPoll(change: StackSpecPatch): Promise<void> {
    const stack = (await world().store.stacks.get('boards'))!
    const { channels } = world().store
    const read = channels.of.bind(channels)
    vi.spyOn(channels, 'of').mockImplementationOnce(async (remote) => {
      await world().ask.updateStack('boards', change, 'ann')
      return read(remote)
    })
    await world()
      .agent.polls.poll(stack, never)
      .catch(() => {})
  }

  const revisions = async (): Promise<readonly (string | null)[]> =>
    (await world().ask.listRuns('boards', {})).items.map(({ revision }) => revision)

  test('are applied at their own ref, and nothing at the former one', async () => {
    const old = await world().push(label('red'))
    const first = await world().create('boards')
    await world().push(yaml(label('red'), label('blue')))
    const beta = await world().push(yaml(label('red'), label('green')), 'beta')
    await changeDuringPoll({ source: { ref: 'beta' } })
    expect(await world().runAfter('boards', first.id)).toMatchObject({
      outcome: 'applied',
      revision: `beta@sha1:${beta}`,
    })
    expect(await revisions()).toEqual([`beta@sha1:${beta}`, `main@sha1:${old}`])
    expect((await world().ask.getStack('boards')).sync).toBe('Synced')
  })

  test('or a pin that ends, leave nothing unapplied that the poll found', async () => {
    const commit = (files: Readonly<Record<string, string>>): Promise<string> => world().repository.commit({ files })
    await commit({ 'a/a.yml': label('red'), 'b/b.yml': label('green') })
    const first = await world().create('boards', { path: 'a' })
    await commit({ 'a/a.yml': label('blue') })
    await world().sync('boards')
    await world().ask.rollBack('boards', first.id, 'bad', 'ann')
    await world().lastRun('boards')
    const elsewhere = await commit({ 'b/b.yml': label('black') })
    const stack = (await world().store.stacks.get('boards'))!
    const { channels } = world().store
    const read = channels.of.bind(channels)
    vi.spyOn(channels, 'of').mockImplementationOnce(async (remote) => {
      await world().ask.unpinStack('boards', 'ann')
      return read(remote)
    })
    await world().agent.polls.poll(stack, never)
    await world().lastRun('boards')
    await world().agent.polls.poll(stack, never)
    await world().lastRun('boards')
    expect((await world().ask.getStack('boards')).revision).toMatchObject({
      observed: `main@sha1:${elsewhere}`,
      applied: `main@sha1:${elsewhere}`,
    })
  })

  test('are not refused because of the former ref', async () => {
    await world().push(label('red'))
    const first = await world().create('boards', { ref: 'stabel' })
    expect(first.outcome).toBe('failed')
    await changeDuringPoll({ source: { ref: 'main' } })
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied' })
    expect(await revisions()).toHaveLength(2)
  })
})

test('one request polls a remote for all its stacks, whatever their refs', async () => {
  await world().push(label('red'), 'stable', 'beta')
  for (const ref of ['main', 'stable', 'beta']) await world().create(ref, { ref })
  await until('all are at rest', async () =>
    (await world().ask.listStacks({})).items.every(({ sync }) => sync === 'Synced'),
  )
  const before = await Promise.all(
    ['main', 'stable', 'beta'].map(async (name) => (await world().ask.getStack(name)).nextPollAt),
  )
  expect(new Set(before).size).toBe(1)
  world().server.reset()
  world().clock.advance(60_000)
  await nextPoll('main', before[0]!)
  expect(pollCount(world())).toBe(1)
  expect(world().server.seen).toHaveLength(1)
})

test('one commit that many stacks follow is fetched once', async () => {
  await world().repository.commit({
    files: Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`s${n}/a.yml`, label(`l${n}`)])),
  })
  for (const n of [1, 2, 3, 4, 5]) await world().create(`s${n}`, { path: `s${n}` })
  world().server.reset()
  await world().repository.commit({
    files: Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`s${n}/a.yml`, yaml(label(`l${n}`), label(`m${n}`))])),
  })
  world().clock.advance(60_000)
  await until('all have it', async () => (await world().names()).length === 10)
  expect(world().server.seen.filter(({ kind }) => kind === 'fetch')).toHaveLength(1)
})

test('the source of a suspended stack is polled, once after any time', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
  world().server.reset()
  const { nextPollAt } = await world().ask.getStack('boards')
  world().clock.advance(600_000)
  await nextPoll('boards', nextPollAt)
  expect(pollCount(world())).toBe(1)
})

describe('after a restart', () => {
  test('a push of meanwhile is applied, and nothing is done twice', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await world().stop()
    await world().push(yaml(label('red'), label('blue')))
    await world().start()
    await until(
      'it is applied',
      async () => (await world().ask.getStack('boards')).sync === 'Synced' && (await world().names()).length === 2,
    )
    expect((await world().ask.listRuns('boards', {})).items.map(({ outcome }) => outcome)).toEqual([
      'applied',
      'applied',
    ])
  })

  test('without a push, no run is added', async () => {
    await world().push(label('red'))
    const first = await world().create('boards')
    world().server.reset()
    await world().restart()
    await until('it was polled', () => pollCount(world()) > 0)
    await world().ask.waitForStack('boards', { timeoutMs: 60_000 }, new AbortController().signal)
    expect((await world().lastRun('boards')).id).toBe(first.id)
  })
})

test('the last poll of a remote and its failure are known until no stack follows it', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const remote = world().url
  expect(world().agent.polls.last(remote)).toEqual({ remote, at: world().clock.now(), ms: 0, failure: null })
  await world().server.close()
  world().clock.advance(60_000)
  const failed = await until('the poll failed', async () => {
    const last = world().agent.polls.last(remote)
    return last?.failure === null ? undefined : last
  })
  expect(failed).toMatchObject({ at: world().clock.now(), failure: { reason: 'FetchFailed', retry: 'soon' } })
  await world().ask.deleteStack('boards', { by: 'ann' }, never)
  expect(world().agent.polls.last(remote)).toBeUndefined()
})

test('a Retry-After delays the next poll until its end', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const planned = (await world().ask.getStack('boards')).nextPollAt
  world().server.intercept(answering(429, { 'retry-after': '1800' }))
  world().server.reset()
  world().clock.advance(60_000)
  await nextPoll('boards', planned)
  const before = pollCount(world())
  expect(before).toBe(1)
  expect(Date.parse((await world().ask.getStack('boards')).nextPollAt!) - world().clock.now()).toBe(900_000)
  world().server.intercept(undefined)
  world().clock.advance(899_000)
  expect(pollCount(world())).toBe(before)
  await world().push(yaml(label('red'), label('blue')))
  world().clock.advance(1_000)
  await until('it has caught up', async () => (await world().names()).length === 2)
})

test('after a crash during a read, the next poll of the remote is planned for the end of its delay', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const remote = [...world().agent.polls.followers.keys()][0]!
  await world().stop()
  writeFileSync(join(world().root, 'reads.json'), JSON.stringify({ reading: [remote], crashes: {} }) + '\n')
  await world().start()
  const { nextPollAt } = await world().ask.getStack('boards')
  expect(Date.parse(nextPollAt!) - world().clock.now()).toBe(1_000)
  expect((await world().ask.explainStack('boards')).delays).toEqual(['the agent crashed while it read the remote'])
  world().clock.advance(1_000)
  await nextPoll('boards', nextPollAt)
  expect((await world().ask.explainStack('boards')).delays).toEqual([])
})
