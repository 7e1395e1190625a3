// Which packages a repository holds, and what stacks of them would be called.
import { describe, expect, test } from 'vitest'
import type { DiscoveryView } from '../../../src/views/packages/discovery.js'
import { toDnsLabel, stackNames } from '../../../src/stacks/discover/stack-names.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'
import { describeWithJsonnet } from '../../sandbox/with-jsonnet.js'

const world = useWorld()

async function discover(files: Readonly<Record<string, string>>, more: object = {}): Promise<DiscoveryView> {
  await world().repository.commit({ files })
  return world().ask.discoverPackages({ url: world().url, ...more }, never)
}

const paths = ({ packages }: DiscoveryView): readonly string[] => packages.map(({ path }) => path)

test('each folder with package files of its own is a package, with its documents counted', async () => {
  const found = await discover({
    'README.md': '# boards',
    'docker-compose.yml': 'services: {}\n',
    '.github/workflows/ci.yml': 'kind: Workflow\napiVersion: v1\n',
    'edge/a.yml': yaml(bucket('raw', { labels: ['red'] }), label('red')),
    'edge/b.json': '[]',
    'core/deep/x.yaml': label('blue'),
    'core/notes.yml': 'just: notes\n',
  })
  expect(found.packages).toEqual([
    { path: 'core/deep', kinds: { Label: 1 }, problems: [], includes: [], stack: null, name: 'core-deep' },
    { path: 'edge', kinds: { Bucket: 1, Label: 1 }, problems: [], includes: [], stack: null, name: 'edge' },
  ])
  expect(found.revision).toMatch(/^HEAD@sha1:[0-9a-f]{40}$/)
})

test('a package at the root is called as the repository', async () => {
  const { packages } = await discover({ 'a.yml': label('red') })
  expect(packages).toMatchObject([{ path: '', name: 'repository' }])
})

test('only files below the path are read; paths start at the root of the repository', async () => {
  const found = await discover({ 'one/a.yml': label('red'), 'two/b/a.yml': label('blue') }, { path: 'two' })
  expect(found.packages).toMatchObject([{ path: 'two/b', name: 'two-b' }])
})

test('a ref is read at its current commit', async () => {
  await world().repository.commit({ files: { 'old/a.yml': label('red') }, tags: ['stable'] })
  expect(paths(await discover({ 'new/a.yml': label('red') }, { ref: 'stable' }))).toEqual(['old'])
})

