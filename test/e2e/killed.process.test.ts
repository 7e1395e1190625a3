// Kills the agent at the moment when it sends a request to its remote. The next agent loses nothing and does nothing
// twice. Each test continues with the agent and the commits that the test before it left.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Seen } from '../git-server.js'
import { secret, senders, type Sent } from '../webhooks/senders.js'
import { label, yaml } from '../influxdb/packages.js'
import type { Started } from './processes.js'
import { useProgram } from './program.js'
import { until } from './until.js'

const program = useProgram({ once: true })
const { type, list } = program
let agent: Started | undefined
let commits = 0
/** What the tag `stable` points to, and the commit that the test releases. */
let first: string
let second: string
/** At the start of the test. */
let earlier: Awaited<ReturnType<typeof history>>

beforeAll(() => {
  const { root, server, url } = program
  writeFileSync(join(root, 'secret'), secret)
  writeFileSync(
    join(root, 'gitmoor.yaml'),
    [
      `credentials: { moor: { match: '${server.url}/', token: '\${file:${join(root, 'secret')}}', allowHttp: true, push: true } }`,
      `webhooks: { github: { provider: github, secret: '\${file:${join(root, 'secret')}}' } }`,
      `stacks:\n  - { name: boards, interval: 1h, sources: [{ url: '${url}', ref: stable }] }\n`,
    ].join('\n'),
  )
})

beforeEach(async () => {
  program.server.intercept(undefined)
  first = commits === 0 ? await push('stable') : await program.repository.git('rev-parse', 'stable^{commit}')
  if (agent === undefined || agent.child.signalCode !== null) await start()
  expect(await type('wait', 'boards', '--revision', first)).toMatchObject({ code: 0 })
  second = await push('beta')
  earlier = await history()
})

/** Commits a package that no commit before it had, and moves the tag to it. */
function push(tag: string): Promise<string> {
  return program.push(yaml(label('red'), label(`label-${++commits}`)), tag)
}

async function start(): Promise<void> {
  // Reads that were in progress at a crash are delayed by 5 s, which e2e/faulty-agent tests.
  rmSync(join(program.data, 'reads.json'), { force: true })
  agent = await program.agent('--config', join(program.root, 'gitmoor.yaml'))
  await until('the stack of the file is declared', async () => (await program.fetch('/api/v1/stacks/boards')).ok)
}

/** At the first request of this sort: before the server does it, or when it is done and not answered. */
function killAt(isIt: (seen: Seen) => boolean, when: 'before' | 'after' = 'before'): void {
  program.server.intercept(async (seen, response, backend) => {
    const isHere = isIt(seen)
    const { status, headers, body } =
      isHere && when === 'before' ? { status: 500, headers: {}, body: '' } : await backend()
    if (isHere) program.server.intercept(undefined)
    if (isHere) agent!.child.kill('SIGKILL')
    response.writeHead(status, headers).end(body)
  })
}

/** Reports the move of the tag, each time by the same delivery. */
async function notify(sent: Sent): Promise<unknown> {
  const answer = await fetch(`${program.address.url}/hooks/github`, { method: 'POST', ...sent })
  return await answer.json()
}

/** Newest first: the moves of the channel, and the outcomes of the runs. */
async function history(): Promise<{
  readonly moves: readonly (string | undefined)[]
  readonly outcomes: readonly (string | null)[]
}> {
  const moves = await list<{ readonly to: { readonly commit: string } | null }>('channel', 'log', 'stable')
  const runs = await list<{ readonly outcome: string | null }>('history', 'boards')
  return { moves: moves.map(({ to }) => to?.commit), outcomes: runs.map(({ outcome }) => outcome) }
}

/** The test released `second`, and ran it, once. */
async function expectOneMove(): Promise<void> {
  expect(await history()).toEqual({
    moves: [second, ...earlier.moves],
    outcomes: ['applied', ...earlier.outcomes],
  })
  expect(earlier.moves[0]).toBe(first)
}

const asks = (text: string) => (seen: Seen) => seen.body.includes(text)

test.each([
  ['between a delivery and the poll that it triggers', 'command=ls-refs', 'before'],
  ['after the answer to the poll, before the move is recorded', 'command=ls-refs', 'after'],
  ['after the move is recorded, before its commit is fetched', 'command=fetch', 'before'],
  ['after the commit is sent, before it is stored', 'command=fetch', 'after'],
] as const)('killed %s, the next agent applies it, once', async (_, request, when) => {
  await program.repository.tag('stable', second)
  const sent = senders['GitHub, JSON']!.send({
    repository: `${program.server.url}/repository`,
    ref: 'refs/tags/stable',
    commit: second,
  })
  killAt(asks(request), when)
  // The delivery is stored before the poll begins. The kill may cut off the answer to it.
  await notify(sent).catch(() => undefined)
  expect(await agent!.ended).toMatchObject({ signal: 'SIGKILL' })
  await start()
  expect(await type('wait', 'boards', '--revision', second)).toMatchObject({ code: 0 })
  expect(await notify(sent)).toMatchObject({ repeated: true })
  await expectOneMove()
})

test('killed in a promotion before the tag is pushed, nothing has moved, and the same command promotes', async () => {
  const before = await program.get()
  killAt(({ url }) => url.endsWith('/git-receive-pack'))
  const promoting = type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')
  expect(await agent!.ended).toMatchObject({ signal: 'SIGKILL' })
  expect((await promoting).code).not.toBe(0)
  await start()
  expect(await program.repository.git('rev-parse', 'stable^{commit}')).toBe(first)
  expect(await program.get()).toMatchObject({ sync: 'Synced', resources: before.resources })
  expect(await type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')).toMatchObject({ code: 0 })
  expect(await type('wait', 'boards', '--revision', second)).toMatchObject({ code: 0 })
  await expectOneMove()
})

test('killed in a promotion after the tag is pushed, the next agent records the move and applies it, once', async () => {
  killAt(({ url }) => url.endsWith('/git-receive-pack'), 'after')
  const promoting = type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')
  expect(await agent!.ended).toMatchObject({ signal: 'SIGKILL' })
  expect((await promoting).code).not.toBe(0)
  await start()
  expect(await type('wait', 'boards', '--revision', second)).toMatchObject({ code: 0 })
  await expectOneMove()
  expect(await type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('already') as string,
  })
  await expectOneMove()
})
