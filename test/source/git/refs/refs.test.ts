import { expect, test } from 'vitest'
import { Ambiguous, Rejected } from '../../../../src/model/errors.js'
import { never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld()

test('a branch, a lightweight tag, HEAD and full names give their commit', async () => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { a: '1' }, tags: ['stable'] })
  const refs = await source.poll(remote, ['main', 'stable', 'HEAD', 'refs/heads/main', 'refs/tags/stable'], never)
  expect(Object.fromEntries(refs)).toEqual({
    main: { name: 'refs/heads/main', object: commit, state: sha1(commit) },
    stable: { name: 'refs/tags/stable', object: commit, state: sha1(commit) },
    HEAD: { name: 'refs/heads/main', object: commit, state: sha1(commit) },
    'refs/heads/main': { name: 'refs/heads/main', object: commit, state: sha1(commit) },
    'refs/tags/stable': { name: 'refs/tags/stable', object: commit, state: sha1(commit) },
  })
})

test('an annotated tag, and a tag of a tag, are peeled to their commit', async () => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  await repository.tag('one', commit, { annotated: true })
  await repository.tag('two', 'refs/tags/one', { annotated: true })
  const refs = await source.poll(remote, ['one', 'two'], never)
  const object = await repository.git('rev-parse', 'refs/tags/two')
  expect(refs.get('two')).toEqual({ name: 'refs/tags/two', object, state: sha1(commit) })
  expect(refs.get('one')).toMatchObject({ state: sha1(commit) })
  expect(object).not.toBe(commit)
})

test('a commit resolves to itself, without a request', async () => {
  const { source, server, remote } = world()
  const commit = 'A'.repeat(40)
  const refs = await source.poll(remote, [commit], never)
  expect(refs.get(commit)).toEqual({
    name: commit.toLowerCase(),
    object: commit.toLowerCase(),
    state: sha1(commit.toLowerCase()),
  })
  expect(server.seen).toHaveLength(0)
})

test('a name that is a branch and a tag is ambiguous, the others are not affected', async () => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { a: '1' }, tags: ['main', 'stable'] })
  const refs = await source.poll(remote, ['main', 'stable', 'gone'], never)
  expect(refs.get('main')).toBeInstanceOf(Ambiguous)
  expect(refs.get('main')).toMatchObject({
    code: 'source/ref-ambiguous',
    hint: 'Use refs/heads/main or refs/tags/main.',
  })
  expect(refs.get('stable')).toMatchObject({ state: sha1(commit) })
  expect(refs.get('gone')).toBeInstanceOf(Rejected)
})

test('a missing ref is named, and a short commit ID gets a different hint', async () => {
  const { repository, source, remote } = world()
  await repository.commit({ files: { a: '1' }, tags: ['stable-2'] })
  const refs = await source.poll(remote, ['stable', 'abcdef1'], never)
  expect(refs.get('stable')).toMatchObject({
    code: 'source/ref-missing',
    message: `In ${remote} there is no branch or tag "stable".`,
    hint: 'Did you mean "stable-2"?',
    suggestion: 'stable-2',
  })
  expect(refs.get('abcdef1')).toMatchObject({ hint: 'To print all digits, in a clone: git rev-parse abcdef1' })
})

test('for a missing ref that is similar to no other, the hint lists those that exist', async () => {
  const { repository, source, remote } = world()
  await repository.commit({ files: { a: '1' }, tags: ['v1', 'v2', 'v3', 'v4', 'main'] })
  const refs = await source.poll(remote, ['release', 'refs/tags/release'], never)
  const hint = expect.stringMatching(
    /^The repository has main, v1, v2, v3, v4\. Choose one of them, or push the missing one\.$/,
  ) as string
  expect(refs.get('release')).toMatchObject({ hint })
  expect(refs.get('refs/tags/release')).toMatchObject({ hint })
})

test('a ref that is deleted later is missing, and moved back it is what it was', async () => {
  const { repository, source, remote } = world()
  const first = await repository.commit({ files: { a: '1' }, tags: ['stable'] })
  const second = await repository.commit({ files: { a: '2' }, tags: ['stable'] })
  const look = async () => (await source.poll(remote, ['stable'], never)).get('stable')
  expect(await look()).toMatchObject({ state: sha1(second) })
  await repository.remove('refs/tags/stable')
  expect(await look()).toMatchObject({ code: 'source/ref-missing' })
  await repository.tag('stable', first)
  expect(await look()).toMatchObject({ state: sha1(first) })
})

test('an empty repository is reported as empty, also after its refs were deleted', async () => {
  const { repository, source, remote } = world()
  const look = async () => (await source.poll(remote, ['main'], never)).get('main')
  expect(await look()).toMatchObject({
    code: 'source/ref-missing',
    message: expect.stringContaining('is empty') as string,
  })
  await repository.commit({ files: { a: '1' } })
  expect(await look()).toMatchObject({ name: 'refs/heads/main' })
  await repository.remove('refs/heads/main')
  expect(await look()).toMatchObject({ message: expect.stringContaining('is empty') as string })
})

test('where only other refs are there and HEAD points to no branch, the repository is not called empty', async () => {
  const { repository, source, remote } = world()
  await repository.commit({ files: { a: '1' }, branch: 'other' })
  const refs = await source.poll(remote, ['main', 'HEAD'], never)
  expect(refs.get('main')).toMatchObject({ message: `In ${remote} there is no branch or tag "main".` })
  expect(refs.get('HEAD')).toMatchObject({ message: `In ${remote} HEAD points to no branch.` })
})

test('three hundred refs are one request, without the listing of all refs', async () => {
  const { repository, source, server, remote } = world()
  const tags = Array.from({ length: 300 }, (_, at) => `v${at}`)
  const commit = await repository.commit({ files: { a: '1' }, tags })
  const refs = await source.poll(remote, tags, never)
  expect([...refs.values()].filter((ref) => 'state' in ref && ref.state === sha1(commit))).toHaveLength(300)
  expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /repository.git/git-upload-pack'])
})

test.each([
  ['begins with a dash', '-x'],
  ['is empty', ''],
  ['has white space', 'a b'],
  ['has a line end', 'a\n0000'],
  ['is an expression', 'main~1'],
  ['has two dots', 'a..b'],
  ['ends in .lock', 'a.lock'],
  ['has an empty part', 'a//b'],
])('a name that %s is refused without a request', async (_, ref) => {
  const { source, server, remote } = world()
  const refs = await source.poll(remote, [ref], never)
  expect(refs.get(ref)).toMatchObject({ code: 'source/bad-ref' })
  expect(server.seen).toHaveLength(0)
})

test('a list of refs past limits.refsBytes is refused', async () => {
  const { repository, source, restart, remote } = world()
  const tags = Array.from({ length: 50 }, (_, at) => `v${at}`)
  await repository.commit({ files: { a: '1' }, tags })
  expect((await source.poll(remote, ['v1'], never)).get('v1')).toMatchObject({ name: 'refs/tags/v1' })
  const { LIMITS } = await import('../../git-world.js')
  const small = restart({ limits: { ...LIMITS, refsBytes: 500 } })
  await expect(small.poll(remote, tags, never)).rejects.toMatchObject({ code: 'source/refs-too-large' })
})
