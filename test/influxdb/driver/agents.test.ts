// Several stacks, and several agents, on one organisation of a real server.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '../../../src/lib/clock.js'
import { inMemory } from '../../e2e/hosting.js'
import { bucket, label, yaml } from '../packages.js'
import { until } from '../../e2e/until.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { ask, newOrganisation, realServer } from './server.js'
import { serverUnderTest, type ServerUnderTest } from './server-under-test.js'

const server = realServer()
const checkMs = 66_000

describe.skipIf(server === undefined)('on one organisation of a real InfluxDB,', () => {
  let organisation: Awaited<ReturnType<typeof newOrganisation>>
  let skippedMs = 0
  const clock: Clock = { ...systemClock, elapsed: () => systemClock.elapsed() + skippedMs }
  const opened: World[] = []

  beforeEach(async () => {
    organisation = await newOrganisation(server!)
    return () => organisation.remove()
  })
  afterEach(async () => {
    for (const world of opened.splice(0)) {
      await world.close()
      rmSync(world.root, { recursive: true, force: true })
    }
  })

  async function openAgent(): Promise<{ readonly world: World; readonly on: ServerUnderTest }> {
    const on = serverUnderTest(server!, { main: organisation.name, other: organisation.name }, { clock })
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-agents-')))
    writeNewDataDirectory(root)
    const world = new World(root, on, await inMemory())
    opened.push(world)
    await world.start({ targets: ['local'] })
    return { world, on }
  }

  /** A drift check of the stack, and what it queued. */
  async function check(world: World, name: string): Promise<void> {
    const { checkedAt } = await world.ask.getStack(name)
    skippedMs += checkMs
    world.clock.advance(checkMs)
    await until('it was checked', async () => (await world.ask.getStack(name)).checkedAt !== checkedAt)
    await world.lastRun(name)
  }

  const description = async (): Promise<string> => {
    const { body } = await ask(server!, 'GET', `/api/v2/buckets?orgID=${organisation.id}&name=raw`)
    return (body.buckets as { description: string }[])[0]!.description
  }

  test('two agents that declare one bucket differently stop: the second reports the fight', async () => {
    const agents = [await openAgent(), await openAgent()]
    for (const [at, { world }] of agents.entries()) {
      await world.push(yaml(bucket('raw', { description: `of agent ${at + 1}` })))
      expect((await world.create('boards', { driftIntervalMs: 60_000 })).outcome).toBe('applied')
    }
    const fighting = async (): Promise<World | undefined> => {
      for (const { world } of agents)
        if ((await world.store.stacks.get('boards'))!.failure?.code === 'agent/fighting') return world
      return undefined
    }
    let stopped: World | undefined
    for (let round = 0; round < 12 && stopped === undefined; round++) {
      await check(agents[round % 2]!.world, 'boards')
      stopped = await fighting()
    }
    const failure = (await stopped!.store.stacks.get('boards'))!.failure!
    expect(failure.message).toBe(
      'Bucket/raw description was corrected 5 times in 10 minutes: something else keeps changing it.',
    )
    const { on } = agents.find(({ world }) => world === stopped)!
    const other = agents.findIndex(({ world }) => world !== stopped)
    on.sent.length = 0
    stopped!.clock.advance(checkMs)
    await check(agents[other]!.world, 'boards')
    expect(on.sent.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(await description()).toBe(`of agent ${other + 1}`)
  })

  test('drift checks of many stacks share their listings', async () => {
    const { world, on } = await openAgent()
    const names = Array.from({ length: 30 }, (_, at) => `stack-${at}`)
    const files = names.map((name) => [`${name}/package.yml`, yaml(label(name), bucket(name, { labels: [name] }))])
    await world.repository.commit({ files: Object.fromEntries(files) as Record<string, string>, tags: [] })
    for (const name of names) await world.create(name, { path: name, driftIntervalMs: 60_000 })
    on.sent.length = 0
    const before = await Promise.all(names.map((name) => world.ask.getStack(name)))
    skippedMs += checkMs
    world.clock.advance(checkMs)
    for (const { name, checkedAt } of before)
      await until(`${name} was checked`, async () => (await world.ask.getStack(name)).checkedAt !== checkedAt)
    expect(on.sent.filter(({ method }) => method !== 'GET')).toEqual([])
    // Each stack reads a bucket, a label and its mapping.
    expect(on.sent.length).toBeLessThan(names.length)
  })
})
