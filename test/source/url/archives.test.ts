// An archive behind http: how it is told from a file, what it may cost, and faults on the way to it.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SyncError, Unavailable } from '../../../src/model/errors.js'
import type { Resolved, SourceFile } from '../../../src/source/source.js'
import { UrlSource, type UrlSourceOptions } from '../../../src/source/url/url-source.js'
import { tarGz, tarOf, zipOf } from '../../archives.js'
import { startFileServer, type FileServer } from '../../file-server.js'
import { seeded } from '../../package/seeded.js'
import { openAccess } from '../access.js'
import { errorOf, LIMITS, never } from '../git-world.js'

let root: string
let server: FileServer
let opened: AsyncDisposable[] = []
let source: UrlSource

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-archive-')))
  server = await startFileServer()
  source = open()
})
afterEach(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]()
  opened = []
  await server[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

function open(options: Partial<UrlSourceOptions> = {}): UrlSource {
  const access = openAccess()
  opened.push(access)
  return new UrlSource({ directory: join(root, `url${opened.length}`), limits: LIMITS, networks: [], access, ...options })
}

async function stateAt(of: string, at = source): Promise<string> {
  return ((await at.look(of, [''], never)).get('') as Resolved).state
}
async function filesAt(of: string, path = '', at = source): Promise<readonly SourceFile[]> {
  return at.files(of, await stateAt(of, at), path, (name) => name.endsWith('.yml'), never)
}
const remote = (path: string): string => `url:${server.url}${path}`
const entries = [{ name: 'boards-1/p/a.yml', data: 'a: 1\n' }]

describe('an archive', () => {
  const served: Readonly<Record<string, readonly [string, Buffer, Readonly<Record<string, string>>]>> = {
    'by its name': ['/boards.tar.gz', tarGz(entries), { 'content-type': 'application/gzip' }],
    'whatever the server says of it': ['/boards.zip', zipOf(entries), { 'content-type': 'text/yaml' }],
    'without a name that says so': ['/repos/boards/tarball/main', tarOf(entries), {}],
    'that the server calls encoded, which it is by itself': ['/boards.tgz', tarGz(entries), { 'content-encoding': 'x-gzip' }],
  }
  test.each(Object.entries(served))('is known %s', async (_, [path, body, headers]) => {
    server.serve(path, body, headers)
    expect((await filesAt(remote(path), '*/p')).map((file) => [file.path, Buffer.from(file.bytes).toString()])).toEqual([
      ['a.yml', 'a: 1\n'],
    ])
  })

  test('that is none, though its name says so, is refused', async () => {
    server.serve('/boards.zip', 'a: 1\n')
    expect(await errorOf(filesAt(remote('/boards.zip')))).toMatchObject({ name: 'Rejected', code: 'source/not-an-archive' })
    expect(await errorOf(source.content(remote('/boards.zip'), await stateAt(remote('/boards.zip')), ''))).toMatchObject({
      code: 'source/not-an-archive',
    })
  })

  test('may be larger than a file, up to limits.packBytes', async () => {
    const noise = Buffer.from(Array.from({ length: 40_000 }, (_, at) => (at * 7919) >> 3))
    server.serve('/a.tar', tarOf([{ name: 'x', data: noise }, ...entries]))
    expect(await filesAt(remote('/a.tar'), '', open({ limits: { ...LIMITS, fileBytes: 1024 } }))).toHaveLength(1)
    const small = open({ limits: { ...LIMITS, fileBytes: 1024, packBytes: 2048 } })
    expect(await errorOf(stateAt(remote('/a.tar'), small))).toMatchObject({
      code: 'source/file-too-large',
      message: `${server.url}/a.tar is larger than 2048 bytes (limits.packBytes).`,
    })
  })

  test('is held to a digest of what was downloaded', async () => {
    server.serve('/a.zip', zipOf(entries))
    const state = await stateAt(remote('/a.zip'))
    server.serve('/a.zip', zipOf(entries, { comment: 'made again' }))
    expect((await source.look(remote('/a.zip'), [state], never)).get(state)).toMatchObject({ code: 'source/digest-mismatch' })
  })

  test('that was made again has another state, and the same content where the same is in it', async () => {
    server.serve('/a.zip', zipOf(entries))
    const before = await stateAt(remote('/a.zip'))
    const content = await source.content(remote('/a.zip'), before, '*/p')
    server.serve('/a.zip', zipOf([{ name: 'boards-2/p/a.yml', data: 'a: 1\n' }]))
    const after = await stateAt(remote('/a.zip'))
    expect(after).not.toBe(before)
    expect(await source.content(remote('/a.zip'), after, '*/p')).toBe(content)
  })

  test('is downloaded once, however often it is looked at and read, also after a restart', async () => {
    server.serve('/a.zip', zipOf(entries))
    const directory = join(root, 'kept')
    await filesAt(remote('/a.zip'), '', open({ directory }))
    server.answer((request, response) => {
      expect(request.headers).toHaveProperty('if-none-match')
      response.writeHead(304).end()
    })
    expect(await filesAt(remote('/a.zip'), '', open({ directory }))).toHaveLength(1)
  })

  test('is no single file: a path below one is refused', async () => {
    server.serve('/a.yml', 'a: 1\n')
    expect(await errorOf(filesAt(remote('/a.yml'), 'p'))).toMatchObject({ code: 'source/not-an-archive' })
  })
})

/** Passes so many bytes of an answer on, and then does nothing any more, or closes. */
async function proxy(bytes: number, then: 'close' | 'hang'): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    const upstream = connect(Number(new URL(server.url).port), '127.0.0.1')
    for (const one of [socket, upstream]) sockets.add(one.on('error', () => one.destroy()).on('close', () => sockets.delete(one)))
    socket.pipe(upstream)
    let left = bytes
    upstream.on('data', (chunk) => {
      socket.write(chunk.subarray(0, left))
      left = Math.max(0, left - chunk.length)
      if (left === 0 && then === 'close') socket.destroy()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

describe.each([
  ['a file', '/a.yml', Buffer.from('a: 1\n'.repeat(50))],
  ['an archive', '/a.tar.gz', tarGz(entries)],
] as const)('%s', (_, path, body) => {
  test('whose answer is cut at any byte is not seen, and nothing of it is kept', async () => {
    server.serve(path, body)
    const random = seeded(606)
    const whole = body.length + 150
    let cut = 0
    for (let round = 0; round < 120; round++) {
      await using between = await proxy(random(whole), 'close')
      const of = `url:http://127.0.0.1:${between.port}${path}`
      const said = await source.look(of, [''], never).catch((error: unknown) => error)
      if (said instanceof Map) continue // the headers are shorter than was thought: it was all there
      expect(said, `round ${round}`).toBeInstanceOf(Unavailable)
      cut++
    }
    expect(cut).toBeGreaterThan(60)
    await source.look(remote(path), [''], never)
    expect(await stateAt(remote(path))).toMatch(/^sha256:/)
  })

  test.each([0, 5, 100, 300])('whose answer hangs after %i bytes ends with the time for silence', async (bytes) => {
    server.serve(path, body.length > 300 ? body : Buffer.concat([body, Buffer.alloc(400)]))
    await using between = await proxy(bytes, 'hang')
    const slow = open({ limits: { ...LIMITS, gitRequestMs: 100 } })
    const error = await errorOf(slow.look(`url:http://127.0.0.1:${between.port}${path}`, [''], never))
    expect(error).toBeInstanceOf(SyncError)
    expect(error).toMatchObject({ code: 'source/timeout' })
  })
})
