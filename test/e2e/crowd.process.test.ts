// A thousand clients of one agent, as a process.
import { Agent, request } from 'node:http'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeRepository } from '../git-server.js'
import { label, yaml } from '../influxdb/packages.js'
import { useProgram } from './program.js'
import { until } from './until.js'

const program = useProgram()
const { type } = program

interface Asking {
  readonly agent: Agent
  readonly path: string
  readonly body?: object
}

/** One request; its answer's status, or why there is none. `leave` ends it. */
function ask({ agent, path, body }: Asking): { readonly answer: Promise<number | string>; readonly leave: () => void } {
  const { url, token } = program.address
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const sent = request(`${url}${path}`, { agent, headers, method: body === undefined ? 'GET' : 'POST' })
  const answer = new Promise<number | string>((resolve) => {
    sent.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)))
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  return { answer, leave: () => sent.destroy() }
}

/** A thousand requests, of which each tenth is `rare`. */
function askOften(rare: Asking, frequent: Asking): readonly ReturnType<typeof ask>[] {
  return Array.from({ length: 1_000 }, (_, at) => ask(at % 10 === 0 ? rare : frequent))
}

function count(answers: readonly (number | string)[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1
  return counts
}

function openConnections(): Disposable & { readonly agent: Agent } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000, maxFreeSockets: 1_000 })
  return { agent, [Symbol.dispose]: () => agent.destroy() }
}

/** In MiB. */
function mostMemory(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

test('a thousand clients are served, a thousand waiting ones are served or get 503, and the agent still syncs', async () => {
  await program.push(label('red'))
  const quiet = await makeRepository(join(program.root, 'served'), 'quiet')
  await quiet.commit({ files: { 'package.yml': label('quiet') } })
  const { child, stderr } = await program.agent()
  await program.create('boards')
  expect(await type('stack', 'create', 'quiet', '--repo', `${program.server.url}/quiet.git`)).toMatchObject({
    code: 0,
  })
  const before = mostMemory(child.pid!)
  const kept = openConnections()
  const gets = askOften(
    { agent: kept.agent, path: '/api/v1/stacks/boards' },
    { agent: kept.agent, path: '/api/v1/webhooks' },
  )
  expect(count(await Promise.all(gets.map(({ answer }) => answer)))).toEqual({ 200: 1_000 })
  kept[Symbol.dispose]()

  using waiting = openConnections()
  const wait = (stack: string): Asking => ({
    agent: waiting.agent,
    path: `/api/v1/stacks/${stack}/wait`,
    body: { revision: 'abcdef0', timeoutMs: 600_000 },
  })
  const waits = askOften(wait('boards'), wait('quiet')) // each change of a stack wakes those who wait for it
  const ended: (number | string)[] = []
  for (const { answer } of waits) void answer.then((status) => ended.push(status))
  await until('half of them get 503', () => ended.length >= 500)
  await program.push(yaml(label('red'), label('blue')))
  expect(await type('sync', 'boards', '--no-wait')).toMatchObject({ code: 0 })
  await until('it is applied', async () => (await (await program.fetch('/api/v1/resources')).text()).includes('blue'))
  expect(count(ended)).toEqual({ 503: 500 })

  const late = type('wait', 'boards')
  for (const { leave } of waits) leave()
  expect(await late).toMatchObject({ code: 0 })
  await until('all are gone', () => ended.length === 1_000)
  expect(mostMemory(child.pid!) - before).toBeLessThan(200)
  expect(stderr()).not.toMatch(/MaxListeners|unexpected|failed/)
})
