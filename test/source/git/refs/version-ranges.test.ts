// Version ranges at a real server: what a poll requests, and its error if no version matches.
import { expect, test } from 'vitest'
import { errorOf, LIMITS, never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld()

async function look(ref: string) {
  const { source, remote } = world()
  return (await source.poll(remote, [ref], never)).get(ref)
}

test('a range resolves to the highest matching tag, peeled to its commit', async () => {
  const { repository } = world()
  await repository.commit({ files: { a: '1' }, tags: ['v1.2.0', 'v2.0.0', 'stable'] })
  const commit = await repository.commit({ files: { a: '2' } })
  await repository.tag('v1.4.2', commit, { annotated: true })
  const object = await repository.git('rev-parse', 'refs/tags/v1.4.2')
  expect(await look('semver:^1.2')).toEqual({ name: 'refs/tags/v1.4.2', object, state: sha1(commit) })
})

test('ranges, names and prefixes of one remote are one request', async () => {
  const { repository, source, server, remote } = world()
  const commit = await repository.commit({ files: { a: '1' }, tags: ['v1.2.0', 'boards/v2.1.0', 'stable'] })
  const refs = await source.poll(remote, ['semver:1.x', 'semver:boards/v:^2', 'stable', 'main', 'semver:^7 7.'], never)
  expect([...refs.values()].map((ref) => ('name' in ref && 'state' in ref ? ref.name : ref))).toMatchObject([
    'refs/tags/v1.2.0',
    'refs/tags/boards/v2.1.0',
    'refs/tags/stable',
    'refs/heads/main',
    { code: 'source/bad-ref' },
  ])
  expect(refs.get('semver:1.x')).toMatchObject({ state: sha1(commit) })
  expect(server.seen).toHaveLength(1)
})

test('of a thousand tags those of other majors are not sent', async () => {
  const { repository, server } = world()
  const tags = Array.from({ length: 1000 }, (_, at) => `v${at % 10}.${Math.floor(at / 10)}.0`)
  await repository.commit({ files: { a: '1' }, tags })
  expect(await look('semver:^3.1')).toMatchObject({ name: 'refs/tags/v3.99.0' })
  expect(server.sentBytes).toBeLessThan(100 * 80)
})

test('if no tag matches, the highest existing versions are listed', async () => {
  const { repository, server } = world()
  await repository.commit({
    files: { a: '1' },
    tags: ['v1.2.0', 'v1.10.0', '2.0.0', 'v0.1.0', 'v0.2.0', 'v0.3.0', 'v3', 'stable'],
  })
  expect(await look('semver:^3')).toMatchObject({
    name: 'Rejected',
    code: 'source/ref-missing',
    message: expect.stringContaining('matches semver:^3.') as string,
    hint: expect.stringContaining(
      'The highest versions are 2.0.0, v1.10.0, v1.2.0, v0.3.0, v0.2.0. Push a matching tag',
    ) as string,
  })
  expect(server.seen).toHaveLength(2)
})

test('if there is no version at all, the error says so, with the prefix', async () => {
  await world().repository.commit({ files: { a: '1' }, tags: ['v1.2.0', 'boards/v1'] })
  expect(await look('semver:boards/v:^1')).toMatchObject({
    code: 'source/ref-missing',
    hint: expect.stringContaining('No tag that starts with boards/v is a version with three numbers.') as string,
  })
})

test('more versions than limits.refsBytes allows are refused by name; a message omits them', async () => {
  const { repository, restart, remote } = world()
  await repository.commit({ files: { a: '1' }, tags: Array.from({ length: 50 }, (_, at) => `v1.${at}.0`) })
  const small = restart({ limits: { ...LIMITS, refsBytes: 1_000 } })
  expect(await errorOf(small.poll(remote, ['semver:^1'], never))).toMatchObject({ code: 'source/refs-too-large' })
  expect((await small.poll(remote, ['semver:^2'], never)).get('semver:^2')).toMatchObject({
    code: 'source/ref-missing',
  })
})
