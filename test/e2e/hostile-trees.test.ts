// Trees that no honest git writes, and entries that are no files: refused by name, with what to do; nothing is written,
// others are not affected, and a good commit ends it.
import { describe, expect, test } from 'vitest'
import { treeEntries } from '../../src/source/tree/tree.js'
import { bucket, label, yaml } from '../influxdb/packages.js'
import { useServedWorld, useWorld } from '../influxdb/world.js'

const world = useWorld()

/** Where a tree is written: in memory, but for one tree that real git stores and serves. */
interface Place {
  readonly write: (type: 'blob' | 'tree', content: string | Buffer) => Promise<string>
  /** Makes a commit of a tree the tip of main. */
  readonly commitTree: (tree: string) => Promise<unknown>
}

const inMemory = (): Place => ({
  write: async (type, content) => {
    const { objects } = world().server
    return type === 'blob'
      ? objects.writeBlob(Buffer.from(content))
      : objects.keepTree([...treeEntries(Buffer.from(content), 'of the test')])
  },
  commitTree: async (tree) => world().repository.commitTree(tree),
})

interface TreeEntry {
  readonly mode: string
  readonly name: string | Buffer
  readonly id: string
}

function treeOf(entries: readonly TreeEntry[]): Buffer {
  return Buffer.concat(
    entries.map(({ mode, name, id }) =>
      Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(id, 'hex')]),
    ),
  )
}

/** Commits, on main, a good package in `good` and these entries in `boards`, as they are. */
async function push(
  entries: (blob: string) => readonly TreeEntry[],
  { write, commitTree } = inMemory(),
): Promise<void> {
  const file = await write('blob', yaml(label('red'), bucket('raw', { labels: ['red'] })))
  const other = await write('blob', label('green'))
  const boards = await write('tree', treeOf(entries(file)))
  const good = await write('tree', treeOf([{ mode: '100644', name: 'a.yml', id: other }]))
  const top = await write(
    'tree',
    treeOf([
      { mode: '40000', name: 'boards', id: boards },
      { mode: '40000', name: 'good', id: good },
    ]),
  )
  await commitTree(top)
}

const file =
  (name: string | Buffer, mode = '100644') =>
  (id: string): readonly TreeEntry[] => [
    { mode: '100644', name: 'a.yml', id },
    { mode, name, id },
  ]
const twins =
  (...names: readonly string[]) =>
  (id: string): readonly TreeEntry[] =>
    names.map((name) => ({ mode: '100644', name, id }))

const hostile: Readonly<Record<string, readonly [entries: (blob: string) => readonly TreeEntry[], said: string]>> = {
  '..': [file('..'), '".." is not a valid name.'],
  '.': [file('.'), '"." is not a valid name.'],
  '.git': [file('.git'), '".git" means ".git" on some file systems.'],
  '.GIT': [file('.GIT'), '".GIT" means ".git"'],
  '.git with a blank': [file('.git '), 'means ".git"'],
  '.git with an ignorable character': [file('.g\u200cit'), '".g\\u{200c}it" means ".git"'],
  'git~1': [file('GIT~1'), '"GIT~1" means ".git"'],
  'a stream of .git': [file('.git:config'), 'means ".git"'],
  'a path': [file('x/y.yml'), '"x/y.yml" has a separator in its name.'],
  'a path with a backslash': [file('..\\y.yml'), 'has a separator in its name.'],
  'what is not UTF-8': [file(Buffer.from([0x61, 0xff, 0x2e])), 'is not UTF-8.'],
  'more than 255 bytes': [file(`${'x'.repeat(300)}.yml`), 'has a name of more than 255 bytes.'],
  'a control character that a terminal obeys': [file('\u001b[2J/'), '"\\u{1b}[2J/" has a separator'],
  'the same but for its case': [twins('a.yml', 'A.yml'), '"A.yml" is the same name as "a.yml" on some file systems.'],
  'the same in Unicode': [twins('caf\u00e9.yml', 'cafe\u0301.yml'), 'is the same name as'],
  'the same file twice': [twins('a.yml', 'a.yml'), '"a.yml" is the same name as "a.yml"'],
}

describe('an entry named', () => {
  test.each(Object.entries(hostile))('%s is refused by name', async (_, [entries, said]) => {
    await push(() => [])
    await world().create('good', { path: 'good' })
    await push(entries)
    const run = await world().create('boards', { path: 'boards' })
    expect(run).toMatchObject({
      outcome: 'failed',
      problems: [{ code: 'source/unsafe-tree', hint: expect.stringContaining('Rename or remove it') as string }],
    })
    expect(run.problems[0]!.message).toContain(said)
    expect(await world().names()).toEqual(['Label/green'])
    expect(await world().sync('good')).toMatchObject({ outcome: expect.stringMatching(/unchanged|applied/) as string })
    await push((id) => [{ mode: '100644', name: 'a.yml', id }])
    expect(await world().sync('boards')).toMatchObject({ outcome: 'applied' })
  })
})

const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 3\n'
const kinds: Readonly<
  Record<string, readonly [entries: (blob: string) => Promise<readonly TreeEntry[]>, code: string, said: string]>
> = {
  'a symbolic link': [
    async () => [{ mode: '120000', name: 'b.yml', id: await inMemory().write('blob', '/etc/passwd') }],
    'source/symbolic-link',
    '"b.yml" is a symbolic link',
  ],
  'a submodule': [
    async () => [{ mode: '160000', name: 'b', id: '1'.repeat(40) }],
    'source/submodule',
    '"b" is a submodule',
  ],
  'a pointer of Git LFS': [
    async () => [{ mode: '100644', name: 'b.yml', id: await inMemory().write('blob', pointer) }],
    'source/lfs-pointer',
    '"b.yml" is stored in Git LFS',
  ],
}

describe('beside the files of a package', () => {
  test.each(Object.entries(kinds))(
    '%s is reported by name, and left alone where .gitmoorignore lists it',
    async (_, [entries, code, said]) => {
      const others = await entries('')
      await push((id) => [{ mode: '100644', name: 'a.yml', id }, ...others])
      const run = await world().create('boards', { path: 'boards' })
      expect(run).toMatchObject({
        outcome: 'failed',
        problems: [{ code, hint: expect.stringContaining('.gitmoorignore') as string }],
      })
      expect(run.problems[0]!.message).toContain(said)
      expect(await world().names()).toEqual([])
      const rules = await inMemory().write('blob', '/b\n/b.yml\n')
      await push((id) => [
        { mode: '100644', name: '.gitmoorignore', id: rules },
        { mode: '100644', name: 'a.yml', id },
        ...others,
      ])
      expect(await world().sync('boards')).toMatchObject({ outcome: 'applied' })
      expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
    },
  )
})

describe('over real git', () => {
  const served = useServedWorld()

  test('an entry named .. is refused by name', async () => {
    const { repository } = served()
    const place: Place = {
      write: (type, content) => repository.write(type, content),
      commitTree: async (tree) => repository.branch('main', await repository.git('commit-tree', '-m', 'Change', tree)),
    }
    await push(file('..'), place)
    const run = await served().create('boards', { path: 'boards' })
    expect(run).toMatchObject({ outcome: 'failed', problems: [{ code: 'source/unsafe-tree' }] })
    expect(run.problems[0]!.message).toContain('".." is not a valid name.')
    expect(await served().create('good', { path: 'good' })).toMatchObject({ outcome: 'applied' })
  })
})
