// Repositories as they lie on servers: made, copied and cleaned up in the ways that git knows.
import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { git, gitEnvironment, type Repository } from '../../../git-server.js'
import { errorOf, never, sha1, useGitWorld } from '../../git-world.js'

const world = useGitWorld()
const served = (): string => join(world().root, 'served')
/** Over http, and from the disk. */
const addressesOf = (name: string): readonly string[] => [
  `${world().server.url}/${name}`,
  pathToFileURL(join(served(), name)).href,
]

function clone(name: string, ...options: readonly string[]): Promise<string> {
  return git(served(), 'clone', '--quiet', '--bare', ...options, pathToFileURL(world().repository.directory).href, name)
}

test.each<[string, (repository: Repository) => Promise<unknown>]>([
  ['has no history behind its newest commit', () => clone('copy.git', '--depth', '1')],
  [
    'has all its refs in one file',
    async () => {
      await clone('copy.git')
      await git(join(served(), 'copy.git'), 'gc', '--quiet')
      expect(readdirSync(join(served(), 'copy.git', 'refs', 'heads'))).toEqual([])
    },
  ],
  ['is a work tree', ({ directory }) => git(served(), 'clone', '-q', directory, 'copy.git')],
])('one that %s is followed', async (_, make) => {
  const { repository, source } = world()
  await repository.commit({ files: { 'a.yml': 'a: 0\n' } })
  const commit = await repository.commit({ files: { 'a.yml': 'a: 1\n' } })
  await make(repository)
  for (const remote of addressesOf('copy.git')) {
    expect((await source.poll(remote, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
    await source.fetch(remote, sha1(commit), never)
    const [file] = await source.files(remote, sha1(commit), '', () => true, never)
    expect(Buffer.from(file!.bytes).toString()).toBe('a: 1\n')
  }
})

test('one that lacks what it would have to fetch itself is an error in its words', async () => {
  const { repository, source, server } = world()
  await repository.git('config', 'uploadpack.allowFilter', 'true')
  const commit = await repository.commit({ files: { 'a.yml': 'a: 1\n' } })
  await clone('partial.git', '--filter=blob:none')
  await repository.git('config', 'uploadpack.allowFilter', 'false')
  await git(join(served(), 'partial.git'), 'remote', 'remove', 'origin')
  const error = await errorOf(source.fetch(`${server.url}/partial.git`, sha1(commit), never))
  expect(error).toMatchObject({ name: 'Unavailable', code: 'source/remote-error' })
  expect(error.message).toMatch(/failed: "[^"\\]+"\.$/)
})

describe('one whose objects have names of SHA-256 is refused by name', () => {
  function make(): void {
    const work = join(world().root, 'work')
    const run = (...args: readonly string[]): Buffer =>
      execFileSync('git', args, { cwd: world().root, env: gitEnvironment() })
    run('init', '-q', '-b', 'main', '--object-format=sha256', work)
    writeFileSync(join(work, 'a.yml'), 'a: 1\n')
    run('-C', work, 'add', '.')
    run('-C', work, 'commit', '-q', '-m', 'First')
    run('clone', '-q', '--bare', work, join(served(), 'other.git'))
  }

  test.each([[2], [0]] as const)('in version %i of the protocol', async (version) => {
    make()
    const { source, server } = world()
    server.speak(version)
    for (const remote of addressesOf('other.git')) {
      expect(await errorOf(source.poll(remote, ['main'], never))).toMatchObject({
        name: 'Rejected',
        code: 'source/object-format',
        message: `${remote} uses the object format sha256; gitmoor supports only sha1.`,
      })
    }
  })
})
