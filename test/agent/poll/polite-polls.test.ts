// What one host bears: how often it is asked, that it is left alone when it asks for that, and while it cannot be
// reached.
import { describe, expect, test } from 'vitest'
import { label, yaml } from '../../e2e/packages.js'
import { settled, until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering, unreachable, type MemoryIntercept } from '../../memory-git.js'
import type { MemoryRepository } from '../../memory-repository.js'

const world = useWorld()

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `s${at}`)
const remoteOf = (name: string): string => `${world().server.url}/${name}.git`

/** A stack for each repository of the host. */
async function follow(stacks: readonly string[]): Promise<Readonly<Record<string, MemoryRepository>>> {
  const repositories = Object.fromEntries(stacks.map((name) => [name, world().server.makeRepository(name)]))
  for (const name of stacks) {
    await commit(repositories[name]!, label(name))
    await world().create(name, { sources: [{ kind: 'git', url: remoteOf(name), ref: 'main', path: '' }] })
  }
  return repositories
}

function commit(repository: MemoryRepository, text: string): Promise<string> {
  return repository.commit({ files: { 'package.yml': text } })
}

/** Which repositories were asked for their refs since the last reset. */
const polled = (): readonly string[] =>
  world()
    .server.seen.filter(({ kind }) => kind === 'list')
    .map(({ remote }) => remote.replace(/^.*\/|\.git$/g, ''))

async function pass(ms: number): Promise<void> {
  await settled()
  world().clock.advance(ms)
  await settled()
}

describe('polls of one host', () => {
  test('are limited per second, after a burst of five times as many; manual syncs go first', async () => {
    const all = names(9)
    await follow(all)
    await world().stop()
    world().server.reset()
    await world().start({ pollsPerHost: 1 })
    await settled()
    expect(polled()).toHaveLength(5)
    const waiting = all.filter((name) => !polled().includes(name))
    expect((await world().ask.explainStack(waiting[0]!)).delays).toEqual([
      'polls of the host are throttled (limits.pollsPerHost)',
    ])
    const sync = world().ask.requestSync(waiting.at(-1)!, 'ann', never)
    await pass(1_000)
    expect(polled()[5]).toBe(waiting.at(-1))
    for (let n = 0; n < 5; n++) await pass(1_000)
    await sync
    expect(new Set(polled())).toEqual(new Set(all))
    expect(world().agent.polls.delays.size).toBe(0)
  })

  test('stop until its Retry-After, except manual ones', async () => {
    await follow(names(3))
    const askForPeace: MemoryIntercept = answering(429, { 'retry-after': '300' })
    world().server.intercept((request) => (request.remote === remoteOf('s0') ? askForPeace(request) : undefined))
    await world()
      .ask.requestSync('s0', 'ann', never)
      .catch(() => {})
    world().server.reset()
    await pass(66_000)
    await pass(66_000)
    expect(polled()).toEqual([])
    expect((await world().ask.explainStack('s1')).text).toContain('the server asked for a pause (Retry-After)')
    world().server.intercept(undefined)
    await world().ask.requestSync('s1', 'ann', never)
    expect(polled()).toContain('s1')
  })

  test('continue after the Retry-After', async () => {
    await follow(names(2))
    world().server.intercept(answering(429, { 'retry-after': '120' }))
    await world()
      .ask.requestSync('s0', 'ann', never)
      .catch(() => {})
    await pass(61_000)
    world().server.intercept(undefined)
    world().server.reset()
    await pass(58_000)
    expect(polled()).toEqual([])
    await pass(2_000)
    await until('both were polled', () => new Set(polled()).size === 2)
  })

  test('continue for other remotes while one answers 503 with a long Retry-After', async () => {
    await follow(names(2))
    const busy = answering(503, { 'retry-after': '86400' })
    world().server.intercept((request) => (request.remote === remoteOf('s0') ? busy(request) : undefined))
    await pass(66_000)
    world().server.reset()
    for (let n = 0; n < 3; n++) await pass(66_000)
    expect(new Set(polled())).toEqual(new Set(['s1']))
    world().server.intercept(undefined)
    for (let n = 0; n < 12; n++) await pass(66_000)
    expect(polled()).toContain('s0')
  })

  test('run one at a time while the host is unreachable, and all again when it answers', async () => {
    const all = names(8)
    await follow(all)
    world().server.intercept(unreachable)
    world().server.reset()
    await pass(66_000)
    await until('it is known', () => world().log.some(({ message }) => message === 'host unreachable, circuit open'))
    await settled()
    world().server.reset()
    await pass(6_000)
    expect(polled()).toHaveLength(1)
    await pass(4_000)
    expect(polled()).toHaveLength(1)
    await until(
      'the others wait',
      () => [...world().agent.polls.delays.values()].filter((why) => why === 'unreachable').length === 7,
    )
    const { checks } = await world().ask.diagnose(never)
    expect(
      checks.some(({ message }) => message.includes('the host is unreachable, and one poll at a time tries it')),
    ).toBe(true)
    world().server.intercept(undefined)
    await pass(7_000)
    await until('all were polled', () => new Set(polled()).size === 8)
    expect(world().log.some(({ message }) => message === 'host reachable again')).toBe(true)
  })

  test('run for a manual sync while the host is unreachable', async () => {
    await follow(names(6))
    world().server.intercept(unreachable)
    await pass(66_000)
    await until('it is known', () => world().log.some(({ message }) => message === 'host unreachable, circuit open'))
    world().server.intercept(undefined)
    world().server.reset()
    await world().ask.requestSync('s3', 'ann', never)
    expect(polled()).toContain('s3')
  })
})

