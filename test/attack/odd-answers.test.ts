// Answers that no server should give, to everything that reads answers over HTTP: each is an error of the source within
// its time, and the next read is whole.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SyncError } from '../../src/model/errors.js'
import { GitSource } from '../../src/source/git/git-source.js'
import type { HttpAccess } from '../../src/source/network/authorized-request.js'
import { mostInterim } from '../../src/source/network/send.js'
import { UrlSource } from '../../src/source/url/url-source.js'
import { hasOpenssl, makeAuthority } from '../certificates.js'
import { openAccess } from '../source/access.js'
import { LIMITS, never, sha1 } from '../source/git-world.js'
import { startRawServer, type RawRequest, type RawServer } from './raw-server.js'

const limits = { ...LIMITS, gitRequestMs: 250, fetchMs: 800, fileBytes: 1024 * 1024, packBytes: 1024 * 1024 }
const git = 'Content-Type: application/x-git-upload-pack-result\r\n'
const bomb = gzipSync(Buffer.alloc(20_000_000))
const ok = `HTTP/1.1 200 OK\r\n${git}`

/** Writes again and again until the other side has gone. */
function endless(socket: Socket, bytes: string | Buffer): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
    if (!socket.destroyed) socket.once('drain', write)
  }
  write()
}

type Oddity = (socket: Socket, request: RawRequest) => void
const text =
  (...parts: readonly string[]): Oddity =>
  (socket) =>
    void socket.write(parts.join(''))

const oddities: Readonly<Record<string, Oddity>> = {
  'nothing, and closes': (socket) => void socket.end(),
  'nothing, and resets': (socket) => void socket.destroy(),
  'nothing at all': () => {},
  'half a status line': text('HTTP/1.1 20'),
  'no HTTP': text('SSH-2.0-OpenSSH_9.6\r\n'),
  'the preface of HTTP/2': text('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'an answer of HTTP/0.9': (socket) => void socket.end('<html>hello</html>'),
  'status 999': text('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
  'status 000': text('HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n'),
  'a status of four digits': text('HTTP/1.1 2000 Odd\r\nContent-Length: 0\r\n\r\n'),
  'headers without end': (socket) => {
    socket.write(ok)
    endless(socket, `X-A: ${'a'.repeat(1000)}\r\n`)
  },
  'one header without end': (socket) => {
    socket.write(`${ok}X-A: `)
    endless(socket, 'a'.repeat(65_536))
  },
  'a status line without end': (socket) => {
    socket.write('HTTP/1.1 200 ')
    endless(socket, 'a'.repeat(65_536))
  },
  'empty lines without end': (socket) => endless(socket, '\r\n'.repeat(4_096)),
  'headers with NUL': text(`${ok}X-A: a\0b\r\nContent-Length: 0\r\n\r\n`),
  'a header without a name': text(`${ok}: a\r\nContent-Length: 0\r\n\r\n`),
  'one more 1xx than are taken': text('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(mostInterim + 1)),
  '103 without end': (socket) => endless(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)),
  '100 without end': (socket) => endless(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  '101': text('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  'a length below zero': text(`${ok}Content-Length: -1\r\n\r\nx`),
  'a length that is none': text(`${ok}Content-Length: ten\r\n\r\nx`),
  'a length of 19 digits': text(`${ok}Content-Length: 9999999999999999999\r\n\r\nx`),
  'a length beyond 64 bits': text(`${ok}Content-Length: 99999999999999999999999\r\n\r\nx`),
  'two lengths': text(`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`),
  'a length and chunks': text(`${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  'less than its length, and closes': (socket) => void socket.end(`${ok}Content-Length: 1000\r\n\r\nx`),
  'less than its length, and waits': text(`${ok}Content-Length: 1000\r\n\r\nx`),
  'more than its length': text(`${ok}Content-Length: 1\r\n\r\n${'x'.repeat(100_000)}`),
  'a chunk of no number': text(`${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n`),
  'a chunk beyond 64 bits': text(`${ok}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx`),
  'a chunk longer than it says': text(`${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nxxxx\r\n0\r\n\r\n`),
  'an extension of a chunk without end': (socket) => {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n1;a=`)
    endless(socket, 'a'.repeat(65_536))
  },
  'chunks of one byte without end': (socket) => {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n`)
    endless(socket, '1\r\nx\r\n'.repeat(1_000))
  },
  'trailers without end': (socket) => {
    socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`)
    endless(socket, `X-A: ${'a'.repeat(1000)}\r\n`)
  },
  'another transfer encoding': text(`${ok}Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`),
  'a body without end': (socket) => {
    socket.write(`${ok}\r\n`)
    endless(socket, 'x'.repeat(65_536))
  },
  'a gzip bomb': (socket) => {
    socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
    socket.write(bomb)
  },
  'a byte now and then': (socket) => {
    const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('H')), 50)
  },
  'a body that drips without end': (socket) => {
    socket.write(`${ok}\r\n`)
    const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('0')), 50)
  },
  'a redirect to itself': (socket, { path }) =>
    void socket.write(`HTTP/1.1 302 F\r\nLocation: ${path}\r\nContent-Length: 0\r\n\r\n`),
  'a redirect with a body without end': (socket) => {
    socket.write('HTTP/1.1 302 F\r\nLocation: /elsewhere\r\nTransfer-Encoding: chunked\r\n\r\n')
    endless(socket, '1\r\nx\r\n'.repeat(1_000))
  },
  'a redirect without a place': text('HTTP/1.1 302 F\r\nContent-Length: 0\r\n\r\n'),
  'a redirect to a place of a megabyte': (socket) =>
    void socket.write(`HTTP/1.1 302 F\r\nLocation: /${'a'.repeat(1_000_000)}\r\n\r\n`),
  '401 with a body without end': (socket) => {
    socket.write('HTTP/1.1 401 No\r\n\r\n')
    endless(socket, 'x'.repeat(65_536))
  },
  'an error of git, then bytes without end': (socket) => {
    socket.write(`${ok}\r\n0018ERR unknown command\n`)
    endless(socket, 'x'.repeat(65_536))
  },
  'two answers to one question': text(`${ok}Content-Length: 1\r\n\r\nx${ok}Content-Length: 1\r\n\r\nx`),
  '204 with a body': text(`HTTP/1.1 204 No Content\r\n${git}Content-Length: 5\r\n\r\nhello`),
  '304 that nobody asked for': text('HTTP/1.1 304 Not Modified\r\n\r\n'),
  'the end of its side, and goes on listening': (socket) => {
    socket.write(`${ok}Content-Length: 10\r\n\r\nx`)
    socket.end()
    socket.resume()
  },
}

