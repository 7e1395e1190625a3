// npm run endurance -- [--minutes 30] [--stacks 200] [--seed N]: a real agent under everything that happens to one,
// then the promises are checked.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { StackRow } from '../../src/views/stack.js'
import { Dice } from '../random/dice.js'
import { approve, doSomething, resumeStack, type Scene } from './actions.js'
import { AgentProcess } from './agent-process.js'
import { approveOne, channels, unpinOne } from './channel-actions.js'
import { readStatistics, sample, thirds, type Sample } from './figures.js'
import { Network } from './network.js'
import { checkPromises } from './promises.js'
import { followersOf, needsToken, Project, writeConfiguration } from './world.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    stacks: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** How many resources happen in a second. */
    rate: { type: 'string', default: '4' },
  },
})

const minutes = Number(values.minutes)
const dice = new Dice(Number(values.seed))
const directory = mkdtempSync(join(tmpdir(), 'gitmoor-endurance-'))
const violations: string[] = []
const samples: Sample[] = []
const restarts: number[] = []
process.exitCode = await endure()

async function endure(): Promise<number> {
  const root = join(directory, 'remotes')
  mkdirSync(root)
  const projects: Project[] = []
  for (let i = 0; i < Math.ceil(Number(values.stacks) / 10); i++)
    projects.push(await Project.make(root, { name: `repository-${i}`, isLinear: i % 2 === 1 }, dice))
  const followers = followersOf(projects, Number(values.stacks))
  const network = await Network.open(root, (path) => needsToken(projects, path))
  const { url, remoteOf } = network
  const config = writeConfiguration(directory, {
    url,
    remoteOf,
    ssh: network.sshFiles(join(directory, 'ssh')),
    followers,
    projects,
  })
  const faultsFile = join(directory, 'faults.json')
  const [ledger, statistics, log] = [
    join(directory, 'ledger'),
    join(directory, 'statistics'),
    join(directory, 'agent.log'),
  ]
  writeFileSync(faultsFile, '{}')
  const data = join(directory, 'data')
  const agent = new AgentProcess(
    join(import.meta.dirname, 'child.js'),
    { config, data, faultsFile, ledger, statistics, seed: dice.seed() },
    log,
  )
  const violated = (what: string): void => void (violations.length < 200 && violations.push(what))
  const scene: Scene = {
    dice,
    agent,
    network,
    projects,
    followers,
    faultsFile,
    suspensions: [],
    byHand: [],
    vetoes: [],
    foreign: new Map(),
    violated,
    counts: {},
  }
  console.log(
    `${followers.length} stacks on ${projects.length} repositories for ${minutes} minutes, seed ${values.seed}; everything is below ${directory}`,
  )
  await agent.start()
  try {
    await happen(scene, data)
    await comeToRest(scene)
    const findings = await checkPromises(scene, { ledger, directory })
    for (const line of readFileSync(log, 'utf8').split('\n'))
      if (line.includes('unexpected error')) violated(`the log says: ${line.slice(0, 400)}`)
    report(scene, { findings, statistics, pid: agent.pid! })
  } finally {
    await agent.end('SIGTERM')
    await network.close()
  }
  if (violations.length === 0) rmSync(directory, { recursive: true, force: true })
  return violations.length === 0 ? 0 : 1
}

/**
 * In the first half the process is killed about once a minute; in the second it lives on, so that what grows can be
 * seen.
 */
async function happen(scene: Scene, data: string): Promise<void> {
  const began = Date.now()
  const until = began + minutes * 60_000
  let killAt = began + 30_000
  let sampledAt = 0
  while (Date.now() < until) {
    const now = Date.now()
    if (now > killAt && now < began + minutes * 30_000) {
      await restart(scene)
      killAt = Date.now() + 20_000 + scene.dice.below(60_000)
    }
    if (now > sampledAt + 10_000) {
      sampledAt = now
      const one = sample(scene.agent.pid!, data)
      if (one !== undefined) samples.push(one)
    }
    await Promise.all([
      doSomething(scene).catch((error: unknown) => scene.violated(`an action failed: ${String(error)}`)),
      sleep(1000 / Number(values.rate)),
    ])
  }
}

