import { expect, test } from 'vitest'
import type { CommitOptions } from '../../git-server.js'
import { LIMITS, errorOf, never, useGitWorld, sha1 } from '../git-world.js'
import { refuseUnsafe } from '../../../src/source/file-names.js'
import { treeEntries, type Tree } from '../../../src/source/tree/tree.js'

const parseTree = (bytes: Buffer): Tree => [...treeEntries(bytes, 'id')]

const world = useGitWorld()
const all = (): boolean => true
const yaml = (path: string): boolean => path.endsWith('.yaml')

async function commit(files: CommitOptions['files']) {
  const { repository, source, remote } = world()
  const id = await repository.commit(files === undefined ? {} : { files })
  await source.fetch(remote, sha1(id), never)
  return { id, source, remote, repository }
}

test('files below a path come by byte order of their paths, relative to it', async () => {
  const { id, source, remote, repository } = await commit({
    'p/b.yaml': 'b',
    'p/a/z.yaml': 'z',
    'p/a.yaml': 'a',
    'p/a-b/c.yaml': 'c',
    'p/é.yaml': 'e',
    'p/Z.yaml': 'Z',
    'p/𝄞.yaml': 'g',
    'p/ﬀ.yaml': 'f',
    'p/readme.md': 'no',
    'other/x.yaml': 'x',
  })
  const files = await source.files(remote, sha1(id), 'p', yaml, never)
  const paths = files.map((file) => file.path)
  expect(paths).toEqual(['Z.yaml', 'a-b/c.yaml', 'a.yaml', 'a/z.yaml', 'b.yaml', 'é.yaml', 'ﬀ.yaml', '𝄞.yaml'])
  expect(files[0]).toMatchObject({ id: await repository.git('rev-parse', `${id}:p/Z.yaml`), bytes: Buffer.from('Z') })
})

test('the path may be a file, or the top, with or without slashes at its ends', async () => {
  const { id, source, remote } = await commit({ 'p/a.yaml': 'a', 'b.yaml': 'b' })
  const paths = async (path: string) =>
    (await source.files(remote, sha1(id), path, all, never)).map((file) => file.path)
  expect(await paths('p/a.yaml')).toEqual(['a.yaml'])
  expect(await paths('')).toEqual(['b.yaml', 'p/a.yaml'])
  expect(await paths('/p/')).toEqual(['a.yaml'])
  expect(await paths('./p')).toEqual(['a.yaml'])
})

test('content is the id of the tree or blob at a path, undefined where nothing is', async () => {
  const { id, source, remote, repository } = await commit({ 'p/a.yaml': 'a', 'b.yaml': 'b' })
  expect(await source.content(remote, sha1(id), '')).toBe(await repository.git('rev-parse', `${id}^{tree}`))
  expect(await source.content(remote, sha1(id), 'p')).toBe(await repository.git('rev-parse', `${id}:p`))
  expect(await source.content(remote, sha1(id), 'p/a.yaml')).toBe(await repository.git('rev-parse', `${id}:p/a.yaml`))
  expect(await source.content(remote, sha1(id), 'q')).toBeUndefined()
  expect(await source.content(remote, sha1(id), 'b.yaml/c')).toBeUndefined()
})

test('a path that vanished is an error that names it, not an empty list', async () => {
  const { id, source, remote, repository } = await commit({ 'p/a.yaml': 'a', 'b.yaml': 'b' })
  const later = await repository.commit({ removed: ['p/a.yaml'] })
  expect(await source.files(remote, sha1(id), 'p', all, never)).toHaveLength(1)
  expect(await errorOf(source.files(remote, sha1(later), 'p', all, never))).toMatchObject({
    name: 'Rejected',
    code: 'source/path-missing',
    message: `There is nothing at p in commit ${later.slice(0, 7)} of ${remote}.`,
    hint: 'The repository has no folders. Push a commit that has the path.',
  })
})

test.each([
  ['bse', 'Did you mean "base"?', 'base'],
  ['base/raaw', 'Did you mean "base/raw"?', 'base/raw'],
  ['bse/raw', 'Did you mean "base/raw"?', 'base/raw'],
  ['base/moved', 'Did you mean "base/raw"?', 'base/raw'],
  ['base/raw/x', '"base/raw" has no folders. Push a commit that has the path.', undefined],
  ['nothing', 'The repository has the folders app, base. Push a commit that has the path.', undefined],
  ['bse/nothing', 'The repository has the folders app, base. Push a commit that has the path.', undefined],
])('for the missing path %s the hint is %j', async (path, hint, suggestion) => {
  const { id, source, remote } = await commit({ 'app/a.yml': 'a', 'base/raw/b.yml': 'b', '.github/c.yml': 'c' })
  const error = await errorOf(source.files(remote, sha1(id), path, all, never))
  expect(error).toMatchObject({ code: 'source/path-missing', hint })
  expect((error as { suggestion?: string }).suggestion).toBe(suggestion)
})

