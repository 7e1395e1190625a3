// What is kept of repositories on the disk: how it grows, and when it goes.
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { GitSource } from '../../../../src/source/git/git-source.js'
import { PackIndex } from '../../../../src/source/git/pack/pack-index.js'
import { makeRepository } from '../../../git-server.js'
import { seeded } from '../../../package/seeded.js'
import { never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld()
const all = (): boolean => true

const mirrorsIn = (root: string): string => join(root, 'data', 'mirrors')

function bytesBelow(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return names
    .map((name) => statSync(join(directory, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
}

/** Bytes that do not compress. */
function noise(bytes: number, seed: number): Buffer {
  const below = seeded(seed)
  return Buffer.from(Array.from({ length: bytes }, () => below(256)))
}

async function textsAt(source: GitSource, remote: string, commit: string): Promise<readonly string[]> {
  const files = await source.files(remote, sha1(commit), '', all, never)
  return files.map(({ path, bytes }) => `${path}: ${Buffer.from(bytes).toString()}`)
}

test('what was fetched with one credential is not read with another, nor with none', async () => {
  const { repository, restart, server, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const requestsWith = async (credential: string | undefined): Promise<number> => {
    server.reset()
    await restart({ credentialFor: () => credential }).fetch(remote, sha1(commit), never)
    return server.seen.length
  }
  expect([
    await requestsWith('team'),
    await requestsWith('team'),
    await requestsWith('other'),
    await requestsWith(undefined),
    await requestsWith('team'),
  ]).toEqual([1, 0, 1, 1, 0])
})

test('a credential that changes while the agent runs reads nothing that another one fetched', async () => {
  const { repository, restart, server, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  let credential: string | undefined = 'team'
  const source = restart({ credentialFor: () => credential })
  const requestsWith = async (name: string | undefined): Promise<number> => {
    credential = name
    server.reset()
    await source.fetch(remote, sha1(commit), never)
    return server.seen.length
  }
  expect([
    await requestsWith('team'),
    await requestsWith('other'),
    await requestsWith(undefined),
    await requestsWith('team'),
  ]).toEqual([1, 1, 1, 0])
})

test('if files change completely again and again, the mirror stays within a few times their size', async () => {
  const { repository, source, root, remote } = world()
  let most = 0
  for (let at = 0; at < 12; at++) {
    await source.fetch(remote, sha1(await repository.commit({ files: { large: noise(400_000, at) } })), never)
    most = Math.max(most, bytesBelow(mirrorsIn(root)))
  }
  expect(most).toBeGreaterThan(1_600_000)
  expect(most).toBeLessThan(5.5 * 400_000)
})

test('mirrors of unused remotes are removed, others stay; a removed one is fetched again on demand', async () => {
  const { repository, source, server, root, remote } = world()
  const other = await makeRepository(join(root, 'served'), 'other')
  const otherRemote = `${server.url}/other.git`
  const [one, two] = [await repository.commit({ files: { a: '1' } }), await other.commit({ files: { b: '2' } })]
  await source.fetch(remote, sha1(one), never)
  await source.fetch(otherRemote, sha1(two), never)
  mkdirSync(join(mirrorsIn(root), 'of-an-earlier-process'))
  expect(await source.keepOnly({ remotes: [remote], undecided: [] })).toBe(1)
  expect(readdirSync(mirrorsIn(root))).toHaveLength(1)
  server.reset()
  expect(await textsAt(source, remote, one)).toEqual(['a: 1'])
  expect(server.seen).toHaveLength(0)
  expect(await textsAt(source, otherRemote, two)).toEqual(['b: 2'])
  expect(server.seen).toHaveLength(1)
})

test('mirrors of undecided remotes stay, with whichever credential they were fetched', async () => {
  const { repository, restart, server, root, remote } = world()
  const other = await makeRepository(join(root, 'served'), 'other')
  const otherRemote = `${server.url}/other.git`
  const [one, two] = [await repository.commit({ files: { a: '1' } }), await other.commit({ files: { b: '2' } })]
  const before = restart({ credentialFor: () => 'team' })
  await before.fetch(remote, sha1(one), never)
  await before.fetch(otherRemote, sha1(two), never)
  const ofOlderVersion = 'a'.repeat(32)
  mkdirSync(join(mirrorsIn(root), ofOlderVersion))
  const source = restart()
  expect(await source.keepOnly({ remotes: [], undecided: [remote] })).toBe(1)
  expect(readdirSync(mirrorsIn(root))).toHaveLength(2)
  server.reset()
  await restart({ credentialFor: () => 'team' }).fetch(remote, sha1(one), never)
  expect(server.seen).toHaveLength(0)
  expect(await source.keepOnly({ remotes: [], undecided: [] })).toBe(2)
})

test('a mirror that is opened while others are removed stays', async () => {
  const { repository, source, server, root, remote } = world()
  const other = await makeRepository(join(root, 'served'), 'other')
  const otherRemote = `${server.url}/other.git`
  const [one, two] = [await repository.commit({ files: { a: '1' } }), await other.commit({ files: { b: '2' } })]
  await source.fetch(remote, sha1(one), never)
  const removed = source.keepOnly({ remotes: [], undecided: [] })
  await Promise.all([source.fetch(otherRemote, sha1(two), never), removed])
  server.reset()
  expect(await textsAt(source, otherRemote, two)).toEqual(['b: 2'])
  expect(server.seen).toHaveLength(0)
})

test('sixty commits one after the other leave as much on the disk and as many open files as twenty', async () => {
  const { repository, source, root, remote } = world()
  const figures: { readonly bytes: number; readonly files: number; readonly open: number }[] = []
  for (let at = 0; at < 60; at++) {
    const files = Object.fromEntries(
      Array.from({ length: at === 0 ? 30 : 1 }, (_, file) => [`f${(at + file) % 30}`, noise(2_000, at * 30 + file)]),
    )
    await source.fetch(remote, sha1(await repository.commit({ files })), never)
    const open = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0
    figures.push({
      bytes: bytesBelow(mirrorsIn(root)),
      files: readdirSync(mirrorsIn(root), { recursive: true }).length,
      open,
    })
  }
  const most = (key: 'bytes' | 'files' | 'open', from: number, to: number): number =>
    Math.max(...figures.slice(from, to).map((one) => one[key]))
  expect(most('bytes', 40, 60)).toBeLessThan(most('bytes', 0, 20) * 1.5)
  expect(most('files', 40, 60)).toBeLessThanOrEqual(most('files', 0, 20) + 3)
  expect(most('open', 40, 60)).toBeLessThanOrEqual(most('open', 0, 20) + 3)
})

test('a new pack reads no index of the others again', async () => {
  const { repository, source, remote } = world()
  const read = vi.spyOn(PackIndex, 'read')
  const counts: number[] = []
  for (const text of ['1', '2', '3', '4']) {
    const commit = await repository.commit({ files: { a: text, [`b${text}`]: text } })
    read.mockClear()
    await source.fetch(remote, sha1(commit), never)
    expect(await textsAt(source, remote, commit)).toContain(`a: ${text}`)
    counts.push(read.mock.calls.length)
  }
  // Its own: while it arrives, and at its final path.
  expect(counts).toEqual([2, 2, 2, 2])
})
