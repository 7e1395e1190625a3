// What is known of the tip of a ref: who made it, when and what was written, read from the objects themselves.
import { describe, expect, test } from 'vitest'
import type { RefTipFacts } from '../../../../src/model/sources/channel.js'
import { readCommit, readTag } from '../../../../src/source/git/objects/authored.js'
import { headersIn, commitParents, parseObject, type Header } from '../../../../src/source/git/objects/git-object.js'
import { Dice } from '../../../random/dice.js'
import type { Repository } from '../../../git-server.js'
import { errorOf, never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld()

/** The facts of the current tip of a tag. */
async function describeTag(tag: string, source = world().source): Promise<RefTipFacts> {
  const { repository, remote } = world()
  const object = await repository.git('rev-parse', `refs/tags/${tag}`)
  const commit = await repository.git('rev-parse', `refs/tags/${tag}^{commit}`)
  return source.tips.describe(remote, { object, commit, ref: `refs/tags/${tag}` }, never)
}

async function writeTag(repository: Repository, name: string, lines: string): Promise<string> {
  const commit = await repository.commit({ files: { a: '1' } })
  const object = await repository.write('tag', `object ${commit}\ntype commit\ntag ${name}\n${lines}`)
  await repository.git('update-ref', `refs/tags/${name}`, object)
  return object
}

describe.each([
  ['sends commits without their files', 'true'],
  ['sends them with their files only', 'false'],
])('of a server that %s', (_, allowed) => {
  test('an annotated tag is described with its commit', async () => {
    const { repository } = world()
    await repository.git('config', 'uploadpack.allowFilter', allowed)
    const commit = await repository.commit({ files: { a: '1' }, message: 'Charts\n\nmore of them\n' })
    await repository.tag('stable', commit, { annotated: true })
    expect(await describeTag('stable')).toEqual({
      tag: { tag: 'stable', name: 'Test', email: 'test@example.com', at: 1_700_000_000_000, message: 'Tag stable' },
      commit: { name: 'Test', email: 'test@example.com', at: 1_700_000_060_000, message: 'Charts\n\nmore of them' },
      signature: { state: 'none' },
    })
  })

  test('a lightweight tag has none, and a tag of a tag is described as the outer one', async () => {
    const { repository } = world()
    await repository.git('config', 'uploadpack.allowFilter', allowed)
    const commit = await repository.commit({ files: { a: '1' }, message: 'Charts', tags: ['light'] })
    await repository.tag('one', commit, { annotated: true })
    await repository.tag('two', 'refs/tags/one', { annotated: true })
    expect(await describeTag('light')).toMatchObject({ tag: null, commit: { message: 'Charts' } })
    expect(await describeTag('two')).toMatchObject({
      tag: { tag: 'two', message: 'Tag two' },
      commit: { message: 'Charts' },
    })
  })
})

test('existing objects are not requested: nothing for a commit, only the tag object for a tag', async () => {
  const { repository, source, server, remote } = world()
  const commit = await repository.commit({
    files: { a: Buffer.from(Array.from({ length: 9000 }, (_, at) => (at * 7919) % 251)) },
    tags: ['light'],
  })
  await repository.tag('stable', commit, { annotated: true })
  await source.fetch(remote, sha1(commit), never)
  server.reset()
  await describeTag('light')
  expect(server.seen).toHaveLength(0)
  await describeTag('stable')
  expect(server.seen).toHaveLength(1)
  expect(server.sentBytes).toBeLessThan(400)
})

test('a missing commit costs one request, without files', async () => {
  const { repository, server } = world()
  await repository.git('config', 'uploadpack.allowFilter', 'true')
  const commit = await repository.commit({
    files: { a: Buffer.from(Array.from({ length: 9000 }, (_, at) => (at * 7919) % 251)) },
  })
  await repository.tag('stable', commit, { annotated: true })
  server.reset()
  await describeTag('stable')
  expect(server.seen).toHaveLength(1)
  expect(server.sentBytes).toBeLessThan(600)
})

test('a server without filters is tried once, and the fetched files are kept for the run', async () => {
  const { repository, source, server, remote } = world()
  const first = await repository.commit({ files: { a: '1' }, tags: ['stable'] })
  await describeTag('stable')
  await repository.commit({ files: { a: '2' }, tags: ['stable'] })
  server.reset()
  await describeTag('stable')
  expect(server.seen).toHaveLength(1)
  await source.fetch(remote, sha1(first), never)
  expect(server.seen).toHaveLength(1)
})

test('a commit in another encoding is read in it', async () => {
  const { repository } = world()
  const tree = await repository.git('rev-parse', `${await repository.commit({ files: { a: '1' } })}^{tree}`)
  const author = 'J\u00fcrgen <j@example.com> 1700000000 +0100'
  const text = `tree ${tree}\nauthor ${author}\ncommitter ${author}\nencoding ISO-8859-1\n\nGr\u00fc\u00dfe\n`
  const commit = await repository.write('commit', Buffer.from(text, 'latin1'))
  await repository.git('update-ref', 'refs/tags/stable', commit)
  expect((await describeTag('stable')).commit).toEqual({
    name: 'Jürgen',
    email: 'j@example.com',
    at: 1_700_000_000_000,
    message: 'Grüße',
  })
})

test('the tag that a merge took in is no signature of the merge', async () => {
  const { repository } = world()
  const first = await repository.commit({ files: { a: '1' } })
  const tree = await repository.git('rev-parse', `${first}^{tree}`)
  const merged = `object ${first}\n type commit\n tag v1\n \n One\n -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----`
  const author = 'Test <t@example.com> 1700000000 +0000'
  const text = `tree ${tree}\nparent ${first}\nauthor ${author}\ncommitter ${author}\nmergetag ${merged}\n\nMerge\n`
  await repository.git('update-ref', 'refs/tags/stable', await repository.write('commit', text))
  expect(await describeTag('stable')).toMatchObject({ commit: { message: 'Merge' }, signature: { state: 'none' } })
})

test.each([
  ['an old tag without a tagger', '\nOld\n', { name: '', email: '', at: 0, message: 'Old' }],
  [
    'a tagger without a time',
    'tagger Ana <a@example.com>\n\nOne\n',
    { name: 'Ana', email: 'a@example.com', at: 0, message: 'One' },
  ],
  ['an invalid tagger', 'tagger what\n\nOne\n', { name: '', email: '', at: 0, message: 'One' }],
  [
    'a time beyond all time',
    'tagger A <a@b> 999999999999999 +0000\n\nOne\n',
    { name: 'A', email: 'a@b', at: 8.64e15, message: 'One' },
  ],
  ['a tag without a message', 'tagger A <a@b> 1 +0000\n', { name: 'A', email: 'a@b', at: 1000, message: '' }],
  [
    'a message without end',
    `tagger A <a@b> 1 +0000\n\n${'x'.repeat(9000)}`,
    { name: 'A', email: 'a@b', at: 1000, message: `${'x'.repeat(4000)}…` },
  ],
])('%s is read as far as it goes', async (_, lines, expected) => {
  await writeTag(world().repository, 'stable', lines)
  expect((await describeTag('stable')).tag).toEqual({ tag: 'stable', ...expected })
})

test('a tag that does not point to the listed commit is rejected', async () => {
  const { repository, source, remote } = world()
  const first = await repository.commit({ files: { a: '1' } })
  const second = await repository.commit({ files: { a: '2' } })
  await repository.tag('stable', first, { annotated: true })
  const object = await repository.git('rev-parse', 'refs/tags/stable')
  const lie = { object, commit: second, ref: 'refs/tags/stable' }
  expect(await errorOf(source.tips.describe(remote, lie, never))).toMatchObject({ code: 'source/damaged' })
})

test('a tag that is not well formed is named', () => {
  const object = parseObject(Buffer.from(`tag stable\nobject ${'a'.repeat(40)}\ntype commit\n\nOne\n`))
  expect(() => readTag(object, { id: 'ID', remote: 'REMOTE' })).toThrow('The tag ID of REMOTE is malformed.')
})

test('a tag or commit of any bytes is read, or refused with a message', () => {
  const dice = new Dice(5)
  const author = 'Ana <a@example.com> 1700000000 +0000'
  const whole = `object ${'a'.repeat(40)}\ntype commit\ntag stable\ntagger ${author}\n\nOne\n-----BEGIN PGP SIGNATURE-----\n\nabcd\n`
  const commit = `tree ${'a'.repeat(40)}\nparent ${'b'.repeat(40)}\nauthor ${author}\ncommitter ${author}\nencoding utf-8\ngpgsig -----BEGIN\n x\n\nOne\n`
  let [read, refused] = [0, 0]
  for (let round = 0; round < 3000; round++) {
    const bytes = Buffer.from(dice.chance(50) ? whole : commit)
    for (let change = 0; change <= dice.below(4); change++)
      bytes[dice.below(bytes.length)] = dice.chance(30) ? 10 : dice.below(256)
    const object = parseObject(bytes.subarray(0, dice.chance(30) ? dice.below(bytes.length) : bytes.length))
    for (const reader of [readTag, readCommit])
      try {
        expect(reader(object, { id: 'x', remote: 'R' })).toMatchObject({ at: expect.any(Number) as number })
        read++
      } catch (error) {
        expect(error).toMatchObject({ code: 'source/bad-object' })
        refused++
      }
  }
  expect(Math.min(read, refused)).toBeGreaterThan(500)
})

test('of a server that speaks version 0 only, and of a repository on this machine, the same is known', async () => {
  const { repository, server, source } = world()
  await repository.git('config', 'uploadpack.allowFilter', 'true')
  const commit = await repository.commit({ files: { a: '1' }, message: 'Charts' })
  await repository.tag('stable', commit, { annotated: true })
  const facts = await describeTag('stable')
  expect(facts).toMatchObject({ tag: { message: 'Tag stable' }, commit: { message: 'Charts' } })
  server.speak(0)
  expect(await describeTag('stable', world().restart({ directory: `${world().root}/data/others` }))).toEqual(facts)
  const object = await repository.git('rev-parse', 'refs/tags/stable')
  const local = await source.tips.describe(
    `file://${repository.directory}`,
    { object, commit, ref: 'refs/tags/stable' },
    never,
  )
  expect(local).toEqual(facts)
})

test.each(['http', 'file'])('a commit with headers without end is refused by its size, from %s', async (scheme) => {
  const { repository, source, remote } = world()
  const good = await repository.commit({ files: { a: '1' }, tags: ['good'] })
  const text = await repository.git('cat-file', 'commit', good)
  const endless = text.replace('\n\n', `\n${'h v\n'.repeat(2_000_000)}\n`)
  const commit = await repository.write('commit', endless)
  await repository.git('update-ref', 'refs/tags/stable', commit)
  const address = scheme === 'http' ? remote : `file://${repository.directory}`
  const expected = {
    name: 'Rejected',
    code: 'source/pack-too-large',
    message: `The pack that ${address} sent contains a commit of more than 1048576 bytes.`,
  }
  const tip = { object: commit, commit, ref: 'refs/tags/stable' }
  expect(await errorOf(source.tips.describe(address, tip, never))).toMatchObject(expected)
  expect(await errorOf(source.fetch(address, sha1(commit), never))).toMatchObject(expected)
  await source.fetch(address, sha1(good), never)
  expect(await source.files(address, sha1(good), '', () => true, never)).toHaveLength(1)
})

test('the parents of a commit are read without the headers after them', () => {
  const [tree, parent] = ['a', 'b'].map((digit) => digit.repeat(40))
  const headers = headersIn(`tree ${tree}\nparent ${parent}\n${'h v\n'.repeat(1000)}\nOne\n`)
  let read = 0
  const counted = function* (): Generator<Header> {
    for (const header of headers) {
      read++
      yield header
    }
  }
  expect(commitParents(counted())).toEqual([parent])
  expect(read).toBe(3)
})

test('a commit with more headers than any real one is not well formed', () => {
  const author = 'Ana <a@example.com> 1700000000 +0000'
  const withHeaders = (count: number): Buffer =>
    Buffer.from(`tree ${'a'.repeat(40)}\nauthor ${author}\n${'h v\n'.repeat(count)}\nOne\n`)
  const read = (count: number): unknown => readCommit(parseObject(withHeaders(count)), { id: 'ID', remote: 'REMOTE' })
  expect(read(9_998)).toMatchObject({ name: 'Ana', message: 'One' })
  expect(() => read(9_999)).toThrow('The commit ID of REMOTE is malformed.')
})