test('a commit without any file has no files', async () => {
  const { source, remote, repository } = await commit({ a: '1' })
  const empty = await repository.commit({ removed: ['a'] })
  expect(await source.files(remote, sha1(empty), '', all, never)).toEqual([])
})

test('a path that leaves the repository is refused', async () => {
  const { id, source, remote } = await commit({ a: '1' })
  expect(await errorOf(source.files(remote, sha1(id), 'p/../..', all, never))).toMatchObject({
    code: 'source/bad-path',
  })
})

test('a symbolic link is skipped unless it is included, and never followed', async () => {
  const { id, source, remote } = await commit({
    'a.yaml': 'a',
    link: { link: '/etc' },
    'p/b.yaml': { link: '../a.yaml' },
  })
  expect(
    (await source.files(remote, sha1(id), '', (path) => path === 'a.yaml', never)).map((file) => file.path),
  ).toEqual(['a.yaml'])
  const refusal = {
    name: 'Rejected',
    code: 'source/symbolic-link',
    message: expect.stringContaining('does not follow') as string,
  }
  expect(await errorOf(source.files(remote, sha1(id), '', yaml, never))).toMatchObject({ ...refusal, path: 'p/b.yaml' })
  expect(await errorOf(source.files(remote, sha1(id), 'link', all, never))).toMatchObject(refusal)
  expect(await errorOf(source.content(remote, sha1(id), 'link/passwd'))).toMatchObject({
    ...refusal,
    message: expect.stringContaining('"link"') as string,
  })
})

test('a submodule is refused if its files may be included, and as the path itself', async () => {
  const { id, source, remote } = await commit({ 'a.yaml': 'a', sub: { submodule: '1'.repeat(40) } })
  const paths: string[] = []
  const desired = (path: string): boolean => paths.push(path) > 0 && path === 'a.yaml'
  expect(await source.files(remote, sha1(id), '', desired, never)).toHaveLength(1)
  expect(paths).toEqual(['a.yaml', 'sub/'])
  for (const path of ['', 'sub']) {
    expect(await errorOf(source.files(remote, sha1(id), path, all, never))).toMatchObject({
      code: 'source/submodule',
      path: 'sub',
    })
  }
})

test('an included Git LFS pointer is refused', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 3\n'
  const { id, source, remote } = await commit({ 'a.yaml': pointer, b: '1' })
  expect(await source.files(remote, sha1(id), '', (path) => path === 'b', never)).toHaveLength(1)
  expect(await errorOf(source.files(remote, sha1(id), '', all, never))).toMatchObject({
    code: 'source/lfs-pointer',
    path: 'a.yaml',
  })
})

test.each([
  ['fileBytes', { fileBytes: 3 }, 'source/file-too-large'],
  ['totalBytes', { totalBytes: 6 }, 'source/files-too-large'],
  ['files', { files: 1 }, 'source/too-many-files'],
  ['depth', { depth: 2 }, 'source/too-deep'],
])('limits.%s is kept, and named', async (name, limit, code) => {
  const { repository, restart, remote } = world()
  const id = await repository.commit({ files: { 'p/q/r/a.yaml': 'four', 'b.yaml': 'four' } })
  const source = restart({ limits: { ...LIMITS, ...limit } })
  const error = await errorOf(source.files(remote, sha1(id), '', all, never))
  expect(error).toMatchObject({ name: 'Rejected', code })
  expect(error.message).toContain(`limits.${name}`)
})

test('excluded files do not count for the limits of files and bytes', async () => {
  const { repository, restart, remote } = world()
  const id = await repository.commit({ files: { 'a.yaml': 'four', 'b.md': 'too long', 'c.md': 'too long' } })
  const source = restart({ limits: { ...LIMITS, files: 1, fileBytes: 4, totalBytes: 4 } })
  expect(await source.files(remote, sha1(id), '', yaml, never)).toHaveLength(1)
})

test('a folder that contains itself many times is limited by limits.files', async () => {
  const { repository, restart, remote } = world()
  let tree = await repository.git('rev-parse', `${await repository.commit({ files: { a: '1' } })}^{tree}`)
  for (let level = 0; level < 12; level++) {
    const entries = Array.from({ length: 10 }, (_, at) => `040000 tree ${tree}\td${at}`)
    tree = await makeTree(repository.directory, entries)
  }
  const id = await repository.git('commit-tree', '-m', 'bomb', tree)
  const source = restart({ limits: { ...LIMITS, files: 100 } })
  await repository.branch('bomb', id)
  expect(await errorOf(source.files(remote, sha1(id), '', yaml, never))).toMatchObject({
    code: 'source/too-many-files',
  })
})

