// Every kind of ref that a stack can follow, at a real server, also if it changes during a poll.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeRepository, type Repository } from '../../../git-server.js'
import { errorOf, never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld()

async function look(ref: string) {
  const { source, remote } = world()
  return (await source.poll(remote, [ref], never)).get(ref)
}

/** Made in the repository that has one commit on main; `ref`: what is followed. */
interface Kind {
  readonly ref: string
  readonly make: (repository: Repository, commit: string) => Promise<unknown>
  readonly name: string
}

const kinds: Readonly<Record<string, Kind>> = {
  'a branch': { ref: 'topic/x', make: (at, commit) => at.branch('topic/x', commit), name: 'refs/heads/topic/x' },
  'a tag': { ref: 'v1.0', make: (at, commit) => at.tag('v1.0', commit), name: 'refs/tags/v1.0' },
  'an annotated tag': {
    ref: 'v1.0',
    make: (at, commit) => at.tag('v1.0', commit, { annotated: true }),
    name: 'refs/tags/v1.0',
  },
  'the branch of two that share a name': {
    ref: 'refs/heads/both',
    make: async (at, commit) => {
      await at.branch('both', commit)
      await at.tag('both', await at.commit({ files: { a: 'other' } }))
    },
    name: 'refs/heads/both',
  },
  'HEAD, on a branch of another name': {
    ref: 'HEAD',
    make: async (at, commit) => {
      await at.branch('trunk', commit)
      await at.git('symbolic-ref', 'HEAD', 'refs/heads/trunk')
      await at.commit({ files: { a: 'other' } })
    },
    name: 'refs/heads/trunk',
  },
  'HEAD, on a commit instead of a branch': {
    ref: 'HEAD',
    make: async (at, commit) => {
      await at.git('update-ref', '--no-deref', 'HEAD', commit)
      await at.commit({ files: { a: 'other' } })
    },
    name: 'HEAD',
  },
  'a pull request': {
    ref: 'refs/pull/1/head',
    make: (at, commit) => at.git('update-ref', 'refs/pull/1/head', commit),
    name: 'refs/pull/1/head',
  },
  'a ref of any other sort': {
    ref: 'refs/deploy/prod',
    make: (at, commit) => at.git('update-ref', 'refs/deploy/prod', commit),
    name: 'refs/deploy/prod',
  },
}

describe('what can be followed is', () => {
  test.each(Object.entries(kinds))('%s', async (_, { ref, make, name }) => {
    const { repository, source, remote } = world()
    const commit = await repository.commit({ files: { a: '1' } })
    await make(repository, commit)
    expect(await look(ref)).toMatchObject({ name, state: sha1(commit) })
    const files = await source.files(remote, sha1(commit), '', () => true, never)
    expect(files.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['1'])
  })

  test('a commit without a ref', async () => {
    const { repository, source, remote } = world()
    const commit = await repository.commit({ files: { a: '1' } })
    await repository.commit({ files: { a: '2' }, from: null })
    expect(await look(commit)).toMatchObject({ name: commit, state: sha1(commit) })
    expect(await source.files(remote, sha1(commit), '', () => true, never)).toHaveLength(1)
  })
})

test.each(['tree', 'blob'])('a tag of a %s is refused by name, annotated or not, when it is read', async (type) => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  for (const annotated of [false, true]) {
    await repository.tag('odd', type === 'tree' ? `${commit}^{tree}` : `${commit}:a`, { annotated })
    const found = await look('odd')
    const state = found !== undefined && 'state' in found ? found.state : ''
    expect(await errorOf(source.fetch(remote, state, never))).toMatchObject({
      code: 'source/not-a-commit',
      message: expect.stringContaining(`is a ${type}, not a commit`) as string,
    })
  }
})

test('an annotated tag that is made again on the same commit is another object of the same state', async () => {
  const { repository } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  await repository.tag('stable', commit, { annotated: true })
  const before = await look('stable')
  await repository.git('tag', '--force', '-a', '-m', 'again', 'stable', commit)
  const after = await look('stable')
  expect(after).toMatchObject({ state: sha1(commit) })
  expect(after).not.toEqual(before)
})

test('a tag that is moved, deleted or made again while its commit is fetched does not hinder the fetch', async () => {
  const { repository, source, server, remote } = world()
  const first = await repository.commit({ files: { a: '1' }, tags: ['stable'] })
  const changes = [
    () => repository.commit({ files: { a: '2' }, tags: ['stable'], from: null }),
    () => repository.remove('refs/tags/stable', 'refs/heads/main'),
    () => repository.commit({ files: { a: '3' }, tags: ['stable'] }),
  ]
  for (const [at, change] of changes.entries()) {
    const found = await look('stable')
    const state = found !== undefined && 'state' in found ? found.state : sha1(first)
    server.intercept(async (_, response, backend) => {
      server.intercept(undefined)
      await change()
      const { status, headers, body } = await backend()
      response.writeHead(status, headers).end(body)
    })
    await source.fetch(remote, state, never)
    server.intercept(undefined)
    if (at === 0) expect(state).toBe(sha1(first))
    expect(await source.files(remote, state, '', () => true, never)).toHaveLength(1)
  }
})

test('where an unrelated repository takes the place of another one, its commits are read, and those that were read before still are', async () => {
  const { repository, source, root, remote } = world()
  const before = await repository.commit({ files: { a: 'before' }, tags: ['stable'] })
  await source.fetch(remote, sha1(before), never)
  const other = await makeRepository(join(root, 'elsewhere'))
  const after = await other.commit({ files: { a: 'after' }, tags: ['stable'] })
  rmSync(repository.directory, { recursive: true })
  renameSync(other.directory, repository.directory)
  expect(await look('stable')).toMatchObject({ state: sha1(after) })
  const read = async (commit: string) =>
    (await source.files(remote, sha1(commit), '', () => true, never)).map(({ bytes }) => Buffer.from(bytes).toString())
  expect(await read(after)).toEqual(['after'])
  expect(await read(before)).toEqual(['before'])
})

test.each([
  ['rubbish', 'rubbish\n'],
  ['30 MB', Buffer.alloc(30_000_000, 'x')],
])('a ref whose file has %s is reported as damaged, and the others are read', async (_, content) => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { a: '1' }, tags: ['v1.0.0'] })
  writeFileSync(join(repository.directory, 'refs', 'heads', 'main'), content)
  for (const address of [`file://${repository.directory}`, remote]) {
    const refs = await source.poll(address, ['main', 'v1.0.0'], never)
    expect(refs.get('main')).toMatchObject({
      code: 'source/ref-damaged',
      message: `The file of refs/heads/main in ${address} is damaged: it contains no commit ID.`,
    })
    expect(refs.get('v1.0.0')).toMatchObject({ state: sha1(commit) })
  }
})