describe('a remote that fails', () => {
  const nextMs = async (): Promise<number> =>
    Date.parse((await world().ask.getStack('s0')).nextPollAt!) - world().clock.now()
  const refuse = (): void => world().server.intercept(answering(403, {}))

  test('is polled at its interval, no matter how long it fails', async () => {
    await follow(names(1))
    refuse()
    for (let n = 0; n < 12; n++) await pass(60_000)
    expect(await nextMs()).toBeLessThanOrEqual(60_000)
    world().server.intercept(undefined)
    world().server.reset()
    await pass(60_000)
    await until('it is polled', () => polled().includes('s0'))
  })

  test('is polled for a manual sync at most once in 10 s, which does not delay its automatic polls', async () => {
    await follow(names(1))
    refuse()
    for (const ms of [60_000, 5_000, 10_000]) await pass(ms)
    await until('it failed three times', async () => (await nextMs()) === 20_000)
    world().server.reset()
    const sync = (): Promise<unknown> =>
      world()
        .ask.requestSync('s0', 'ann', never)
        .catch(() => {})
    await sync()
    expect([polled().length, await nextMs()]).toEqual([1, 20_000])
    expect((await world().ask.explainStack('s0')).requestedPollAt).toBeNull()
    const second = sync()
    await pass(0)
    expect(polled()).toHaveLength(1)
    const waiting = await world().ask.explainStack('s0')
    expect(Date.parse(waiting.requestedPollAt!) - world().clock.now()).toBe(10_000)
    expect(waiting.text).toContain('A poll was requested. It begins at ')
    await pass(10_000)
    await second
    expect((await world().ask.explainStack('s0')).requestedPollAt).toBeNull()
    expect(polled()).toHaveLength(2)
    expect(await nextMs()).toBe(10_000)
  })
})

describe('a remote whose webhook is proven', () => {
  const hint = (): Promise<unknown> =>
    world().agent.polls.notify(remoteOf('s0'), { detectedBy: 'webhook', hook: 'github' })
  const nextMs = async (): Promise<number> =>
    Date.parse((await world().ask.getStack('s0')).nextPollAt!) - world().clock.now()

  async function quietPoll(): Promise<void> {
    world().server.reset()
    const before = (await world().ask.getStack('s0')).nextPollAt
    world().clock.advance(await nextMs())
    await until('it was polled', async () => ![before, null].includes((await world().ask.getStack('s0')).nextPollAt))
  }

  test('is polled ever less often, and at its interval again after a poll finds an unreported change', async () => {
    const { s0 } = await follow(names(1))
    expect(await nextMs()).toBe(60_000)
    await commit(s0!, label('blue'))
    await hint()
    expect(await nextMs()).toBe(60_000)
    const waits: number[] = []
    for (let n = 0; n < 5; n++) {
      await quietPoll()
      waits.push(await nextMs())
    }
    expect(waits).toEqual([120_000, 240_000, 480_000, 600_000, 600_000])
    expect((await world().ask.explainStack('s0')).delays).toEqual(['a webhook reports the changes'])
    await commit(s0!, yaml(label('blue'), label('green')))
    await quietPoll()
    expect(await nextMs()).toBe(60_000)
    await quietPoll()
    await quietPoll()
    expect(await nextMs()).toBe(60_000)
  })

  test('is not proven by a promotion', async () => {
    const { s0 } = await follow(names(1))
    await commit(s0!, label('blue'))
    await world().agent.polls.notify(remoteOf('s0'), { detectedBy: 'promote' })
    await quietPoll()
    expect(world().agent.polls.provenWebhooks.size).toBe(0)
    expect(await nextMs()).toBe(60_000)
  })
})

test('a fetch that a Retry-After delays is retried after it', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().push(yaml(label('red'), label('blue')))
  world().server.intercept(async (request) => {
    if (request.kind === 'fetch') await answering(429, { 'retry-after': '900' })(request)
  })
  await world().ask.requestSync('boards', 'ann', never)
  const failed = await until('the run failed', async () => {
    const run = await world().lastRun('boards')
    return run.outcome === 'failed' ? run : undefined
  })
  expect(failed.problems[0]!.code).toBe('source/too-many-requests')
  const explained = await world().ask.explainStack('boards')
  expect(Date.parse(explained.nextRetryAt!) - world().clock.now()).toBe(900_000)
  world().server.reset()
  world().server.intercept(undefined)
  await pass(600_000)
  expect(world().server.seen).toEqual([])
  world().clock.advance(301_000)
  await until('it has caught up', async () => (await world().names()).length === 2)
})
