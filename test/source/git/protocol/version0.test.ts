// Servers without version 2 of the protocol, and proxies that strip the header that asks for it: version 0 is the last
// resort.
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { version0Ms } from '../../../../src/source/git/protocol/http-transport.js'
import type { SourceRevision } from '../../../../src/source/source.js'
import { startGitServer, type GitServer, type Intercept } from '../../../git-server.js'
import { ManualClock } from '../../../manual-clock.js'
import { LIMITS, errorOf, never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld()
let old: GitServer
let remote: string
beforeEach(async () => {
  old = await startGitServer(join(world().root, 'served'))
  old.speak(0)
  remote = `${old.url}/${world().repository.name}`
})
afterEach(() => old.close())

const requests = (): readonly string[] => old.seen.map(({ method, url }) => `${method} ${url.replace(/^.*\.git/, '')}`)
const desired = (): boolean => true

async function stateOf(ref: string): Promise<string> {
  const found = (await world().source.poll(remote, [ref], never)).get(ref)
  if (found instanceof Error || found === undefined) throw found
  return found.state
}

describe('a poll of a server of version 0', () => {
  test('finds branches, tags, peeled tags, HEAD and missing refs, like one of version 2', async () => {
    const { repository, source, remote: modern } = world()
    const commit = await repository.commit({ files: { a: '1' }, tags: ['plain'] })
    await repository.tag('signed', commit, { annotated: true })
    await repository.branch('both', commit)
    await repository.tag('both', commit)
    const refs = ['main', 'plain', 'signed', 'HEAD', 'refs/heads/main', 'both', 'gone', commit]
    const [one, other] = [await source.poll(remote, refs, never), await source.poll(modern, refs, never)]
    const plain = (found: SourceRevision | Error): unknown =>
      found instanceof Error ? found.message.replace(/http\S+/, '') : found
    expect([...one.values()].map(plain)).toEqual([...other.values()].map(plain))
    expect((one.get('signed') as SourceRevision).object).not.toBe(commit)
    expect(one.get('signed')).toMatchObject({ state: sha1(commit) })
  })

  test('says of an empty repository that it is empty', async () => {
    const found = (await world().source.poll(remote, ['main'], never)).get('main')
    expect(found).toMatchObject({ code: 'source/ref-missing', message: expect.stringContaining('is empty') as string })
  })

  test('is counted by a method of its own, with all that was listed', async () => {
    const { repository, source } = world()
    const commit = await repository.commit({ files: { a: '1' } })
    for (let at = 0; at < 40; at++) await repository.branch(`other-${at}`, commit)
    const read: { method: string; bytes: number }[] = []
    await source.poll(remote, ['main'], never, (one) => read.push(one))
    expect(read.at(-1)!.method).toBe('git-http-v0')
    expect(read.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(40 * 60)
  })

  test('is limited by limits.refsBytes', async () => {
    const { repository, restart } = world()
    await repository.commit({ files: { a: '1' }, tags: ['one', 'two', 'three'] })
    const source = restart({ limits: { ...LIMITS, refsBytes: 200 } })
    expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({ code: 'source/refs-too-large' })
  })

  test('tries version 2 once an hour, and uses it when the server supports it', async () => {
    const { repository, restart } = world()
    await repository.commit({ files: { a: '1' } })
    const clock = new ManualClock()
    const source = restart({ clock })
    await source.poll(remote, ['main'], never)
    expect(requests()).toEqual([
      'POST /git-upload-pack',
      'GET /info/refs?service=git-upload-pack',
      'GET /info/refs?service=git-upload-pack',
    ])
    old.reset()
    await source.poll(remote, ['main'], never)
    expect(requests()).toEqual(['GET /info/refs?service=git-upload-pack'])
    expect(old.seen[0]!.headers['git-protocol']).toBeUndefined()
    old.reset()
    clock.advance(version0Ms)
    await source.poll(remote, ['main'], never)
    expect(requests()[0]).toBe('POST /git-upload-pack')
    old.speak(2)
    clock.advance(version0Ms)
    const methods: string[] = []
    await source.poll(remote, ['main'], never, ({ method }) => methods.push(method))
    expect(new Set(methods)).toEqual(new Set(['git-http']))
  })

  test('that answers with version 1 is read the same way', async () => {
    const { repository, source } = world()
    const commit = await repository.commit({ files: { a: '1' } })
    old.speak(1)
    expect(await stateOf('main')).toBe(sha1(commit))
    await source.fetch(remote, sha1(commit), never)
  })
})

describe('a fetch from a server of version 0', () => {
  test('fetches the files, and only changes of the next commit', async () => {
    const { repository, source } = world()
    const large = Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * at * 31) % 251))
    await repository.commit({ files: { large, 'a.yml': 'a: 1\n' } })
    await source.fetch(remote, await stateOf('main'), never)
    old.reset()
    await repository.commit({ files: { 'a.yml': 'a: 2\n' } })
    const state = await stateOf('main')
    await source.fetch(remote, state, never)
    expect(old.sentBytes).toBeLessThan(3000)
    const files = await source.files(remote, state, '', desired, never)
    expect(files.map(({ path, bytes }) => [path, bytes.length])).toEqual([
      ['a.yml', 5],
      ['large', large.length],
    ])
  })

  test('of a commit without a ref explains that such a server may refuse it', async () => {
    const { repository, source } = world()
    const first = await repository.commit({ files: { a: '1' } })
    await repository.commit({ files: { a: '2' }, from: null })
    expect(await errorOf(source.fetch(remote, sha1(first), never))).toMatchObject({
      code: 'source/commit-missing',
      hint: expect.stringContaining(
        'version 0 of the git protocol may serve only commits that a ref points to',
      ) as string,
    })
  })

  test('that is cut at any byte or damaged is an error, and the next one is whole', async () => {
    const { repository, source } = world()
    await repository.commit({ files: { a: '1', c: 'y'.repeat(300) } })
    const state = await stateOf('main')
    let whole: Buffer | undefined
    for (let cut = 0; cut < (whole?.length ?? 1); cut += 29) {
      old.intercept(async (_, response, backend) => {
        const { status, headers, body } = await backend()
        whole ??= body
        const { 'content-length': _length, ...others } = headers
        response.writeHead(status, others).end(whole.subarray(0, cut))
      })
      expect(await errorOf(source.fetch(remote, state, never))).toMatchObject({
        name: 'Unavailable',
        code: 'source/truncated',
      })
    }
    expect(whole!.length).toBeGreaterThan(100)
    old.intercept(undefined)
    await source.fetch(remote, state, never)
  })
})

