// A name whose answer changes between check and use, at a real name server: what was checked is what is connected to,
// and nothing is asked twice.
import { expect, test } from 'vitest'
import { UrlSource } from '../../../src/source/url/url-source.js'
import { startFileServer } from '../../file-server.js'
import { startNameServer } from '../../name-server.js'
import { openAccess } from '../access.js'
import { errorOf, LIMITS, never, sha1, useGitWorld } from '../git-world.js'
import { openRemotes } from '../remotes.js'

const world = useGitWorld()

test('a git server is resolved once per connection, and refused if the name resolves to a link-local address', async () => {
  const { repository, restart, remote } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  await using names = await startNameServer('127.0.0.1', '169.254.169.254')
  const source = restart({ resolveHost: names.lookUp })
  const there = remote.replace('127.0.0.1', 'git.example.org')
  expect((await source.poll(there, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
  await source.fetch(there, sha1(commit), never)
  expect(names.queries()).toBe(1)
  const later = restart({ resolveHost: names.lookUp })
  expect(await errorOf(later.poll(there, ['main'], never))).toMatchObject({
    name: 'Rejected',
    code: 'source/address-refused',
  })
  expect(names.queries()).toBe(2)
})

test('a redirect to a name is refused by its current address', async () => {
  await using server = await startFileServer()
  await using names = await startNameServer('127.0.0.1', '10.0.0.1')
  server.answer(
    (_, response) =>
      void response.writeHead(302, { location: `http://other.example.org:${new URL(server.url).port}/x` }).end(),
  )
  await using access = openAccess({ resolveHost: names.lookUp })
  const source = new UrlSource({ directory: `${world().root}/url`, limits: LIMITS, networks: [], access })
  const there = `url:${server.url.replace('127.0.0.1', 'files.example.org')}/a.yml`
  expect(await errorOf(source.poll(there, [''], never))).toMatchObject({
    name: 'Rejected',
    code: 'source/address-refused',
  })
  expect([server.seen.length, names.queries()]).toEqual([1, 2])
})

test('a package that a request names comes from what was checked, and a host of this side is like none', async () => {
  await using server = await startFileServer()
  server.serve('/a.yml', 'a: 1\n')
  await using names = await startNameServer('127.0.0.1', '127.0.0.2')
  await using remotes = openRemotes({ resolveHost: names.lookUp, networks: ['127.0.0.1/32'] })
  const there = `${server.url.replace('127.0.0.1', 'files.example.org')}/a.yml`
  expect((await remotes.fetch(there, never)).bytes.toString()).toBe('a: 1\n')
  await using later = openRemotes({ resolveHost: names.lookUp, networks: ['127.0.0.1/32'] })
  expect(await errorOf(later.fetch(there, never))).toMatchObject({ code: 'source/no-such-host' })
  expect([server.seen.length, names.queries()]).toEqual([1, 2])
})
