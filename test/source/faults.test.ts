import { readdirSync } from 'node:fs'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { credentialDocument } from '../../src/config/credentials.js'
import { Rejected, Unavailable, type SyncError } from '../../src/model/errors.js'
import { ManualClock } from '../manual-clock.js'
import type { BackendAnswer, GitServer, Intercept } from '../git-server.js'
import { LIMITS, errorOf, never, useGitWorld, sha1 } from './git-world.js'

const world = useGitWorld()
const SHORT = { ...LIMITS, gitRequestMs: 150, fetchMs: 600 }

/** Answers with the backend's answer, its body changed. */
function changed(change: (body: Buffer, answer: BackendAnswer) => Buffer): Intercept {
  return async (_, response, backend) => {
    const answer = await backend()
    const { 'content-length': _length, ...headers } = answer.headers
    response.writeHead(answer.status, headers).end(change(answer.body, answer))
  }
}

/** The answer that the server gives to a request, which itself gets nothing. */
async function oneAnswer(server: GitServer, request: () => Promise<unknown>): Promise<BackendAnswer> {
  const answer = new Promise<BackendAnswer>((resolve) => {
    server.intercept(async (_, response, backend) => {
      resolve(await backend())
      response.writeHead(500).end()
    })
  })
  await errorOf(request())
  return answer
}

function isPack(headers: BackendAnswer['headers']): boolean {
  return headers['content-type'] === 'application/x-git-upload-pack-result'
}

function plain(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Intercept {
  return (_, response) => void response.writeHead(status, headers).end(body)
}

function mirrorFiles(root: string): readonly string[] {
  const mirrors = join(root, 'data', 'mirrors')
  return readdirSync(mirrors, { recursive: true })
    .map(String)
    .filter((name) => /\.(pack|idx)$|commits.[0-9a-f]{40}$/.test(name))
    .sort()
}

/** Ends of the packets of an answer. */
function packetEnds(body: Buffer): readonly number[] {
  const ends: number[] = []
  for (let at = 0; at < body.length;) {
    at += Math.max(4, Number.parseInt(body.toString('latin1', at, at + 4), 16))
    ends.push(at)
  }
  return ends
}

function randomFrom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

test('an answer of 401 gives the line to add to the configuration file', async () => {
  const { source, server, remote } = world()
  server.intercept(plain(401, {}))
  const { hint } = (await errorOf(source.poll(remote, ['main'], never))) as SyncError
  const [, line] = /^Add to the configuration file: credentials: (\{.*\}\})\. Then /.exec(hint!)!
  expect(hint).toMatch(new RegExp(`kill -HUP ${process.pid} on the machine of the agent\\.$`))
  const { NAME } = parse(line!) as Readonly<Record<string, unknown>>
  expect(credentialDocument.parse(NAME)).toEqual({
    match: `${new URL(remote).origin}/`,
    token: '${file:PATH}',
    ...(remote.startsWith('http:') ? { allowHttp: true } : {}),
  })
})

test.each([
  [401, {}, Rejected, 'source/unauthorized', 'a credential is missing'],
  [403, {}, Rejected, 'source/unauthorized', 'a credential is missing'],
  [400, {}, Rejected, 'source/not-git', 'answered 400'],
  [429, { 'retry-after': '7' }, Unavailable, 'source/too-many-requests', 'answered 429'],
  [500, {}, Unavailable, 'source/server-error', 'answered 500'],
  [502, {}, Unavailable, 'source/server-error', 'answered 502'],
  [504, {}, Unavailable, 'source/server-error', 'answered 504'],
  [410, {}, Rejected, 'source/not-found', 'answered 410'],
  [503, { 'retry-after': '7' }, Unavailable, 'source/server-error', 'answered 503'],
])('an answer of %i says what it means', async (status, headers, type, code, message) => {
  const { source, server, remote } = world()
  server.intercept(plain(status, headers))
  const error = await errorOf(source.poll(remote, ['main'], never))
  expect(error).toBeInstanceOf(type)
  expect(error).toMatchObject({ code, hint: expect.any(String) as string })
  expect(error.message).toContain(remote)
  expect(error.message).toContain(`answered ${status}`)
  expect(error.message).toContain(message)
  if ('retry-after' in headers) expect(error).toMatchObject({ retryAfterMs: 7000 })
})