async function restart({ agent, dice: chance, counts }: Scene): Promise<void> {
  if (chance.chance(15)) {
    counts['frozen'] = (counts['frozen'] ?? 0) + 1
    return agent.freeze(3_000)
  }
  await agent.end(chance.chance(85) ? 'SIGKILL' : 'SIGTERM')
  restarts.push(await agent.start())
}

/**
 * Faults end, authors put everything in order, people do what they are asked for; then every stack has to come to rest
 * by itself.
 */
async function comeToRest(scene: Scene): Promise<void> {
  const { network, projects, faultsFile, agent, followers } = scene
  network.mendAll()
  writeFileSync(faultsFile, '{}')
  for (const project of projects) await project.pushLast(scene.dice)
  for (const { stack } of scene.suspensions) await resumeStack(scene, stack)
  const until = Date.now() + 300_000
  for (;;) {
    const rows = await agent.all<StackRow>('/api/v1/stacks')
    for (const row of rows) {
      if (row.suspended !== null) await resumeStack(scene, row.name)
      if (row.pinned !== null) await agent.ask('POST', `/api/v1/stacks/${row.name}/unpin`)
      if (row.phase === 'needs-approval') await approve(scene, row)
    }
    for (const { name, pin, newest } of await channels(scene)) {
      if (pin !== null) await unpinOne(scene, name)
      else if (newest?.state === 'blocked' || newest?.state === 'waiting') await approveOne(scene, newest)
    }
    const desired = new Map(followers.map(({ name, project, ref }) => [name, project.at[ref].id]))
    const late = rows.filter(
      ({ name, sync, revision }) => sync !== 'Synced' || !(revision.applied ?? '').endsWith(desired.get(name)!),
    )
    if (late.length === 0) return
    if (Date.now() > until)
      return late.forEach(({ name, conditions }) =>
        scene.violated(`${name} came to no rest: ${JSON.stringify(conditions)}`),
      )
    for (const { name } of late) if (scene.dice.chance(20)) await agent.ask('POST', `/api/v1/stacks/${name}/sync`)
    await sleep(2_000)
  }
}

function report(
  { counts, network }: Scene,
  { findings, statistics, pid }: { readonly findings: object; readonly statistics: string; readonly pid: number },
): void {
  console.log(`Happened: ${JSON.stringify({ ...counts, restarts: restarts.length, requestsToGit: network.requests })}`)
  console.log(`Found: ${JSON.stringify(findings)}`)
  const mine = readStatistics(statistics).filter((one) => one.pid === pid)
  const seen = samples.filter((one) => one.pid === pid)
  const table: readonly (readonly [string, readonly number[], (value: number) => string])[] = [
    ['memory (RSS)', mine.map(({ rss }) => rss), mebibytes],
    ['heap', mine.map(({ heap }) => heap), mebibytes],
    ['timers', mine.map(({ resources }) => resources['Timeout'] ?? 0), String],
    [
      'all that keeps it alive',
      mine.map(({ resources }) => Object.values(resources).reduce((a, b) => a + b, 0)),
      String,
    ],
    ['descriptors', seen.map(({ descriptors }) => descriptors), String],
    ['database', seen.map(({ databaseBytes }) => databaseBytes), mebibytes],
    ['copies of repositories', seen.map(({ gitBytes }) => gitBytes), mebibytes],
  ]
  console.log('Of the last process, medians of the first, the middle and the last third of its life:')
  for (const [what, all, show] of table)
    console.log(`  ${what.padEnd(24)} ${thirds(all).map(show).join('  ')}   most ${show(Math.max(0, ...all))}`)
  console.log(`Restarts until ready: ${restarts.map((ms) => Math.round(ms)).join(' ')} ms`)
  for (const violation of violations) console.log(`VIOLATED ${violation}`)
  console.log(violations.length === 0 ? 'Promises 1 to 8 held.' : `${violations.length} violations.`)
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