let root: string
let plain: RawServer
let secure: RawServer | undefined
let access: HttpAccess & AsyncDisposable
let odd: Oddity | undefined

const honest = 'a: 1\n'

function answer(request: RawRequest, socket: Socket): void {
  if (odd === undefined)
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${honest.length}\r\n\r\n${honest}`)
  else odd(socket, request)
}

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-odd-')))
  plain = await startRawServer(answer)
  const authority = hasOpenssl ? makeAuthority(join(root, 'authority')) : undefined
  secure = authority && (await startRawServer(answer, authority.issue('IP:127.0.0.1')))
  access = openAccess({
    entries: secure === undefined ? [] : [{ name: 'own', match: `${secure.url}/`, ca: authority!.file }],
  })
})
afterAll(async () => {
  await access[Symbol.asyncDispose]()
  await plain[Symbol.asyncDispose]()
  await secure?.[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

/** Answers that a URL source takes for a file: nothing in them says that they are wrong. */
const taken = new Set(['more than its length', 'two answers to one question', 'an answer of HTTP/0.9'])

test.each(Object.entries(oddities))('%s is an error of the source, over http and https', async (name, oddity) => {
  const servers = [plain, secure].filter((server) => server !== undefined)
  const directoryOf = (server: RawServer): string => join(root, server === plain ? 'plain' : 'secure')
  const began = performance.now()
  odd = oddity
  for (const reads of await Promise.all(servers.map((server) => readAll(server, directoryOf(server)))))
    for (const [at, read] of reads.entries())
      if (read.status === 'rejected') expect(read.reason, `read ${at}`).toBeInstanceOf(SyncError)
      else expect([at, taken.has(name)]).toEqual([0, true])
  expect(performance.now() - began).toBeLessThan(10_000)
  odd = undefined
  for (const server of servers) {
    const url = new UrlSource({ directory: join(directoryOf(server), 'url'), limits: LIMITS, networks: [], access })
    const { state } = (await url.poll(`url:${server.url}/b.yml`, [''], never)).get('') as { readonly state: string }
    expect(state).toMatch(/^sha256:/)
    rmSync(directoryOf(server), { recursive: true, force: true })
  }
})

/** A poll of a URL, a poll of a repository and a fetch of it. */
function readAll(server: RawServer, directory: string): Promise<PromiseSettledResult<unknown>[]> {
  const url = new UrlSource({ directory: join(directory, 'url'), limits, networks: [], access })
  const repository = new GitSource({
    directory: join(directory, 'git'),
    limits,
    allow: { directories: [] },
    dataDirectory: root,
    access,
  })
  return Promise.allSettled([
    url.poll(`url:${server.url}/a.yml`, [''], never),
    repository.poll(`${server.url}/a.git`, ['main'], never),
    repository.fetch(`${server.url}/a.git`, sha1('a'.repeat(40)), never),
  ])
}
