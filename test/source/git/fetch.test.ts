import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { PackedObjects } from '../../../src/source/git/pack/packed-objects.js'
import type { SourceRevision } from '../../../src/source/source.js'
import { LIMITS, errorOf, never, useGitWorld, sha1 } from '../git-world.js'

const world = useGitWorld()
const all = (): boolean => true

function mirrorOf(root: string): string {
  const mirrors = join(root, 'data', 'mirrors')
  return join(mirrors, readdirSync(mirrors)[0]!)
}

function packsOf(root: string): readonly string[] {
  return readdirSync(join(mirrorOf(root), 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
}

/** Text that does not compress away. */
function noise(lines: number, seed = 1): string {
  let state = seed
  return Array.from({ length: lines }, () => (state = (state * 48_271) % 2_147_483_647).toString(36)).join('\n')
}

test('a commit is fetched once, and needs no request again, also after a restart', async () => {
  const { repository, source, restart, server, remote } = world()
  const commit = await repository.commit({ files: { 'a.yaml': 'a: 1\n' } })
  await source.fetch(remote, sha1(commit), never)
  expect(server.seen).toHaveLength(1)
  await source.fetch(remote, sha1(commit), never)
  const again = restart()
  await again.fetch(remote, sha1(commit), never)
  const files = await again.files(remote, sha1(commit), '', all, never)
  expect(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])).toEqual([['a.yaml', 'a: 1\n']])
  expect(server.seen).toHaveLength(1)
})

test('ten callers of one commit cost one request', async () => {
  const { repository, source, server, remote } = world()
  const commit = await repository.commit({ files: { 'a.yaml': 'a: 1\n' } })
  await Promise.all(Array.from({ length: 10 }, () => source.fetch(remote, sha1(commit), never)))
  expect(server.seen).toHaveLength(1)
})