test.each([
  ['', 'is not a valid name'],
  ['..', 'is not a valid name'],
  ['.', 'is not a valid name'],
  ['.git', 'means ".git"'],
  ['.GIT', 'means ".git"'],
  ['.git ', 'means ".git"'],
  ['.git...', 'means ".git"'],
  ['GIT~1', 'means ".git"'],
  ['.git::$INDEX_ALLOCATION', 'means ".git"'],
  ['.g\u200cit', 'means ".git"'],
  ['a/b', 'has a separator'],
  ['a\\b', 'has a separator'],
  ['a\nb.yaml', 'has a control character'],
  ['a\u007f', 'has a control character'],
  ['a\u009b2J', 'has a control character'],
  ['.git . .', 'means ".git"'],
  ['.GIT:stream:$DATA', 'means ".git"'],
  ['git~1 ', 'means ".git"'],
  ['\ufeff.git', 'means ".git"'],
  ['.\u206aG\u202eI\u200dT', 'means ".git"'],
  ['x'.repeat(256), 'has a name of more than 255 bytes'],
  ['é'.repeat(128), 'has a name of more than 255 bytes'],
])('an entry named %j is refused', (name, why) => {
  const tree = parseTree(treeOf([name]))
  expect(() => refuseUnsafe(tree, 'p/')).toThrow(why)
})

test.each([
  ['case', ['Readme.yaml', 'readme.yaml']],
  ['the form of their accents', ['caf\u00e9.yaml', 'cafe\u0301.yaml']],
  ['case and the form of their accents', ['CAF\u00c9.yaml', 'cafe\u0301.yaml']],
  ['a character that HFS+ ignores', ['a.yaml', 'a\u200d.yaml']],
  ['a long s', ['\u017f.yaml', 's.yaml']],
  ['a ligature', ['\ufb00.yaml', 'ff.yaml']],
  ['nothing', ['a.yaml', 'a.yaml']],
])('two entries that differ only by %s are refused', (_, names) => {
  expect(() => refuseUnsafe(parseTree(treeOf(names)), '')).toThrow('is the same name as')
})

test.each(['.gitignore', '.github', 'git', 'git~2', 'a..b', '.git-keep'])(
  'an entry named %s is nothing special',
  (name) => {
    expect(() => refuseUnsafe(parseTree(treeOf([name])), '')).not.toThrow()
  },
)

test('a name that is not UTF-8 is refused, and a tree that is not well formed', () => {
  const bytes = Buffer.concat([Buffer.from('100644 a'), Buffer.from([0xff, 0]), Buffer.alloc(20)])
  expect(() => refuseUnsafe(parseTree(bytes), '')).toThrow('is not UTF-8')
  for (const bad of [bytes.subarray(0, -1), Buffer.from('999999 a\0'.padEnd(40)), Buffer.from('nonsense')]) {
    expect(() => parseTree(bad)).toThrow('malformed')
  }
})

test('an unsafe entry in a real commit is refused by its path, below the path that is followed and nowhere else', async () => {
  const { repository, source, remote } = world()
  const blob = await repository.git('rev-parse', `${await repository.commit({ files: { 'a.yaml': '1' } })}:a.yaml`)
  const inner = await makeTree(repository.directory, [`100644 blob ${blob}\ta.yaml`, `100644 blob ${blob}\tA.yaml`])
  const good = await makeTree(repository.directory, [`100644 blob ${blob}\ta.yaml`])
  const top = await makeTree(repository.directory, [`040000 tree ${inner}\tbad`, `040000 tree ${good}\tgood`])
  const id = await repository.git('commit-tree', '-m', 'twins', top)
  await repository.branch('twins', id)
  const error = await errorOf(source.files(remote, sha1(id), '', yaml, never))
  expect(error).toMatchObject({
    code: 'source/unsafe-tree',
    message: '"bad/a.yaml" is the same name as "A.yaml" on some file systems.',
  })
  expect(await source.files(remote, sha1(id), 'good', yaml, never)).toHaveLength(1)
})

test('a folder above the path that has the followed name twice is refused as ambiguous', async () => {
  const { repository, source, remote } = world()
  const blob = await repository.write('blob', '1')
  const entries = (name: string): Buffer => Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')])
  const tree = await repository.write('tree', Buffer.concat([entries('a.yaml'), entries('a.yaml'), entries('b.yaml')]))
  const id = await repository.git('commit-tree', '-m', 'twice', tree)
  await repository.branch('twice', id)
  const refusal = {
    code: 'source/unsafe-tree',
    message: expect.stringContaining('"a.yaml" is the same name as "a.yaml"') as string,
  }
  expect(await errorOf(source.files(remote, sha1(id), 'a.yaml', all, never))).toMatchObject(refusal)
  expect(await source.files(remote, sha1(id), 'b.yaml', all, never)).toHaveLength(1)
})

function treeOf(names: readonly string[]): Buffer {
  return Buffer.concat(names.map((name) => Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.alloc(20)])))
}

async function makeTree(directory: string, entries: readonly string[]): Promise<string> {
  const { spawnSync } = await import('node:child_process')
  const { gitEnvironment } = await import('../../git-server.js')
  const input = `${entries.join('\n')}\n`
  return spawnSync('git', ['mktree'], { cwd: directory, env: gitEnvironment(), input, encoding: 'utf8' }).stdout.trim()
}