test.each([
  ['seconds', '120', 120_000],
  ['a date', 'Wed, 21 Oct 2015 07:30:00 GMT', 120_000],
  ['a date gone by', 'Wed, 21 Oct 2015 07:00:00 GMT', 0],
  ['a year', '31536000', 900_000],
  ['nonsense', 'soon', undefined],
])('Retry-After as %s is heeded, for 15 minutes at most', async (_, value, ms) => {
  const { restart, server, remote } = world()
  const source = restart({ clock: new ManualClock(Date.parse('2015-10-21T07:28:00Z')) })
  server.intercept(plain(429, { 'retry-after': value }))
  expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({ retryAfterMs: ms })
})

test('a missing repository is reported as missing', async () => {
  const { source, server } = world()
  const error = await errorOf(source.poll(`${server.url}/gone.git`, ['main'], never))
  expect(error).toMatchObject({ name: 'Rejected', code: 'source/not-found' })
})

test('a credential is sent, and where it is wrong the message does not repeat it', async () => {
  const { repository, restart, server, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const urls: string[] = []
  const source = restart({
    authorization: (url) => (urls.push(url), Promise.resolve({ authorization: 'Basic c2VjcmV0' })),
  })
  expect((await source.poll(remote, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
  expect(server.seen[0]?.headers.authorization).toBe('Basic c2VjcmV0')
  expect(urls).toContain(`${remote}/git-upload-pack`)
  server.intercept(plain(401))
  const error = await errorOf(source.poll(remote, ['main'], never))
  expect(error.message).toContain('the credential is wrong')
  expect(JSON.stringify([error.message, error])).not.toContain('c2VjcmV0')
})

test('a page instead of a git response is reported', async () => {
  const { source, server, remote } = world()
  server.intercept(plain(200, { 'content-type': 'text/html; charset=utf-8' }, '<html>'))
  const error = await errorOf(source.poll(remote, ['main'], never))
  expect(error).toMatchObject({
    name: 'Rejected',
    code: 'source/not-git',
    message: expect.stringContaining('text/html') as string,
  })
})

test('a refused connection and a broken one give different errors', async () => {
  const { source, server, remote } = world()
  server.intercept((_, response) => void response.destroy())
  expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({
    name: 'Unavailable',
    code: 'source/unreachable',
  })
  await server.close()
  const refused = await errorOf(source.poll(remote, ['main'], never))
  expect(refused).toMatchObject({
    name: 'Unavailable',
    message: `Cannot reach ${remote}: the connection was refused.`,
  })
})

test('an unknown host is reported', async () => {
  const { source } = world()
  const error = await errorOf(source.poll('http://gitmoor.invalid/a', ['main'], never))
  expect(error).toMatchObject({ name: 'Unavailable', message: expect.stringContaining('the host') as string })
})

test('a server that accepts and says nothing ends at limits.gitRequest', async () => {
  const { restart } = world()
  const sockets: { destroy(): void }[] = []
  const silent = createTcpServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const remote = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/a`
  const error = await errorOf(restart({ limits: SHORT }).poll(remote, ['main'], never))
  expect(error).toMatchObject({
    name: 'Unavailable',
    code: 'source/timeout',
    message: expect.stringContaining('limits.gitRequest') as string,
  })
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => silent.close(resolve))
})

test('a server that stops in the middle of an answer ends at limits.gitRequest, and leaves nothing', async () => {
  const { repository, restart, server, root, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  server.intercept(async (_, response, backend) => {
    const { status, headers, body } = await backend()
    response.writeHead(status, headers).write(body.subarray(0, body.length >> 1))
  })
  const error = await errorOf(restart({ limits: SHORT }).fetch(remote, sha1(commit), never))
  expect(error).toMatchObject({
    code: 'source/timeout',
    message: expect.stringContaining('limits.gitRequest') as string,
  })
  expect(mirrorFiles(root)).toEqual([])
})

test('a server that drips ends at limits.fetch', async () => {
  const { repository, restart, source, server, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const { status, headers, body } = await oneAnswer(server, () => source.fetch(remote, sha1(commit), never))
  const drips: NodeJS.Timeout[] = []
  server.intercept((_, response) => {
    let at = 0
    response.writeHead(status, headers)
    drips.push(setInterval(() => response.write(body.subarray(at, ++at)), 30))
  })
  const limits = { ...LIMITS, gitRequestMs: 700, fetchMs: 1_400 }
  const error = await errorOf(restart({ limits }).fetch(remote, sha1(commit), never))
  drips.forEach((one) => clearInterval(one))
  expect(error).toMatchObject({ code: 'source/timeout', message: expect.stringContaining('limits.fetch') as string })
})

test('an answer cut at any packet boundary is an error, and the mirror stays as it was', async () => {
  const { repository, source, server, root, remote } = world()
  const first = await repository.commit({ files: { a: '1' } })
  await source.fetch(remote, sha1(first), never)
  const before = mirrorFiles(root)
  const second = await repository.commit({ files: { a: '2', b: 'x'.repeat(2000) } })
  // One answer, cut at each of its boundaries: git packs the same commit into other packets each time it is asked.
  const answer = await oneAnswer(server, () => source.fetch(remote, sha1(second), never))
  const ends = packetEnds(answer.body).slice(0, -1)
  for (const end of ends) {
    server.intercept(changed((body, { headers }) => (isPack(headers) ? answer.body.subarray(0, end) : body)))
    const error = await errorOf(source.fetch(remote, sha1(second), never))
    expect(error).toMatchObject({
      name: 'Unavailable',
      code: 'source/truncated',
      message: `The response of ${remote} is incomplete.`,
    })
    expect(mirrorFiles(root)).toEqual(before)
  }
  expect(ends.length).toBeGreaterThan(3)
  server.intercept(undefined)
  await source.fetch(remote, sha1(second), never)
})

test('an answer cut at a random byte, or with a bit flipped, is an error, and the mirror stays as it was', async () => {
  const { repository, source, server, root, remote } = world()
  const first = await repository.commit({ files: { a: '1', c: 'y'.repeat(3000) } })
  await source.fetch(remote, sha1(first), never)
  const before = mirrorFiles(root)
  const second = await repository.commit({
    files: { a: '2', b: Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 97) % 251)) },
  })
  const answer = await oneAnswer(server, () => source.fetch(remote, sha1(second), never))
  const { 'content-length': _length, ...headers } = answer.headers
  const random = randomFrom(42)
  const start = answer.body.indexOf('PACK')
  for (let round = 0; round < 60; round++) {
    const cut = round % 2 === 0
    const bytes = Buffer.from(answer.body)
    const at = cut
      ? Math.floor(random() * (bytes.length - 1))
      : start + Math.floor(random() * (bytes.length - 4 - start))
    if (!cut) bytes[at]! ^= 1 << Math.floor(random() * 8)
    server.intercept(async (seen, response, backend) => {
      const listing = seen.method === 'GET' ? await backend() : undefined // asked for where there was no answer at all
      response.writeHead(200, listing?.headers ?? headers).end(listing?.body ?? (cut ? bytes.subarray(0, at) : bytes))
    })
    const error = await errorOf(source.fetch(remote, sha1(second), never))
    expect(error).toBeInstanceOf(Unavailable)
    expect(['source/truncated', 'source/damaged']).toContain((error as Unavailable).code)
    expect(mirrorFiles(root)).toEqual(before)
  }
})

test('a list of refs that is cut short or nonsense is an error, not a missing ref', async () => {
  const { repository, source, server, remote } = world()
  await repository.commit({ files: { a: '1' }, tags: ['stable'] })
  for (const change of [
    (body: Buffer) => body.subarray(0, -4),
    (body: Buffer) => body.subarray(0, 20),
    (body: Buffer) => Buffer.concat([body, Buffer.from('0008more')]),
    (body: Buffer) => Buffer.from(body.toString('latin1').replace('refs/', 'refs').replace(/^..../, 'zzzz'), 'latin1'),
  ]) {
    server.intercept(changed(change))
    const error = await errorOf(source.poll(remote, ['stable'], never))
    expect(error).toBeInstanceOf(Unavailable)
  }
})

test('what the remote says goes into the message with its control characters escaped', async () => {
  const { source, server, remote } = world()
  const line = 'ERR access \u001b[31mdenied'
  const packet = `${(line.length + 4).toString(16).padStart(4, '0')}${line}`
  server.intercept(plain(200, { 'content-type': 'application/x-git-upload-pack-result' }, packet))
  const error = await errorOf(source.poll(remote, ['main'], never))
  expect(error.message).toBe(`${remote} failed: "access \\u{1b}[31mdenied".`)
})

test('a mirror that cannot be written is an error that names the reason', async () => {
  const { repository, restart, root, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const source = restart({ directory: join(root, 'served', repository.name, 'HEAD') })
  expect(await errorOf(source.fetch(remote, sha1(commit), never))).toMatchObject({
    name: 'Unavailable',
    code: 'source/disk',
  })
})

const gitHas = 'instead of "application/x-git-upload-pack-advertisement"'
test.each([
  [
    'answers with a page',
    { 'content-type': 'text/html; charset=utf-8' },
    `answered with the content type "text/html" ${gitHas}`,
  ],
  [
    'answers with a long text',
    { 'content-type': 'x'.repeat(500) },
    `answered with the content type "${'x'.repeat(80)}…" ${gitHas}`,
  ],
  [
    'answers with words',
    { 'content-type': 'It Works\t!' },
    `answered with the content type "it works\\u{9}!" ${gitHas}`,
  ],
  ['answers with nothing said of what it is', {}, `answered with no content type ${gitHas}`],
])('a server without a git service whose ref advertisement %s is reported as not git', async (_, headers, message) => {
  const { source, server, remote } = world()
  server.intercept(
    (seen, response) => void response.writeHead(seen.method === 'GET' ? 200 : 404, headers).end('<html>'),
  )
  expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({
    code: 'source/not-git',
    message: expect.stringContaining(message) as string,
  })
})

test('an endless redirect of the ref advertisement ends, and one to a page is reported as not git', async () => {
  const { source, server, remote } = world()
  server.intercept((seen, response) => {
    if (seen.method === 'POST') response.writeHead(404).end()
    else response.writeHead(307, { location: seen.url }).end()
  })
  expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({ code: 'source/redirected' })
  server.intercept((seen, response) => {
    if (seen.method === 'POST') response.writeHead(404).end()
    else response.writeHead(307, { location: '/login' }).end()
  })
  expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({
    code: 'source/not-git',
    message: expect.stringContaining('redirects to a page') as string,
  })
})

test('an endless listing without a version is not read further than necessary, and is refused', async () => {
  const { source, server, remote } = world()
  const listing = { 'content-type': 'application/x-git-upload-pack-advertisement' }
  server.intercept((seen, response) => {
    if (seen.method === 'POST')
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end()
    else response.writeHead(200, listing).write('x'.repeat(1_500))
  })
  expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({ code: 'source/damaged' })
})

test('a state that is not a commit is refused without a request', async () => {
  const { source, server, remote } = world()
  expect(await errorOf(source.fetch(remote, 'sha1:main', never))).toMatchObject({
    code: 'source/commit-missing',
    message: '"main" is not a commit ID.',
  })
  expect(server.seen).toEqual([])
})

test('a HEAD without a branch and a missing full name are named in the error', async () => {
  const { repository, source, remote } = world()
  await repository.commit({ files: { a: '1' }, branch: 'other' })
  const found = await source.poll(remote, ['HEAD', 'refs/heads/main', 'main'], never)
  expect(['HEAD', 'refs/heads/main', 'main'].map((ref) => (found.get(ref) as Error).message)).toEqual([
    `In ${remote} HEAD points to no branch.`,
    `In ${remote} there is no refs/heads/main.`,
    `In ${remote} there is no branch or tag "main".`,
  ])
})