test('a broken package is listed with its errors, and hides no other', async () => {
  const { packages } = await discover({
    'bad/a.yml': bucket('raw', { labels: ['red', 'blue'] }),
    'bad/b.yml': 'a: [',
    'good/a.yml': label('red'),
  })
  expect(packages.map(({ path, problems }) => [path, problems.length])).toEqual([
    ['bad', 3],
    ['good', 0],
  ])
  expect(packages[0]!.problems[0]!.place).toMatchObject({ file: expect.stringMatching(/^bad\//) })
})

test('a package whose only file cannot be read is listed, YAML of other tools is not', async () => {
  const files = { 'typo/a.yml': `${label('red')} x: [`, 'other/ci.yml': 'image: [', 'good/a.yml': label('blue') }
  const { packages } = await discover(files)
  expect(packages.map(({ path, kinds, problems }) => [path, kinds, problems[0]?.place?.file])).toEqual([
    ['good', { Label: 1 }, undefined],
    ['typo', {}, 'typo/a.yml'],
  ])
})

test('problems below a path name files by their full paths in the repository', async () => {
  await world().repository.commit({
    files: {
      'team/a/x.yml': label('red'),
      'team/a/y.yml': yaml(label('blue'), label('red')),
      'team/b/x.yml': label('green'),
      'team/b/z.yml': 'k: 1\nk: 2\n',
      'team/c/w.yml': yaml(label('grey'), label('grey')),
    },
  })
  const messages = async (path: string): Promise<readonly unknown[]> => {
    const { packages } = await world().ask.discoverPackages({ url: world().url, path }, never)
    return packages.flatMap(({ problems }) => problems.map(({ message, place }) => [place?.file, message]))
  }
  const twice = ['team/a/y.yml', 'Label/red is declared twice; the first is at team/a/x.yml:1.']
  const key = ['team/b/z.yml', 'team/b/z.yml:2:1 cannot be read: duplicate key "k", first at team/b/z.yml:1.']
  const inOneFile = ['team/c/w.yml', 'Label/grey is declared twice; the first is at team/c/w.yml:1.']
  expect(await messages('')).toEqual([twice, key, inOneFile])
  expect(await messages('team')).toEqual([twice, key, inOneFile])
  expect(await messages('team/b')).toEqual([key])
  expect(await messages('team/c/w.yml')).toEqual([inOneFile])
})

describeWithJsonnet('a package in Jsonnet', () => {
  test('that .gitmoorignore of its folder excludes is not evaluated', async () => {
    const { packages } = await discover({
      'edge/.gitmoorignore': 'bad.jsonnet\n',
      'edge/a.yml': label('red'),
      'edge/bad.jsonnet': '(',
    })
    expect(packages).toMatchObject([{ path: 'edge', kinds: { Label: 1 }, problems: [] }])
  })

  test('has problems with full paths', async () => {
    await world().repository.commit({ files: { 'team/a/x.jsonnet': '(' } })
    const { packages } = await world().ask.discoverPackages({ url: world().url, path: 'team' }, never)
    expect(packages[0]!.problems).toMatchObject([
      { place: { file: 'team/a/x.jsonnet' }, message: expect.stringMatching(/^team\/a\/x\.jsonnet:1: /) as string },
    ])
  })

  test('counts the evaluated resources, and may import files below it', async () => {
    const { packages } = await discover({
      'edge/a.jsonnet': "[(import 'lib/l.libsonnet').label('red'), (import 'lib/l.libsonnet').label('blue')]",
      'edge/lib/l.libsonnet': "{ label(name):: { apiVersion: 'plain/v1', kind: 'Label', metadata: { name: name } } }",
      'outside/b.jsonnet': "import '../edge/lib/l.libsonnet'",
    })
    expect(packages.map(({ path, kinds, problems }) => [path, kinds, problems.map(({ code }) => code)])).toEqual([
      ['edge', { Label: 2 }, []],
      ['outside', {}, ['sandbox/import']],
    ])
  })
})

describe('a package inside another one', () => {
  const files = { 'a/x.yml': label('red'), 'a/b/y.yml': label('blue'), 'a/c/z.yml': label('grey') }

  test('is one of its own, and the outer one says which it takes in', async () => {
    const { packages } = await discover(files)
    expect(packages.map(({ path, includes }) => [path, includes])).toEqual([
      ['a', ['a/b', 'a/c']],
      ['a/b', []],
      ['a/c', []],
    ])
  })

  test('is not included if .gitmoorignore of the outer one excludes it', async () => {
    const { packages } = await discover({ ...files, 'a/.gitmoorignore': 'b/\n' })
    expect(packages.find(({ path }) => path === 'a')!.includes).toEqual(['a/c'])
  })
})

describe('what is followed already', () => {
  test('is said, by its own stack or by one above it', async () => {
    await world().repository.commit({
      files: { 'a/x.yml': label('red'), 'b/c/y.yml': label('blue'), 'd/z.yml': label('grey') },
    })
    await world().create('first', { path: 'a' })
    await world().create('second', { path: 'b' })
    const { packages } = await world().ask.discoverPackages({ url: `${world().url}/` }, never)
    expect(packages.map(({ path, stack }) => [path, stack])).toEqual([
      ['a', 'first'],
      ['b/c', 'second'],
      ['d', null],
    ])
    const below = await world().ask.discoverPackages({ url: world().url, path: 'b' }, never)
    expect(below.packages).toMatchObject([{ path: 'b/c', stack: 'second' }])
  })

  test('names of stacks are free ones', async () => {
    await world().repository.commit({ files: { 'a/x.yml': label('red') } })
    await world().create('b', { path: 'a' })
    const { packages } = await discover({ 'b/x.yml': label('blue') })
    expect(packages.find(({ path }) => path === 'b')!.name).toBe('b-2')
  })
})

test('names that several packages declare are reported, with whether they are alike', async () => {
  const { clashes } = await discover({
    'a/x.yml': yaml(label('one', { name: 'Red' }), bucket('raw', { name: 'raw', every: 3600 })),
    'b/x.yml': yaml(label('two', { name: 'red' }), bucket('own', { name: 'raw', every: 3600 })),
    'c/x.yml': label('one', { name: 'green' }),
  })
  expect(clashes).toEqual([
    { family: 'Bucket', name: 'raw', paths: ['a', 'b'], alike: true },
    { family: 'Label', name: 'Red', paths: ['a', 'b'], alike: false },
  ])
})

test('what is not there is an error of the source', async () => {
  expect(await refusal(world().ask.discoverPackages({ url: world().url, ref: 'nothing' }, never))).toMatchObject({
    code: 'source/ref-missing',
  })
  await world().push(label('red'))
  expect(await refusal(world().ask.discoverPackages({ url: world().url, path: 'nothing' }, never))).toMatchObject({
    code: 'source/path-missing',
  })
  expect(await refusal(world().ask.discoverPackages({ url: world().url, target: 'nowhere' }, never))).toMatchObject({
    code: 'stacks/target-unknown',
  })
})

describe('names', () => {
  test.each([
    ['team/a', 'team-a'],
    ['Team A/_x_', 'team-a-x'],
    ['…', 'stack'],
    ['a'.repeat(100), 'a'.repeat(63)],
    [`${'a'.repeat(62)}/b`, 'a'.repeat(62)],
  ])('of %j is %j', (text, name) => {
    expect(toDnsLabel(text, 'stack')).toBe(name)
  })

  test('no two are alike, and none is longer than it may be', () => {
    const long = 'a'.repeat(80)
    expect(stackNames(['a', 'A', 'a/', long, long], new Set(['a']))).toEqual([
      'a-2',
      'a-3',
      'a-4',
      'a'.repeat(63),
      `${'a'.repeat(61)}-2`,
    ])
  })
})
