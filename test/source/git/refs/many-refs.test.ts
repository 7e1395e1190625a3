// Repositories with very many refs, and with tags that lead far.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readRefs } from '../../../../src/source/git/protocol/list-refs.js'
import { chosenVersionSteps, highestVersionSteps } from '../../../../src/source/git/refs/version-tags.js'
import { attackScale } from '../../../attack/scale.js'
import type { Repository } from '../../../git-server.js'
import { LIMITS, errorOf, never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld()

/** Adds refs as git packs them, without a process for each. */
function addRefs({ directory }: Repository, names: readonly string[], commit: string): void {
  const lines = [...names].sort().map((name) => `${commit} ${name}\n`)
  appendFileSync(join(directory, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`)
}

const many = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`)

const counts = attackScale() < 1 ? [20_000] : [20_000, 200_000]

test.each(counts)('polling a few of %i refs takes one small response', async (count) => {
  const { repository, source, server, remote } = world()
  const commit = await repository.commit({ files: { a: '1' }, tags: ['stable'] })
  addRefs(repository, many(count, 'refs/heads/topic/'), commit)
  const state = sha1(commit)
  const refs = await source.poll(remote, ['main', 'stable', 'topic/19999'], never)
  expect(['main', 'stable', 'topic/19999'].map((ref) => refs.get(ref))).toMatchObject([{ state }, { state }, { state }])
  expect(server.seen).toHaveLength(1)
  expect(server.sentBytes).toBeLessThan(1_000)
})

test('a missing one of 20,000 refs is not compared with them: their list is longer than a hint is worth', async () => {
  const { repository, source, server, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  addRefs(repository, many(20_000, 'refs/heads/topic/'), commit)
  expect((await source.poll(remote, ['topic/xyz'], never)).get('topic/xyz')).toMatchObject({
    code: 'source/ref-missing',
    hint: 'Push it.',
  })
  expect(server.seen).toHaveLength(2)
})

test('a ref whose name begins 20,000 others is found among them, and rejected by name if the list exceeds limits.refsBytes', async () => {
  const { repository, source, restart, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  addRefs(repository, ['refs/tags/v', ...many(20_000, 'refs/tags/v1.')], commit)
  const refs = await source.poll(remote, ['v'], never)
  expect(refs.get('v')).toEqual({ name: 'refs/tags/v', object: commit, state: sha1(commit) })
  const small = restart({ limits: { ...LIMITS, refsBytes: 100_000 } })
  const error = await errorOf(small.poll(remote, ['v'], never))
  expect(error).toMatchObject({
    name: 'Rejected',
    code: 'source/refs-too-large',
    message: `The list of refs of ${remote} is larger than 100000 bytes (limits.refsBytes).`,
    hint: expect.stringContaining('raise limits.refsBytes') as string,
  })
})

test.each([10, 200])(
  'a tag of a tag, %i levels deep, is peeled by the poll, and only its commit is fetched',
  async (levels) => {
    const { repository, source, server, remote } = world()
    const commit = await repository.commit({ files: { 'a.yaml': '1' } })
    let object = commit
    for (let level = 0; level < levels; level++) {
      const type = level === 0 ? 'commit' : 'tag'
      object = await repository.write(
        'tag',
        `object ${object}\ntype ${type}\ntag t${level}\ntagger T <t@example.com> 1 +0000\n\nx\n`,
      )
    }
    await repository.git('update-ref', 'refs/tags/deep', object)
    expect((await source.poll(remote, ['deep'], never)).get('deep')).toEqual({
      name: 'refs/tags/deep',
      object,
      state: sha1(commit),
    })
    await source.fetch(remote, sha1(commit), never)
    expect(await source.files(remote, sha1(commit), '', () => true, never)).toHaveLength(1)
    expect(server.seen).toHaveLength(2)
  },
)

test('a tag in ten folders of names is found by its name', async () => {
  const { repository, source, remote } = world()
  const name = 'a/b/c/d/e/f/g/h/i/j'
  const commit = await repository.commit({ files: { a: '1' }, tags: [name] })
  expect((await source.poll(remote, [name], never)).get(name)).toEqual({
    name: `refs/tags/${name}`,
    object: commit,
    state: sha1(commit),
  })
})

test('the ID of a tag object is rejected with a message', async () => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  await repository.tag('one', commit, { annotated: true })
  const object = await repository.git('rev-parse', 'refs/tags/one')
  expect(await errorOf(source.fetch(remote, sha1(object), never))).toMatchObject({
    name: 'Rejected',
    code: 'source/not-a-commit',
  })
})

const versions = Array.from({ length: 100_000 }, (_, at) => `refs/tags/v1.0.${at}-a.1.2.3.4.5.6.7.8`)

test.each([
  ['choosing a version', () => chosenVersionSteps(versions, { prefix: '', range: '>=0.0.0-0' })],
  ['telling the highest ones', () => highestVersionSteps(versions, '', 5)],
])('%s takes a step for each tag', (_, work) => {
  const steps = work()
  let count = 0
  while (steps.next().done !== true) count++
  expect(count).toBe(versions.length)
})

test('a version is selected from 20,000 tags, and the highest ones are listed if none matches', async () => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const some = versions.slice(0, 20_000)
  addRefs(repository, some, commit)
  const ref = 'semver:>=0.0.0-0'
  expect((await source.poll(remote, [ref], never)).get(ref)).toMatchObject({ name: some.at(-1) })
  expect((await source.poll(remote, ['semver:>=2'], never)).get('semver:>=2')).toMatchObject({
    hint: expect.stringContaining('v1.0.19999-a.1.2.3.4.5.6.7.8, v1.0.19998-a') as string,
  })
})

test('a list that comes at once is read in many rounds of the event loop', async () => {
  const lines = versions.map((name) => `${'a'.repeat(40)} ${name}\n`)
  const packets = lines.map((line) => `${(line.length + 4).toString(16).padStart(4, '0')}${line}`)
  let rounds = 0
  let next = setImmediate(function count() {
    rounds++
    next = setImmediate(count)
  })
  const listed = await readRefs(Readable.from([Buffer.from(`${packets.join('')}0000`)]), 'REMOTE', LIMITS.refsBytes)
  clearImmediate(next)
  expect(listed.size).toBe(versions.length)
  expect(rounds).toBeGreaterThan(3)
})
