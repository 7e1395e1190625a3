// An agent that is killed at the moment at which its remote is asked for something: the next one loses nothing and does nothing twice.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeRepository, startGitServer, type GitServer, type Repository, type Seen } from '../git-server.js'
import { secret, senders, type Sent } from '../stacks/webhooks/senders.js'
import { build, type Built } from './built.js'
import { label, yaml } from './packages.js'
import { Processes, type Ended, type Started } from './processes.js'

let built: Built
let processes: Processes
let root: string
let server: GitServer
let repository: Repository
let agent: Started
let first: string
let second: string

beforeAll(() => void (built = build()))
afterAll(() => built[Symbol.dispose]())
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-killed-')))
  processes = new Processes(built.main)
  repository = await makeRepository(join(root, 'served'))
  server = await startGitServer(join(root, 'served'))
  first = await repository.commit({ files: { 'package.yml': label('red') }, tags: ['stable'] })
  writeFileSync(join(root, 'secret'), secret)
  writeFileSync(
    join(root, 'gitmoor.yaml'),
    [
      `credentials: { moor: { match: '${server.url}/', token: '\${file:${join(root, 'secret')}}', allowHttp: true, push: true } }`,
      `webhooks: { github: { provider: github, secret: '\${file:${join(root, 'secret')}}' } }`,
      `stacks:\n  - { name: boards, interval: 1h, sources: [{ url: '${server.url}/${repository.name}', ref: stable }] }\n`,
    ].join('\n'),
  )
  await start()
  expect(await type('wait', 'boards', '--revision', first)).toMatchObject({ code: 0 })
  second = await repository.commit({ files: { 'package.yml': yaml(label('red'), label('blue')) }, tags: ['beta'] })
})
afterEach(async () => {
  await processes[Symbol.asyncDispose]()
  await server.close()
  rmSync(root, { recursive: true, force: true })
})

async function start(): Promise<void> {
  agent = await processes.agent(['--config', join(root, 'gitmoor.yaml')], { cwd: root, data: join(root, 'data') })
}

const type = (...args: readonly string[]): Promise<Ended> => processes.run([...args, '--data', join(root, 'data')], { cwd: root })

async function list<T>(...words: readonly string[]): Promise<readonly T[]> {
  return (JSON.parse((await type(...words, '--json')).stdout) as { items: readonly T[] }).items
}

/** At the first request of this sort: before the server does it, or when it is done and not answered. */
function killAt(isIt: (seen: Seen) => boolean, when: 'before' | 'after' = 'before'): void {
  server.intercept(async (seen, response, backend) => {
    const isHere = isIt(seen)
    const { status, headers, body } = isHere && when === 'before' ? { status: 500, headers: {}, body: '' } : await backend()
    if (isHere) server.intercept(undefined)
    if (isHere) agent.child.kill('SIGKILL')
    response.writeHead(status, headers).end(body)
  })
}

/** Tells of the tag, each time by the same delivery. */
async function tell(sent: Sent): Promise<unknown> {
  const { url } = JSON.parse(readFileSync(join(root, 'data', 'agent.json'), 'utf8')) as { url: string }
  const answer = await fetch(`${url}/hooks/github`, { method: 'POST', ...sent })
  return await answer.json()
}

/** Newest first: where the channel went, and how the runs ended. */
async function told(): Promise<{ readonly moves: readonly (string | undefined)[]; readonly outcomes: readonly (string | null)[] }> {
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
  await repository.tag('stable', second)
  const sent = senders['GitHub, JSON']!.send({ repository: `${server.url}/repository`, ref: 'refs/tags/stable', commit: second })
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
  expect(await repository.git('rev-parse', 'stable^{commit}')).toBe(first)
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
  expect(await type('channel', 'promote', 'beta', 'stable', '--why', 'it is good', '--yes')).not.toMatchObject({ code: 0 })
})
