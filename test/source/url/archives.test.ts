// An archive behind http: how it is recognized, what it may cost, and faults on the way to it.
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import type { SourceRevision, SourceFile } from '../../../src/source/source.js'
import { UrlSource, type UrlSourceOptions } from '../../../src/source/url/url-source.js'
import { tarGz, tarOf, zipOf } from '../../archives.js'
import { startFaultyProxy, type FaultyProxy } from '../../faulty-proxy.js'
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
  return new UrlSource({
    directory: join(root, `url${opened.length}`),
    limits: LIMITS,
    networks: [],
    access,
    ...options,
  })
}

async function stateAt(of: string, at = source): Promise<string> {
  return ((await at.poll(of, [''], never)).get('') as SourceRevision).state
}
async function filesAt(of: string, path = '', at = source): Promise<readonly SourceFile[]> {
  return at.files(of, await stateAt(of, at), path, (name) => name.endsWith('.yml'), never)
}
const remote = (path: string): string => `url:${server.url}${path}`
const entries = [{ name: 'boards-1/p/a.yml', data: 'a: 1\n' }]

describe('an archive', () => {
  const served: Readonly<Record<string, readonly [string, Buffer, Readonly<Record<string, string>>]>> = {
    'by its name': ['/boards.tar.gz', tarGz(entries), { 'content-type': 'application/gzip' }],
    'with any content type': ['/boards.zip', zipOf(entries), { 'content-type': 'text/yaml' }],
    'without a name that says so': ['/repos/boards/tarball/main', tarOf(entries), {}],
    'that the server calls encoded, which it is by itself': [
      '/boards.tgz',
      tarGz(entries),
      { 'content-encoding': 'x-gzip' },
    ],
  }
  test.each(Object.entries(served))('is known %s', async (_, [path, body, headers]) => {
    server.serve(path, body, headers)
    expect((await filesAt(remote(path), '*/p')).map((file) => [file.path, Buffer.from(file.bytes).toString()])).toEqual(
      [['a.yml', 'a: 1\n']],
    )
  })

  test('that is not an archive despite its name is refused', async () => {
    server.serve('/boards.zip', 'a: 1\n')
    expect(await errorOf(filesAt(remote('/boards.zip')))).toMatchObject({
      name: 'Rejected',
      code: 'source/not-an-archive',
    })
    expect(
      await errorOf(source.content(remote('/boards.zip'), await stateAt(remote('/boards.zip')), '')),
    ).toMatchObject({
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

  test('must match a required digest of the download', async () => {
    server.serve('/a.zip', zipOf(entries))
    const state = await stateAt(remote('/a.zip'))
    server.serve('/a.zip', zipOf(entries, { comment: 'made again' }))
    expect((await source.poll(remote('/a.zip'), [state], never)).get(state)).toMatchObject({
      code: 'source/digest-mismatch',
    })
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

  test('is downloaded once for any number of polls and reads, also after a restart', async () => {
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

describe.each([
  ['a file', '/a.yml', Buffer.from('a: 1\n'.repeat(50))],
  ['an archive', '/a.tar.gz', tarGz(entries)],
] as const)('%s', (_, path, body) => {
  let proxy: FaultyProxy
  let throughProxy: string
  beforeEach(async () => {
    proxy = await startFaultyProxy(Number(new URL(server.url).port))
    throughProxy = `url:http://127.0.0.1:${proxy.port}${path}`
    server.serve(path, body)
  })
  afterEach(() => proxy[Symbol.asyncDispose]())

  test('whose answer is cut at any byte is not seen, nothing of it is kept, and the next one is whole', async () => {
    const state = await stateAt(remote(path))
    await stateAt(throughProxy, open())
    const bytes = proxy.passed
    const random = seeded(606)
    for (let round = 0; round < 40; round++) {
      const directory = join(root, `cut-${round}`)
      const after = random(bytes)
      proxy.fault({ after, how: 'end' })
      const at = open({ directory })
      expect(await errorOf(at.poll(throughProxy, [''], never)), `after ${after} bytes`).toBeInstanceOf(Unavailable)
      expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([])
      proxy.fault()
      expect(await stateAt(throughProxy, at)).toBe(state)
    }
  })

  test('whose answer hangs at any stage ends with the time for silence, and the next one is whole', async () => {
    const state = await stateAt(throughProxy, open())
    const bytes = proxy.passed
    for (const after of [0, 5, bytes - body.length, bytes - 10]) {
      const directory = join(root, `hung-${after}`)
      proxy.fault({ after, how: 'silence' })
      const slow = open({ directory, limits: { ...LIMITS, gitRequestMs: 100 } })
      expect(await errorOf(slow.poll(throughProxy, [''], never))).toMatchObject({
        name: 'Unavailable',
        code: 'source/timeout',
      })
      proxy.fault()
      expect(await stateAt(throughProxy, open({ directory }))).toBe(state)
    }
  })
})