describe('a server like Azure DevOps', () => {
  /** Rejects requests of version 2, and fetches of version 0 without multi_ack. */
  const rejecting: Intercept = async ({ method, headers, body }, response, backend) => {
    const isVersion2 = headers['git-protocol'] !== undefined
    const lacksMultiAck = /want [0-9a-f]{40} (?!.*multi_ack)/.test(body.toString('latin1'))
    if (method === 'POST' && (isVersion2 || lacksMultiAck)) return void response.writeHead(400).end('TF401041')
    const { status, headers: given, body: answer } = await backend()
    response.writeHead(status, given).end(answer)
  }

  test('that rejects version 2 with 400 is polled and fetched in version 0', async () => {
    const { repository, source } = world()
    old.intercept(rejecting)
    await repository.commit({ files: { a: '1', b: 'b' } })
    await source.fetch(remote, await stateOf('main'), never)
    await repository.commit({ files: { a: '2' } })
    const state = await stateOf('main')
    await source.fetch(remote, state, never)
    const files = await source.files(remote, state, '', desired, never)
    expect(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([
      ['a', '2'],
      ['b', 'b'],
    ])
  })

  test('that answers 400 and speaks version 2 is reported with its status', async () => {
    old.speak(2)
    old.intercept(rejecting)
    await world().repository.commit({ files: { a: '1' } })
    expect(await errorOf(world().source.poll(remote, ['main'], never))).toMatchObject({
      code: 'source/not-git',
      message: expect.stringContaining('answered 400') as string,
    })
  })
})
