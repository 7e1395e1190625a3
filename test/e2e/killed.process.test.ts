// An agent that is killed at the moment at which its remote is asked for something: the next one loses nothing and does
// nothing twice.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Seen } from '../git-server.js'
import { secret, senders, type Sent } from '../webhooks/senders.js'
import { label, yaml } from './packages.js'
import type { Started } from './processes.js'
import { useProgram } from './program.js'
import { until } from './until.js'

const program = useProgram()
const { type, list } = program
let agent: Started
let first: string
let second: string

beforeEach(async () => {
  const { root, server, url } = program
  first = await program.push(label('red'), 'stable')
  writeFileSync(join(root, 'secret'), secret)
  writeFileSync(
    join(root, 'gitmoor.yaml'),
    [
      `credentials: { moor: { match: '${server.url}/', token: '\${file:${join(root, 'secret')}}', allowHttp: true, push: true } }`,
      `webhooks: { github: { provider: github, secret: '\${file:${join(root, 'secret')}}' } }`,
      `stacks:\n  - { name: boards, interval: 1h, sources: [{ url: '${url}', ref: stable }] }\n`,
    ].join('\n'),
  )
  await start()
  expect(await type('wait', 'boards', '--revision', first)).toMatchObject({ code: 0 })
  second = await program.push(yaml(label('red'), label('blue')), 'beta')
})

async function start(): Promise<void> {
  agent = await program.agent('--config', join(program.root, 'gitmoor.yaml'))
  await until('the stack of the file is declared', async () => (await type('stack', 'get', 'boards')).code === 0)
}

/** At the first request of this sort: before the server does it, or when it is done and not answered. */
function killAt(isIt: (seen: Seen) => boolean, when: 'before' | 'after' = 'before'): void {
  program.server.intercept(async (seen, response, backend) => {
    const isHere = isIt(seen)
    const { status, headers, body } =
      isHere && when === 'before' ? { status: 500, headers: {}, body: '' } : await backend()
    if (isHere) program.server.intercept(undefined)
    if (isHere) agent.child.kill('SIGKILL')
    response.writeHead(status, headers).end(body)
  })
}

/** Tells of the tag, each time by the same delivery. */
async function tell(sent: Sent): Promise<unknown> {
  const answer = await fetch(`${program.address.url}/hooks/github`, { method: 'POST', ...sent })
  return await answer.json()
}

/** Newest first: where the channel went, and how the runs ended. */
async function told(): Promise<{
  readonly moves: readonly (string | undefined)[]
  readonly outcomes: readonly (string | null)[]
}> {
  const moves = await list<{ readonly to: { readonly commit: string } | null }>('channel', 'log', 'stable')
  const runs = await list<{ readonly outcome: string | null }>('history', 'boards')
  return { moves: moves.map(({ to }) => to?.commit), outcomes: runs.map(({ outcome }) => outcome) }
}

const asks = (text: string) => (seen: Seen) => seen.body.includes(text)

test.each([
  ['between a delivery and the look that it causes', 'command=ls-refs', 'before'],
  ['when the look was answered, before anything is recorded of it', 'command=ls-refs', 'after'],
  ['when the move is recorded, before its commit is fetched', 'command=fetch', 'before'],
  ['when the commit was sent, before it is kept', 'command=fetch', 'after'],
] as const)('killed %s, the next one applies it, once', async (_, request, when) => {
  await program.repository.tag('stable', second)
  const sent = senders['GitHub, JSON']!.send({
    repository: `${program.server.url}/repository`,
    ref: 'refs/tags/stable',
    commit: second,
  })
  killAt(asks(request), when)
  await tell(sent)
  expect(await agent.ended).toMatchObject({ signal: 'SIGKILL' })
  await start()
  expect(await type('wait', 'boards', '--revision', second)).toMatchObject({ code: 0 })
  expect(await tell(sent)).toMatchObject({ repeated: true })
  expect(await told()).toEqual({ moves: [second, first], outcomes: ['applied', 'applied'] })
})

test('killed in a promotion before the tag is pushed, nothing has moved, and the same command does it', async () => {
  killAt(({ url }) => url.endsWith('/git-receive-pack'))
  const promoting = type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')
  expect(await agent.ended).toMatchObject({ signal: 'SIGKILL' })
  expect((await promoting).code).not.toBe(0)
  await start()
  expect(await program.repository.git('rev-parse', 'stable^{commit}')).toBe(first)
  expect(await type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')).toMatchObject({ code: 0 })
  expect(await type('wait', 'boards', '--revision', second)).toMatchObject({ code: 0 })
  expect(await told()).toEqual({ moves: [second, first], outcomes: ['applied', 'applied'] })
})

test('killed in a promotion when the tag is pushed, the next one sees it, records it and applies it, once', async () => {
  killAt(({ url }) => url.endsWith('/git-receive-pack'), 'after')
  const promoting = type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')
  expect(await agent.ended).toMatchObject({ signal: 'SIGKILL' })
  expect((await promoting).code).not.toBe(0)
  await start()
  expect(await type('wait', 'boards', '--revision', second)).toMatchObject({ code: 0 })
  expect(await told()).toEqual({ moves: [second, first], outcomes: ['applied', 'applied'] })
  expect(await type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')).not.toMatchObject({
    code: 0,
  })
})
