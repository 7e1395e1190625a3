// `stack list --watch` and `history --follow` with a whole agent.
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../../src/api/server/server.js'
import { runCli } from '../../../src/cli/cli.js'
import { readEvents } from '../../../src/cli/client/watch-events.js'
import type { EventView } from '../../../src/views/event.js'
import type { RunRow } from '../../../src/views/run.js'
import type { StackRow } from '../../../src/views/stack.js'
import { sampleToken, serveAgent } from '../../api/request-api.js'
import { sampleEvent, sampleStack } from '../../api/sample-views.js'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { openTestShell } from '../type-command.js'

const world = useWorld()
let served: RunningServer
const typed: Typed[] = []

beforeEach(async () => {
  served = await serveAgent(world().call)
  await world().push(label('red'))
})
afterEach(async () => {
  for (const one of typed.splice(0)) one.interrupt()
  await served.close()
})

interface Typed {
  readonly stdout: () => string
  readonly stderr: () => string
  readonly lines: () => readonly string[]
  readonly code: Promise<number>
  /** Ctrl-C. */
  readonly interrupt: () => void
  readonly reader: PassThrough
}

function type(
  line: string,
  { rows, env = {} }: { readonly rows?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Typed {
  const interrupts = new EventEmitter()
  const collected = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr'): PassThrough => {
    const terminal = rows === undefined ? {} : { isTTY: true, columns: 200, rows }
    const out = Object.assign(new PassThrough(), terminal)
    out.on('data', (chunk: Buffer) => (collected[name] += chunk.toString()))
    return out
  }
  const stdout = stream('stdout')
  const code = runCli(line.split(' '), {
    stdout,
    stderr: stream('stderr'),
    stdin: new PassThrough(),
    environment: { GITMOOR_URL: served.url, GITMOOR_TOKEN: sampleToken, NO_COLOR: '1', ...env },
    cwd: world().root,
    version: '0',
    interrupts,
    now: () => world().clock.now(),
    startAgent: () => Promise.reject(new Error('not here')),
    restore: () => Promise.reject(new Error('not here')),
    checkOffline: () => Promise.reject(new Error('not here')),
    platforms: () => Promise.reject(new Error('not here')),
  })
  const lines = (): readonly string[] => collected.stdout.split('\n').filter((one) => one !== '')
  const one = {
    stdout: () => collected.stdout,
    stderr: () => collected.stderr,
    lines,
    code,
    interrupt: () => void interrupts.emit('SIGINT'),
    reader: stdout,
  }
  typed.push(one)
  return one
}

const rowsOf = (at: Typed): readonly (StackRow & { readonly deleted?: string })[] =>
  at.lines().map((line) => JSON.parse(line) as StackRow)

describe('stack list --watch', () => {
  test('prints the list, then every row that changes, and exits with 0 at Ctrl-C', async () => {
    await world().create('boards')
    await world().create('others', { target: 'other' })
    const watching = type('stack list --watch')
    await until('the list is there', () => watching.lines().length === 3)
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    await until('the row is there', () => watching.lines().length === 4)
    expect(watching.lines()[3]).toMatch(/^boards {2}Suspended /)
    await world().ask.deleteStack('others', { by: 'ann' }, never)
    await until('it is said to be gone', () => watching.lines().at(-1) === 'others  deleted')
    watching.interrupt()
    expect(await watching.code).toBe(0)
    expect(watching.stderr()).toBe('')
  })

  test('with --json prints a line for each changed row', async () => {
    await world().create('boards')
    const watching = type('stack list --watch --json')
    await until('the list is there', () => watching.lines().length === 1)
    await world().push(yaml(label('red'), label('blue')))
    await world().sync('boards')
    await until('it is applied', () =>
      rowsOf(watching).some(({ lastRun }) => lastRun?.id === '2' && lastRun.outcome === 'applied'),
    )
    await world().ask.deleteStack('boards', { by: 'ann' }, never)
    await until('it is gone', () => rowsOf(watching).at(-1)!.deleted === 'boards')
    expect(new Set(rowsOf(watching).map(({ name, deleted }) => name ?? deleted))).toEqual(new Set(['boards']))
  })

  test('redraws the list in place on a terminal', async () => {
    await world().create('boards')
    const watching = type('stack list --watch', { rows: 24 })
    await until('the list is there', () => watching.stdout().includes('boards'))
    expect(watching.stdout()).not.toContain('\u001b[2A')
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    await until('it is drawn', () => watching.stdout().includes('Suspended'))
    const [before, after] = watching.stdout().split('\u001b[2A')
    for (const drawn of [before, after])
      expect(drawn!.split('\n').filter((line) => line.includes('boards'))).toHaveLength(1)
  })

  test('prints changed rows below on a terminal that is too small', async () => {
    await world().create('boards')
    const watching = type('stack list --watch', { rows: 3 })
    await until('the list is there', () => watching.lines().length === 2)
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    await until('the row is there', () => watching.lines().length === 3)
    expect(watching.stdout()).not.toContain('\u001b')
  })

  test('finds the row of a changed stack on any page of the names that contain its name', async () => {
    let send: (event: EventView) => void = () => {}
    const edge = { ...sampleStack, name: 'edge' }
    const shell = await openTestShell({
      watchEvents: async (_, notify) => {
        send = notify
        notify(sampleEvent)
        return () => {}
      },
      listStacks: async ({ name, after }) => {
        if (name === undefined) return { items: [edge], next: null }
        if (after === undefined) return { items: [{ ...edge, name: 'a-edge' }], next: 'a-edge' }
        return { items: [{ ...edge, suspended: { why: 'lunch', by: 'ann', until: null } }], next: null }
      },
    })
    const stdout = new PassThrough()
    let text = ''
    stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const ended = shell.type('stack list --watch --json', { stdout })
    await until('the list is there', () => text.includes('edge'))
    send({ ...sampleEvent, id: '0a1b2c3d-8', type: 'stack.changed', stack: 'edge' })
    await until('the change is there', () => text.split('\n').length === 3)
    shell.interrupts.emit('SIGINT')
    expect((await ended).code).toBe(0)
    expect(JSON.parse(text.split('\n')[1]!)).toMatchObject({ name: 'edge', suspended: { why: 'lunch' } })
  })

  test('shows a row while it matches the filter', async () => {
    await world().create('boards')
    await world().create('others', { target: 'other' })
    const watching = type('stack list --watch --json --no-suspended --name board')
    await until('the list is there', () => watching.lines().length === 1)
    await world().ask.suspendStack('others', 'lunch', undefined, 'ann')
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    await until('it is gone', () => rowsOf(watching).at(-1)!.deleted === 'boards')
    await world().ask.resumeStack('boards', 'ann')
    await until('it is back', () => rowsOf(watching).at(-1)!.name === 'boards')
    expect(rowsOf(watching).some(({ name, deleted }) => (name ?? deleted) === 'others')).toBe(false)
  })

  test('continues after a restart of the agent, with the changes since', async () => {
    await world().create('boards')
    const watching = type('stack list --watch --json')
    await until('the list is there', () => watching.lines().length === 1)
    const port = Number(new URL(served.url).port)
    await served.close()
    await world().restart()
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    served = await serveAgent(world().call, { port })
    await until('the row is there', () => rowsOf(watching).at(-1)!.suspended?.why === 'lunch')
    watching.interrupt()
    expect(await watching.code).toBe(0)
  })

  test('fails at once without an agent, and for a wrong token', async () => {
    expect(await type('stack list --watch', { env: { GITMOOR_TOKEN: 'wrong' } }).code).toBe(4)
    await served.close()
    expect(await type('stack list --watch').code).toBe(1)
  })

  test('ends when its output is closed', async () => {
    await world().create('boards')
    const watching = type('stack list --watch')
    await until('the list is there', () => watching.lines().length === 2)
    watching.reader.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }))
    expect(await watching.code).toBe(0)
  })
})

