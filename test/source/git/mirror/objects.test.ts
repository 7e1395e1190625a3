// What is read from packs that git itself made, whole ones and such that lack something.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkComplete, rootTreeId } from '../../../../src/source/git/mirror/check-complete.js'
import { Deadline } from '../../../../src/source/network/deadline.js'
import { Mirror } from '../../../../src/source/git/mirror/mirror.js'
import { PackedObjects } from '../../../../src/source/git/pack/packed-objects.js'
import { storePack } from '../../../../src/source/git/pack/store-pack.js'
import { gitEnvironment, makeRepository, type Repository } from '../../../git-server.js'
import { never } from '../../git-world.js'

let root: string
let repository: Repository
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-objects-')))
  repository = await makeRepository(root)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function gitWith(input: string | Buffer, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: repository.directory, env: gitEnvironment(), input }).toString('utf8').trim()
}

/** A pack of these objects alone, with its index. */
function packOf(...ids: readonly string[]): string {
  return join(root, `some-${gitWith(`${ids.join('\n')}\n`, 'pack-objects', '--quiet', join(root, 'some'))}.pack`)
}

/** A commit whose tree says that an object is what it is not. */
function lyingCommit(mode: string, id: string): { readonly commit: string; readonly tree: string } {
  const tree = gitWith(
    Buffer.concat([Buffer.from(`${mode} a\0`), Buffer.from(id, 'hex')]),
    'hash-object',
    '-w',
    '--literally',
    '-t',
    'tree',
    '--stdin',
  )
  return { tree, commit: gitWith('', 'commit-tree', tree, '-m', 'Lies') }
}

const blobOf = (text: string): string => gitWith(text, 'hash-object', '-w', '--stdin')

describe('a commit is complete', () => {
  const check = (commit: string, pack: string, complete: readonly string[] = []): ReturnType<typeof checkComplete> =>
    checkComplete(commit, { objects: new PackedObjects([pack]), complete: new Set(complete), remote: 'r' }, never)

  test('if all its objects exist, except submodules, and its trees are cached', async () => {
    const commit = await repository.commit({
      files: { 'a/b/c': '1', d: '2', module: { submodule: '1'.repeat(40) }, link: { link: 'd' } },
    })
    const all = (await repository.git('rev-list', '--objects', '--no-object-names', commit)).split('\n')
    const pack = packOf(...all)
    const trees = (await repository.git('ls-tree', '-r', '-t', commit))
      .split('\n')
      .filter((line) => line.includes(' tree '))
    expect([...(await check(commit, pack))]).toHaveLength(trees.length + 1)
    const top = await rootTreeId(commit, new PackedObjects([pack]), 'r')
    expect([...(await check(commit, packOf(commit), [top]))]).toEqual([])
  })

  test('but not if a file is missing, or a folder is not a folder', async () => {
    const commit = await repository.commit({ files: { a: '1' } })
    const [tree, blob] = [
      await repository.git('rev-parse', `${commit}:`),
      await repository.git('rev-parse', `${commit}:a`),
    ]
    const lacks = { name: 'Unavailable', code: 'source/incomplete' }
    await expect(check(commit, packOf(commit, tree))).rejects.toMatchObject({
      ...lacks,
      message: `The response of r lacks object ${blob}.`,
    })
    const lying = lyingCommit('40000', blob)
    await expect(check(lying.commit, packOf(lying.commit, lying.tree, blob))).rejects.toMatchObject({
      ...lacks,
      message: `The response of r lacks object ${blob}.`,
    })
    await expect(check(commit, packOf(commit, blob))).rejects.toMatchObject({ code: 'source/mirror-damaged' })
  })

  test('only if it is a commit', async () => {
    const blob = blobOf('tree')
    await expect(check(blob, packOf(blob))).rejects.toMatchObject({
      name: 'Rejected',
      code: 'source/not-a-commit',
      message: `${blob} of r is a blob, not a commit.`,
    })
  })
})

describe('a mirror', () => {
  async function mirrorOf(pack: string, commit: string): Promise<Mirror> {
    const directory = join(root, 'mirror')
    mkdirSync(join(directory, 'objects', 'pack'), { recursive: true })
    mkdirSync(join(directory, 'commits'))
    writeFileSync(join(directory, 'commits', commit), '')
    for (const file of [pack, pack.replace(/pack$/, 'idx')])
      copyFileSync(file, join(directory, 'objects', 'pack', basename(file)))
    return Mirror.open('r', directory)
  }

  test('takes no tree for a file, and no file for a tree', async () => {
    const commit = await repository.commit({ files: { a: '1' } })
    const [tree, blob] = [
      await repository.git('rev-parse', `${commit}:`),
      await repository.git('rev-parse', `${commit}:a`),
    ]
    const mirror = await mirrorOf(packOf(commit, tree, blob), commit)
    const reader = mirror.reader(mirror.objects)
    expect([await reader.rootTree(commit), String(await reader.blob(blob))]).toEqual([tree, '1'])
    await expect(reader.blob(tree)).rejects.toMatchObject({ code: 'source/mirror-damaged' })
    await expect(reader.tree(blob)).rejects.toMatchObject({ code: 'source/mirror-damaged' })
  })

  test('keeps objects for a reader of the replaced packs', async () => {
    const commit = await repository.commit({ files: { a: '1' } })
    const mirror = await mirrorOf(packOf(commit), commit)
    const { objects } = mirror
    await mirror.discard(new PackedObjects([]))
    expect([mirror.has(commit), mirror.objects]).toEqual([true, objects])
    await mirror.discard(objects)
    expect([mirror.has(commit), mirror.objects === objects]).toEqual([false, false])
  })
})

test('an index that is gone, or cut, is damage', async () => {
  const pack = packOf(blobOf('1'))
  truncateSync(pack.replace(/pack$/, 'idx'), 1040)
  await expect(new PackedObjects([pack]).has('a')).rejects.toMatchObject({ code: 'source/mirror-damaged' })
  truncateSync(pack.replace(/pack$/, 'idx'), 4)
  await expect(new PackedObjects([pack]).has('a')).rejects.toMatchObject({ code: 'source/mirror-damaged' })
  rmSync(pack.replace(/pack$/, 'idx'))
  await expect(new PackedObjects([pack]).has('a')).rejects.toMatchObject({ code: 'source/mirror-damaged' })
})

test.each([
  ['too few bytes for a pack', Buffer.from('PACK'), 'source/truncated'],
  [
    'another sum at its end',
    Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\0'), Buffer.alloc(20)]),
    'source/damaged',
  ],
  ['more than limits.packBytes', Buffer.alloc(220), 'source/pack-too-large'],
])('a pack with %s is not kept as one', async (_, bytes, code) => {
  const chunks = (async function* () {
    yield bytes.subarray(0, 3)
    yield bytes.subarray(3)
  })()
  await expect(storePack(chunks, join(root, 'x.pack'), { remote: 'r', packBytes: 100 })).rejects.toMatchObject({ code })
})

test('an exchange that its caller gave up before it began is given up at once, with the reason', () => {
  const why = new Error('The agent stops.')
  using deadline = new Deadline({ silenceMs: 60_000, totalMs: 60_000 }, 'r', AbortSignal.abort(why))
  expect([deadline.signal.aborted, deadline.signal.reason]).toEqual([true, why])
})
