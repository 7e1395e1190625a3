// Each request between an agent and a real InfluxDB is broken in each way: in the end, the server has what it has
// without a fault, and after an uninstall nothing. `npm run attack -- test/influxdb/driver/faults` tries all of them.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import type { StackSpec } from '../../../src/model/stacks/stack.js'
import type { RunView } from '../../../src/views/run.js'
import { attackScale, attackSeed } from '../../attack/scale.js'
import { inMemory } from '../../e2e/hosting.js'
import { until } from '../../e2e/until.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { seeded } from '../../package/seeded.js'
import { never } from '../../source/git-world.js'
import { faults, startFaultProxy, type Fault, type FaultPlan, type FaultProxy } from './fault-proxy.js'
import { packageTurns } from './package-turns.js'
import { newIds, pictureDifferences, takeServerPicture, type ServerPicture } from './server-picture.js'
import { newOrganisation, realServer } from './server.js'
import { hurriedClock, serverUnderTest } from './server-under-test.js'

const server = realServer()
if (server === undefined) console.log('GITMOOR_TEST_INFLUX_URL is not set: faults of a real InfluxDB are not tested.')

/** An answer that is too late takes this time. */
const requestLimit = '700ms'
/** More than a request is repeated, so the run fails and is retried. */
const outage = 9
const mostRetries = 6

const turns = ['a first apply', 'an update', 'a removal', 'an uninstall'] as const
type Turn = (typeof turns)[number]

interface Bench extends AsyncDisposable {
  readonly world: World
  readonly proxy: FaultProxy
  readonly picture: () => Promise<ServerPicture>
}

async function openBench(): Promise<Bench> {
  const proxy = await startFaultProxy(server!.url)
  const organisation = await newOrganisation(server!)
  const names = { main: organisation.name, other: organisation.name }
  const limits = { request: requestLimit, concurrency: 2 }
  const on = serverUnderTest({ ...server!, url: proxy.url }, names, { limits, clock: hurriedClock })
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-faults-')))
  writeNewDataDirectory(root)
  const world = new World(root, on, await inMemory())
  world.environment.set('ROUTING', 'the routing key').set('CHAT', 'the token')
  await world.start({ targets: ['local'], secrets: { environment: ['ROUTING', 'CHAT'], files: [] } })
  return {
    world,
    proxy,
    picture: () => takeServerPicture(server!, organisation.id),
    [Symbol.asyncDispose]: async () => {
      await world.close()
      await proxy[Symbol.asyncDispose]()
      await organisation.remove()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const dayMs = 86_400_000
const settings: Partial<StackSpec> = {
  intervalMs: dayMs,
  driftIntervalMs: dayMs,
  dataLoss: 'allow',
  secrets: { routing: '${env:ROUTING}', 'chat-token': '${env:CHAT}' },
}

/** Carries the turn out, and again as long as it fails. */
async function take(turn: Turn, { world, proxy }: Bench, plan: FaultPlan | undefined): Promise<readonly string[]> {
  if (turn !== 'an uninstall') await world.push(packageTurns[turn])
  proxy.plan(plan)
  if (turn === 'an uninstall') await uninstall(world)
  else await apply(world)
  return proxy.faulty
}

async function apply(world: World): Promise<void> {
  const isNew = (await world.ask.listStacks({ limit: 10 })).items.length === 0
  if (isNew) await world.ask.createStack(world.spec('boards', settings), 'ann')
  else await world.ask.requestSync('boards', 'ann', never)
  const { outcome, problems } = await endedWell(world)
  if (!isGood(outcome)) throw new Error(`${outcome}: ${JSON.stringify(problems)}`)
}

function isGood(outcome: string | null): boolean {
  return outcome === 'applied' || outcome === 'unchanged'
}

/** The last run, once it has ended well; moves the clock to each retry, and asks again after a run that has none. */
function endedWell(world: World): Promise<RunView> {
  let retries = 0
  return until('the last run has ended', async () => {
    const { lastRun } = await world.ask.getStack('boards')
    const run = lastRun === null ? undefined : await world.ask.getRun('boards', lastRun.id)
    if (run !== undefined && run.outcome !== null && (isGood(run.outcome) || retries >= mostRetries)) return run
    const { retryAt } = (await world.store.stacks.get('boards'))!
    if (retryAt !== null && retryAt > world.clock.now()) world.clock.advance(retryAt - world.clock.now())
    else if (run !== undefined && run.outcome !== null) {
      retries++
      await world.ask.requestSync('boards', 'ann', never)
    }
    return undefined
  })
}

async function uninstall(world: World): Promise<void> {
  for (let retries = 0; ; retries++)
    try {
      const { digest } = await world.ask.previewPlan('boards', { uninstall: true }, never)
      return void (await world.ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never))
    } catch (error) {
      if (retries === mostRetries) throw error
    }
}

/** The requests of each turn and what it leaves, without a fault. */
async function reference(
  bench: Bench,
): Promise<Readonly<Record<Turn, { requests: readonly string[]; left: ServerPicture }>>> {
  const found: [Turn, { requests: readonly string[]; left: ServerPicture }][] = []
  for (const turn of turns) {
    await take(turn, bench, undefined)
    found.push([turn, { requests: bench.proxy.requests, left: await bench.picture() }])
  }
  return Object.fromEntries(found) as Awaited<ReturnType<typeof reference>>
}

describe.skipIf(server === undefined)('between an agent and a real InfluxDB', () => {
  test.each(Object.keys(faults) as Fault[])(
    '%s at any request leaves what there is without it, and nothing twice',
    { timeout: 3_600_000 },
    async (fault) => {
      const random = seeded(attackSeed() + Object.keys(faults).indexOf(fault))
      await using bench = await openBench()
      const calm = await reference(bench)
      const most = Math.max(...turns.map((turn) => calm[turn].requests.length))
      const step = attackScale() >= 1 ? 1 : Math.round(2 / attackScale())
      const wrong: string[] = []
      for (let from = 1 + random(step); from <= most; from += step)
        for (const times of [1, outage]) {
          let before: ServerPicture | undefined
          for (const turn of turns) {
            const isHit = from <= calm[turn].requests.length
            const where = `${fault} at request ${from} of ${turn}${times > 1 ? ` and ${times - 1} more` : ''}`
            try {
              const hit = await take(turn, bench, isHit ? { fault, from, times } : undefined)
              const left = await bench.picture()
              const problems = [
                ...pictureDifferences(calm[turn].left, left),
                ...(before === undefined ? [] : newIds(before, left)),
              ]
              wrong.push(...problems.map((problem) => `${where} (${hit.join(', ')}): ${problem}`))
              before = left
            } catch (error) {
              wrong.push(`${where} (${bench.proxy.faulty.join(', ')}): ${(error as Error).message}`)
              bench.proxy.plan()
            }
          }
          if (wrong.length > 0) break
        }
      if (wrong.length > 0) throw new Error(wrong.join('\n'))
    },
  )
})