describe('history --follow', () => {
  test('prints the runs, oldest first, then each run when it starts and finishes', async () => {
    await world().create('boards')
    const following = type('history boards --follow')
    await until('the first is there', () => following.lines().length === 2)
    await world().push(yaml(label('red'), label('blue')))
    await world().sync('boards')
    await until('the second has ended', () => following.lines().some((line) => /^2 .*applied/.test(line)))
    expect(following.lines().map((line) => line.split(/ {2,}/).filter((_, at) => at === 0 || at === 2))).toEqual([
      ['RUN', 'OUTCOME'],
      ['1', 'applied'],
      ['2', 'queued'],
      ['2', 'applied'],
    ])
    following.interrupt()
    expect(await following.code).toBe(0)
  })

  test('with --json prints a line for each run', async () => {
    await world().create('boards')
    const following = type('history boards --follow --json')
    await until('the first is there', () => following.lines().length === 1)
    await world().sync('boards')
    const runs = (): readonly RunRow[] => following.lines().map((line) => JSON.parse(line) as RunRow)
    await until('the second has ended', () => runs().some(({ id, outcome }) => id === '2' && outcome !== null))
    expect(runs().map(({ id, outcome }) => [id, outcome])).toEqual([
      ['1', 'applied'],
      ['2', null],
      ['2', 'unchanged'],
    ])
  })

  test('ends when the stack is deleted', async () => {
    await world().create('boards')
    const following = type('history boards --follow')
    await until('the first is there', () => following.lines().length === 2)
    await world().ask.deleteStack('boards', { by: 'ann' }, never)
    expect(await following.code).toBe(0)
    expect(following.stderr()).toBe('Stack boards was deleted.\n')
  })

  test('without a name prints the runs of all stacks, with a selector those of some', async () => {
    await world().create('boards', { labels: { team: 'ops' } })
    const following = type('history --follow')
    const some = type('history -l team=ops --follow')
    await until('the first is there', () => following.lines().length === 2 && some.lines().length === 2)
    await world().create('edge', { target: 'other' })
    await world().create('lab', { target: 'other', labels: { team: 'ops' } })
    await until('the last has ended', () => following.lines().some((line) => /^3 .*(applied|unchanged)/.test(line)))
    await until('the last has ended', () => some.lines().some((line) => /^3 .*(applied|unchanged)/.test(line)))
    const stacks = (lines: readonly string[]): ReadonlySet<string> =>
      new Set(lines.map((line) => line.split(/ {2,}/).slice(0, 2).join(' ')))
    expect(stacks(following.lines())).toEqual(new Set(['RUN STACK', '1 boards', '2 edge', '3 lab']))
    expect(stacks(some.lines())).toEqual(new Set(['RUN STACK', '1 boards', '3 lab']))
    for (const one of [following, some]) {
      one.interrupt()
      expect(await one.code).toBe(0)
    }
  })

  test('is refused for one run, and for an unknown stack', async () => {
    expect(await type('history boards 1 --follow').code).toBe(3)
    expect(await type('history nothing --follow').code).toBe(9)
  })
})

test('events are read in chunks of any size', async () => {
  const { id, ...data } = { ...sampleEvent, stack: 'bäume' }
  const bytes = Buffer.from(
    `:\n\nid: ${id}\nevent: open\ndata: ${JSON.stringify(data)}\n\n:\n\nid: b-2\nevent: open\ndata: ${JSON.stringify(data)}\n\n`,
  )
  for (const size of [1, 2, 3, 7, 1_000]) {
    const read = []
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    for await (const event of readEvents(chunks())) read.push(event)
    expect(read).toEqual([
      { ...data, id },
      { ...data, id: 'b-2' },
    ])
  }
})
