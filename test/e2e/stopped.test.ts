// An agent that the machine does not let run, or has nothing left for: stopped for a while, killed, and without a file descriptor to spare.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LiveResource, StackView } from '../../src/stacks/views.js'
import { makeRepository, startGitServer, type GitServer, type Repository } from '../git-server.js'
import { build, type Built } from './built.js'
import { bucket, label, yaml } from './packages.js'
import { Processes, type Ended, type Started } from './processes.js'
import { until } from './until.js'

let built: Built
let processes: Processes
let root: string
let server: GitServer
let repository: Repository

beforeEach(async () => {
  built = build()
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-stopped-')))
  processes = new Processes(built.main)
  repository = await makeRepository(join(root, 'served'))
  server = await startGitServer(join(root, 'served'))
})
afterEach(async () => {
  await processes[Symbol.asyncDispose]()
  await server.close()
  rmSync(root, { recursive: true, force: true })
  built[Symbol.dispose]()
})

const type = (...args: readonly string[]): Promise<Ended> => processes.run([...args, '--data', join(root, 'data')], { cwd: root })
const get = async (): Promise<StackView> => JSON.parse((await type('stack', 'get', 'boards', '--json')).stdout) as StackView

async function list<T>(...words: readonly string[]): Promise<readonly T[]> {
  return (JSON.parse((await type(...words, '--json')).stdout) as { items: readonly T[] }).items
}

async function outcomes(): Promise<readonly (string | null)[]> {
  const { items } = JSON.parse((await type('history', 'boards', '--json')).stdout) as { items: readonly { outcome: string | null }[] }
  return items.map(({ outcome }) => outcome)
}

/** An agent with one stack, looked at every five seconds. */
async function start(limits: string): Promise<Started> {
  await repository.commit({ files: { 'package.yml': label('red') } })
  writeFileSync(join(root, 'gitmoor.yaml'), `log: { format: json }\nlimits: { ${limits} }\n`)
  const agent = await processes.agent(['--config', join(root, 'gitmoor.yaml')], { cwd: root, data: join(root, 'data') })
  const url = `${server.url}/${repository.name}`
  expect(await type('stack', 'create', 'boards', '--repo', url, '--ref', 'main', '--interval', '5s')).toMatchObject({ code: 0 })
  return agent
}

test('stopped in the middle of a fetch it goes on where it was: what came meanwhile is read, and nothing is done twice', async () => {
  const agent = await start('gitRequest: 1500ms, fetch: 2s')
  let answer = (): void => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  server.intercept(async ({ body }, response, backend) => {
    if (body.includes('command=fetch')) await held
    const { status, headers, body: text } = await backend()
    response.writeHead(status, headers).end(text)
  })
  await repository.commit({ files: { 'package.yml': yaml(label('red'), label('blue')) } })
  server.reset()
  const syncing = type('sync', 'boards')
  await until('it fetches', () => server.seen.some(({ body }) => body.includes('command=fetch')))
  agent.child.kill('SIGSTOP')
  answer()
  await pause(6_000)
  agent.child.kill('SIGCONT')
  expect(await syncing).toMatchObject({ code: 0 })
  expect(await get()).toMatchObject({ sync: 'Synced', health: 'Healthy' })
  expect(await outcomes()).toEqual(['applied', 'applied'])
  expect(agent.stderr()).not.toMatch(/timeout|not seen|failed/)
})

test('killed again and again in the middle of fifty first runs it ends with all of them, each once', { timeout: 60_000 }, async () => {
  const names = Array.from({ length: 50 }, (_, at) => `s${at}`)
  await repository.commit({
    files: Object.fromEntries(names.map((name) => [`${name}/p.yml`, yaml(label(name), bucket(name, { labels: [name] }))])),
  })
  const stacks = names.map(
    (name) => `  - { name: ${name}, sources: [{ url: '${server.url}/${repository.name}', ref: main, path: ${name} }] }\n`,
  )
  writeFileSync(join(root, 'gitmoor.yaml'), `log: { format: json }\nstacks:\n${stacks.join('')}`)
  const start = (): Promise<Started> => processes.agent(['--config', join(root, 'gitmoor.yaml')], { cwd: root, data: join(root, 'data') })
  for (const runs of [5, 10, 5]) {
    const agent = await start()
    await until('some have run', () => agent.stderr().split('run ended').length > runs)
    agent.child.kill('SIGKILL')
    await agent.ended
  }
  await start()
  await until('all are there', async () => (await list<StackView>('stack', 'list')).every(({ sync }) => sync === 'Synced'), 30_000)
  const things = await list<LiveResource>('resource', 'list')
  const ours = things.filter(({ displayName }) => !displayName.startsWith('_'))
  expect(ours.filter(({ family }) => family === 'Label')).toHaveLength(50)
  expect(ours.filter(({ family }) => family === 'Bucket')).toHaveLength(50)
  expect(ours.filter(({ family }) => family === 'LabelMapping')).toHaveLength(50)
  expect(ours.every(({ stack }) => stack !== null)).toBe(true)
})

const canLimit = existsSync('/usr/bin/prlimit') && existsSync('/proc/self/fd')

test.skipIf(!canLimit)(
  'without a file descriptor to spare it says so in words, loses nothing, and goes on when there are some again',
  { timeout: 60_000 },
  async () => {
    const agent = await start('gitRequest: 5s')
    const { pid } = agent.child
    const limit = (soft: number): unknown => execFileSync('/usr/bin/prlimit', ['--pid', String(pid), `--nofile=${soft}:`])
    const open = readdirSync(`/proc/${pid}/fd`).map(Number)
    server.intercept((_, response) => void response.writeHead(503, { Connection: 'close' }).end())
    await until('its connections are closed', () => agent.stderr().includes('source not seen'), 20_000)
    server.intercept(undefined)
    limit(Math.min(...Array.from({ length: Math.max(...open) + 2 }, (_, fd) => fd).filter((fd) => !open.includes(fd))))
    await repository.commit({ files: { 'package.yml': yaml(label('red'), label('blue')) } })
    await until('it says why', () => agent.stderr().includes('too many files and connections open'), 20_000)
    limit(1_024)
    await until('it goes on', async () => (await type('resource', 'list')).stdout.includes('blue'), 30_000)
    expect(await get()).toMatchObject({ sync: 'Synced', health: 'Healthy' })
    expect(await outcomes()).toEqual(['applied', 'applied'])
    expect(agent.stderr()).not.toMatch(/unexpected error|\\n +at /)
  },
)
