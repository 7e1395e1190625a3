// An agent that the machine does not let run, or has nothing left for: stopped for a while, killed, and without a file
// descriptor to spare.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { TargetResource } from '../../src/views/resource.js'
import type { StackView } from '../../src/views/stack.js'
import { bucket, label, yaml } from '../influxdb/packages.js'
import type { Started } from './processes.js'
import { useProgram } from './program.js'
import { until } from './until.js'

const program = useProgram()
const { type, get, list } = program
const config = (): string => join(program.root, 'gitmoor.yaml')

/** Runs that ended, by its log. */
function runsIn({ stderr }: Started): number {
  return stderr().split('run ended').length - 1
}

async function outcomes(): Promise<readonly (string | null)[]> {
  return (await list<{ outcome: string | null }>('history', 'boards')).map(({ outcome }) => outcome)
}

/** An agent with one stack, polled every five seconds. */
async function start(limits: string): Promise<Started> {
  await program.push(label('red'))
  writeFileSync(config(), `log: { format: json }\nlimits: { ${limits} }\n`)
  const agent = await program.agent('--config', config())
  // As a process: its connection to the agent is closed when it has ended.
  const words = ['--repo', program.url, '--ref', 'main', '--interval', '5s']
  expect(await program.run('stack', 'create', 'boards', ...words)).toMatchObject({ code: 0 })
  return agent
}

test('an agent that is suspended during a fetch continues: it finds newer commits, and does nothing twice', async () => {
  const agent = await start('gitRequest: 1500ms, fetch: 2s')
  let answer = (): void => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  program.server.intercept(async ({ body }, response, backend) => {
    if (body.includes('command=fetch')) await answered
    const { status, headers, body: text } = await backend()
    response.writeHead(status, headers).end(text)
  })
  await program.push(yaml(label('red'), label('blue')))
  program.server.reset()
  const syncing = type('sync', 'boards')
  await until('it fetches', () => program.server.seen.some(({ body }) => body.includes('command=fetch')))
  agent.child.kill('SIGSTOP')
  answer()
  await pause(3_000) // longer than the limit of a fetch
  agent.child.kill('SIGCONT')
  expect(await syncing).toMatchObject({ code: 0 })
  expect(await get()).toMatchObject({ sync: 'Synced', health: 'Healthy' })
  expect(await outcomes()).toEqual(['applied', 'applied'])
  expect(agent.stderr()).not.toMatch(/timeout|not seen|failed/)
})

test('killed again and again in the middle of thirty first runs it ends with all of them, each once', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `s${at}`)
  await program.repository.commit({
    files: Object.fromEntries(
      names.map((name) => [`${name}/p.yml`, yaml(label(name), bucket(name, { labels: [name] }))]),
    ),
  })
  const stacks = names.map(
    (name) => `  - { name: ${name}, sources: [{ url: '${program.url}', ref: main, path: ${name} }] }\n`,
  )
  writeFileSync(config(), `log: { format: json }\nstacks:\n${stacks.join('')}`)
  const start = (): Promise<Started> => program.agent('--config', config())
  for (const runs of [3, 6, 3]) {
    const agent = await start()
    await until('some have run', () => runsIn(agent) >= runs)
    agent.child.kill('SIGKILL')
    await agent.ended
    // e2e/faulty-agent has the pause after a crash; here it would only take time.
    rmSync(join(program.data, 'reads.json'))
  }
  await start()
  const areSynced = async (): Promise<boolean> => {
    await pause(100) // a list of 30 stacks is work for the agent that is observed
    return (await list<StackView>('stack', 'list')).every(({ sync }) => sync === 'Synced')
  }
  await until('all are there', areSynced)
  const resources = await list<TargetResource>('resource', 'list')
  const ours = resources.filter(({ displayName }) => !displayName.startsWith('_'))
  expect(ours.filter(({ family }) => family === 'Label')).toHaveLength(30)
  expect(ours.filter(({ family }) => family === 'Bucket')).toHaveLength(30)
  expect(ours.filter(({ family }) => family === 'LabelMapping')).toHaveLength(30)
  expect(ours.every(({ stack }) => stack !== null)).toBe(true)
})

/** Requests a sync over a connection that stays open. Gives the status of the answer. */
function requestSync(agent: Agent): Promise<number | undefined> {
  const { url, token } = program.address
  const options = { agent, method: 'POST', headers: { Authorization: `Bearer ${token}` } }
  return new Promise((resolve, reject) => {
    request(`${url}/api/v1/stacks/boards/sync`, options, (answer) =>
      answer.resume().once('end', () => resolve(answer.statusCode)),
    )
      .once('error', reject)
      .end()
  })
}

const canLimit = existsSync('/usr/bin/prlimit') && existsSync('/proc/self/fd')

test.skipIf(!canLimit)(
  'without a free file descriptor it says so, loses nothing, and continues when there are some again',
  async () => {
    const agent = await start('gitRequest: 5s')
    const { pid } = agent.child
    const limit = (soft: number): unknown =>
      execFileSync('/usr/bin/prlimit', ['--pid', String(pid), `--nofile=${soft}:`])
    const openFiles = (): readonly number[] => readdirSync(`/proc/${pid}/fd`).map(Number)
    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await requestSync(kept)).toBe(200)
    const before = openFiles().length
    program.server.closeConnections()
    await until('its connections are closed', () => openFiles().length < before)
    const open = openFiles()
    limit(Math.min(...Array.from({ length: Math.max(...open) + 2 }, (_, fd) => fd).filter((fd) => !open.includes(fd))))
    await program.push(yaml(label('red'), label('blue')))
    expect(await requestSync(kept)).toBe(503)
    expect(agent.stderr()).toContain('too many files and connections open')
    limit(1_024)
    await until('it goes on', () => agent.stderr().split('"outcome":"applied"').length > 2)
    expect((await type('resource', 'list')).stdout).toContain('blue')
    expect(await get()).toMatchObject({ sync: 'Synced', health: 'Healthy' })
    expect(await outcomes()).toEqual(['applied', 'unchanged', 'applied'])
    expect(agent.stderr()).not.toMatch(/unexpected error|\\n +at /)
  },
)