test('existing objects are not sent again, forwards and backwards', async () => {
  const { repository, source, server, remote } = world()
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at % 4}/f${at}`, noise(400, at + 1)]))
  const first = await repository.commit({ files: { ...files, big: noise(4000) } })
  const second = await repository.commit({ files: { big: `${noise(4000)}\nmore` } })
  const third = await repository.commit({ files: { 'd1/new': 'x' }, removed: ['big'] })
  await source.fetch(remote, sha1(second), never)
  expect(server.sentBytes).toBeGreaterThan(50_000)
  server.reset()
  await source.fetch(remote, sha1(third), never)
  await source.fetch(remote, sha1(first), never)
  expect(server.sentBytes).toBeLessThan(3000)
  const read = async (commit: string) =>
    (await source.files(remote, sha1(commit), '', all, never)).map((file) => file.id)
  for (const commit of [first, second, third]) {
    const listed = await repository.git('ls-tree', '-r', '--format=%(objectname)', commit)
    expect(await read(commit)).toEqual(listed.split('\n'))
  }
})

test('a commit orphaned by a force-push can be fetched by its ID', async () => {
  const { repository, source, remote } = world()
  const orphan = await repository.commit({ files: { a: '1' } })
  await repository.commit({ files: { a: '2' }, from: null })
  await source.fetch(remote, sha1(orphan), never)
  expect(await source.files(remote, sha1(orphan), '', all, never)).toHaveLength(1)
})

test('a commit that is not there is refused by name', async () => {
  const { repository, source, remote } = world()
  await repository.commit({ files: { a: '1' } })
  expect(await errorOf(source.fetch(remote, sha1('1'.repeat(40)), never))).toMatchObject({
    name: 'Rejected',
    code: 'source/commit-missing',
  })
})

test('a tag that points to a tree or a file is refused when it is fetched', async () => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  await repository.tag('tree', `${commit}^{tree}`, { annotated: true })
  await repository.tag('blob', `${commit}:a`)
  for (const ref of ['tree', 'blob']) {
    const resolved = (await source.poll(remote, [ref], never)).get(ref) as SourceRevision
    expect(await errorOf(source.fetch(remote, resolved.state, never))).toMatchObject({ code: 'source/not-a-commit' })
  }
})

test('a mirror has at most 20 packs, and replaced commits are fetched again on demand', async () => {
  const { repository, source, root, remote } = world()
  const commits: string[] = []
  for (let at = 0; at < 22; at++)
    commits.push(await repository.commit({ files: { 'a.yaml': `a: ${at}\n`, [`f${at}`]: noise(20, at + 1) } }))
  for (const commit of commits) {
    await source.fetch(remote, sha1(commit), never)
    expect(packsOf(root).length).toBeLessThanOrEqual(20)
  }
  expect(packsOf(root)).toHaveLength(2)
  const [file] = await source.files(remote, sha1(commits[3]!), 'a.yaml', all, never)
  expect(Buffer.from(file!.bytes).toString()).toBe('a: 3\n')
})

test('a flipped byte on disk is detected, and the commit is fetched again once', async () => {
  const { repository, source, restart, server, root, remote } = world()
  const commit = await repository.commit({ files: { 'a.yaml': noise(500) } })
  await source.fetch(remote, sha1(commit), never)
  const [file] = await source.files(remote, sha1(commit), '', all, never)
  const pack = join(mirrorOf(root), 'objects', 'pack', packsOf(root)[0]!)
  const bytes = readFileSync(pack)
  bytes[bytes.length >> 1]! ^= 4
  writeFileSync(pack, bytes)
  server.reset()
  const again = await restart().files(remote, sha1(commit), '', all, never)
  expect(again).toEqual([file])
  expect(server.seen).toHaveLength(1)
})

test('if the base of a new pack is damaged, a complete pack is fetched and replaces all', async () => {
  const { repository, source, restart, server, root, remote } = world()
  const first = await repository.commit({ files: { big: noise(3000) } })
  const second = await repository.commit({ files: { big: `${noise(3000)}\nmore` } })
  await source.fetch(remote, sha1(first), never)
  const pack = join(mirrorOf(root), 'objects', 'pack', packsOf(root)[0]!)
  const bytes = readFileSync(pack)
  bytes[bytes.length >> 1]! ^= 4
  writeFileSync(pack, bytes)
  server.reset()
  const again = restart()
  await again.fetch(remote, sha1(second), never)
  expect(server.seen.map(({ body }) => body.includes('have '))).toEqual([true, false])
  expect(packsOf(root)).toHaveLength(1)
  expect(await again.files(remote, sha1(second), '', all, never)).toHaveLength(1)
})

test('what was arriving when a process ended is cleared away', async () => {
  const { repository, source, restart, root, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  await source.fetch(remote, sha1(commit), never)
  writeFileSync(join(mirrorOf(root), 'incoming-1.pack'), 'half')
  await restart().fetch(remote, sha1(commit), never)
  expect(readdirSync(mirrorOf(root)).sort()).toEqual(['commits', 'objects', 'remote'])
})

test('a mirror that was deleted from disk is fetched again', async () => {
  const { repository, source, server, root, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  await source.fetch(remote, sha1(commit), never)
  for (const name of readdirSync(join(mirrorOf(root), 'objects', 'pack')))
    rmSync(join(mirrorOf(root), 'objects', 'pack', name))
  server.reset()
  expect(await source.files(remote, sha1(commit), '', all, never)).toHaveLength(1)
  expect(server.seen).toHaveLength(1)
})

test('an index that lies about an object is noticed', async () => {
  const { repository, source, restart, server, root, remote } = world()
  const commit = await repository.commit({ files: { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' } })
  await source.fetch(remote, sha1(commit), never)
  const index = join(mirrorOf(root), 'objects', 'pack', packsOf(root)[0]!.replace(/pack$/, 'idx'))
  const bytes = readFileSync(index)
  const offsets = 8 + 1024 + 4 * 24
  const [one, two] = [bytes.readUInt32BE(offsets), bytes.readUInt32BE(offsets + 4)]
  bytes.writeUInt32BE(two, offsets)
  bytes.writeUInt32BE(one, offsets + 4)
  writeFileSync(index, bytes)
  server.reset()
  expect(await restart().files(remote, sha1(commit), '', all, never)).toHaveLength(2)
  expect(server.seen).toHaveLength(1)
})

test('a pack past limits.packBytes is refused, and leaves nothing', async () => {
  const { repository, restart, root, remote } = world()
  const commit = await repository.commit({ files: { a: noise(5000) } })
  const source = restart({ limits: { ...LIMITS, packBytes: 10_000 } })
  expect(await errorOf(source.fetch(remote, sha1(commit), never))).toMatchObject({
    name: 'Rejected',
    code: 'source/pack-too-large',
    message: expect.stringContaining('limits.packBytes') as string,
  })
  expect(readdirSync(mirrorOf(root)).sort()).toEqual(['commits', 'objects', 'remote'])
})

test('a small pack that unpacks to very much is refused before it is unpacked', async () => {
  const { repository, restart, root, remote } = world()
  const commit = await repository.commit({ files: { a: Buffer.alloc(3_000_000) } })
  const source = restart({ limits: { ...LIMITS, packBytes: 100_000 } })
  expect(await errorOf(source.fetch(remote, sha1(commit), never))).toMatchObject({
    name: 'Rejected',
    code: 'source/pack-too-large',
  })
  expect(packsOf(root)).toHaveLength(0)
})

test('a thousand paths of one commit read each tree once', async () => {
  const { repository, source, remote } = world()
  const files = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`d${at % 10}/p${at}/a.yaml`, `a: ${at}\n`]))
  const commit = await repository.commit({ files })
  await source.fetch(remote, sha1(commit), never)
  const read = vi.spyOn(PackedObjects.prototype, 'read')
  const paths = Array.from({ length: 1000 }, (_, at) => `d${at % 10}/p${at}`)
  const ids = await Promise.all(paths.map((path) => source.content(remote, sha1(commit), path)))
  expect(new Set(ids).size).toBe(1000)
  expect(read.mock.calls.length).toBe(12) // the commit, its tree, ten folders
  read.mockRestore()
})

test('waiting for another fetch ends when the signal aborts', async () => {
  const { repository, source, server, remote } = world()
  const first = await repository.commit({ files: { a: '1' } })
  const second = await repository.commit({ files: { a: '2' } })
  const gate: { open?: () => void } = {}
  const opened = new Promise<void>((resolve) => (gate.open = resolve))
  const reached = new Promise<void>((resolve) => {
    server.intercept(async (_, response, backend) => {
      resolve()
      await opened
      const { status, headers, body } = await backend()
      response.writeHead(status, headers).end(body)
    })
  })
  const going = source.fetch(remote, sha1(first), never)
  await reached
  const stop = new AbortController()
  const waiting = errorOf(source.fetch(remote, sha1(second), stop.signal))
  stop.abort(new Error('no longer wanted'))
  expect((await waiting).message).toBe('no longer wanted')
  gate.open?.()
  await going
  await source.fetch(remote, sha1(second), never)
})

test('a fetch in progress ends when the signal aborts, and leaves no files', async () => {
  const { repository, source, server, root, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const stop = new AbortController()
  server.intercept(() => stop.abort(new Error('stop now')))
  expect((await errorOf(source.fetch(remote, sha1(commit), stop.signal))).message).toBe('stop now')
  server.intercept(undefined)
  expect(readdirSync(mirrorOf(root)).sort()).toEqual(['commits', 'objects', 'remote'])
  await source.fetch(remote, sha1(commit), never)
})
