// The end of an agent as a process: whatever hangs, it ends within the 10 seconds that supervisors give, and the next
// start goes on.
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { program as main } from './built.js'
import { bucket, label, yaml } from '../influxdb/packages.js'
import { Processes, type Ended, type Started } from './processes.js'
import { useProgram } from './program.js'
import { until } from './until.js'

const program = useProgram()
const { agent, type, start, create, get } = program
const sockets: Socket[] = []

beforeEach(() => program.push(yaml(label('red'), bucket('raw'))))
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Sends the signal, and returns how and when the process ended. */
async function stop(started: Started, signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended & { readonly ms: number }> {
  const began = Date.now()
  started.child.kill(signal)
  return { ...(await started.ended), ms: Date.now() - began }
}

/** Sends text to the agent's port and reads nothing. */
async function send(text: (token: string) => string): Promise<void> {
  const { url, token } = program.address
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause()
  sockets.push(socket)
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.write(text(token), () => resolve()))
}

const head = (line: string, token: string): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`

/** Sends a request that never becomes complete. */
async function sendHalf(): Promise<void> {
  await send(
    (token) => `${head('POST /api/v1/stacks', token)}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  )
  await type('stack', 'list')
}

/** Metrics are printed with the token, and not without. */
async function expectMetrics(): Promise<void> {
  const { url, token } = program.address
  expect((await fetch(`${url}/metrics`)).status).toBe(401)
  const page = await until('the run is counted', async () => {
    const text = await (await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } })).text()
    return /^gitmoor_runs_total/m.test(text) && text
  })
  for (const line of [
    'gitmoor_stack_ready{stack="boards"} 1',
    'gitmoor_stack_lag_seconds{stack="boards"} 0',
    'gitmoor_runs_total{trigger="created",outcome="applied"} 1',
    'gitmoor_changes_total{action="create"} 2',
    'gitmoor_polls_total{method="git-http",result="moved"} 1',
  ])
    expect(page.split('\n')).toContain(line)
  expect(page).toMatch(/^gitmoor_poll_bytes_total\{method="git-http",result="moved"\} [1-9]\d*$/m)
  expect(page).toMatch(/^gitmoor_data_bytes\{part="(database|git)"\} [1-9]\d*$/m)
  expect(page).not.toMatch(/sha1|127\.0\.0\.1/)
}

describe('an agent that gets a signal stops', () => {
  test('at once with 0, though a remote hangs, a stream and a long poll are open, and a client watches', async () => {
    const started = await agent()
    await create('boards')
    await expectMetrics()
    let requests = 0
    program.server.intercept(() => void requests++)
    const syncing = start('sync', 'boards')
    await until('the remote hangs', () => requests > 0)
    await send((token) => `${head('GET /api/v1/events', token)}\r\n`)
    await send((token) => `${head('GET /api/v1/stacks/boards/runs/1?waitMs=60000&phase=done', token)}\r\n`)
    const watching = start('stack', 'list', '--watch')
    await until('it watches', () => watching.stdout().includes('boards'))
    const { code, ms } = await stop(started)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(5_000)
    expect((await syncing.ended).code).not.toBe(0)
    expect(await stop(watching, 'SIGINT')).toMatchObject({ code: 0, stderr: '' })
  })

  test('within 10 s, even if a client does not finish its request; at once at a second signal', async () => {
    for (const [second, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const started = await agent()
      await sendHalf()
      started.child.kill('SIGTERM')
      await until('it stops', () => started.stderr().includes('agent stops'))
      const ended = await stop(started, second)
      expect(ended).toMatchObject({ code, signal: null })
      expect(ended.ms).toBeLessThan(2_000)
    }
    const started = await agent()
    await sendHalf()
    const { code, ms } = await stop(started)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(10_000)
  })

  test('within 10 s, though a target hangs; it says so, and the next one puts it right', async () => {
    await using hung = new Processes(join(process.cwd(), 'test/e2e/hung-agent.mjs'))
    const started = await hung.agent([], { cwd: program.root, data: program.data, env: { DIST: dirname(main) } })
    await create('boards', '--no-wait')
    await until('the target hangs', () => started.stderr().includes('a create hangs'))
    const { code, ms, stderr } = await stop(started)
    expect({ code, inTime: ms < 10_000 }).toEqual({ code: 0, inTime: true })
    expect(stderr).toContain('shutdown timed out, runs interrupted')
    expect(stderr).not.toMatch(/^ {4}at /m)
    await agent()
    expect(await type('wait', 'boards', '--timeout', '20s')).toMatchObject({ code: 0 })
    expect((await get('boards')).resources.map(({ name }) => name)).toEqual(['raw', 'red'])
    const items = await program.list<{ displayName: string }>('resource', 'list')
    expect(items.filter(({ displayName }) => !displayName.startsWith('_'))).toHaveLength(2)
  })
})
