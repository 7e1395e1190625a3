import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isIP } from 'node:net'
import {
  guardedLookup,
  isPrivate,
  isForbidden,
  readNetworks,
  type ResolveHost,
} from '../../../src/source/network/address-policy.js'
import { makeRepository } from '../../git-server.js'
import { errorOf, never, useGitWorld, gitSpec, sha1 } from '../git-world.js'

const world = useGitWorld()

test.each([
  '169.254.169.254',
  'fe80::1',
  'fe80::1%eth0',
  '::ffff:169.254.1.1',
  '::ffff:0:169.254.1.1',
  '64:ff9b::169.254.1.1',
  '64:ff9b:1::169.254.1.1',
  '64:ff9b:1:abcd::169.254.1.1',
  '64:ff9b:1:a9fe:1:100::',
  '64:ff9b:1:cda9:fe:101::',
  '64:ff9b:1:abcd:a9:fe01:100:0',
  '2002:a9fe:101::1',
  '2001:0:a9fe:101::1',
  '2001:0:0808:0808:0:0:5601:fefe',
])('the link-local address %s is refused unless its network is allowed', (address) => {
  expect(isForbidden(address, readNetworks([]))).toBe(true)
  const networks = [
    '169.254.0.0/16',
    'fe80::/10',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '2002::/16',
    '2001::/32',
    '::ffff:0:0:0/96',
  ]
  expect(isForbidden(address, readNetworks(networks))).toBe(false)
})

test.each([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:168.63.129.16',
  '64:ff9b::100.100.100.200',
])('%s, which serves the metadata of a cloud, is refused for sources and redirects', (address) => {
  expect([isForbidden(address, readNetworks([])), isPrivate(address, readNetworks([]))]).toEqual([true, true])
})

test('addresses beside those of metadata are not refused', () => {
  for (const address of ['100.100.100.201', '168.63.129.17', '192.0.0.193', 'fd00:ec2::253'])
    expect(isForbidden(address, readNetworks([])), address).toBe(false)
})

test.each(['8.8.8.8', '2001:db8::1', '2001:4860:4860::8888', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1'])(
  '%s is an address that a redirect may lead to',
  (address) => {
    expect(isPrivate(address, readNetworks([]))).toBe(false)
  },
)

test.each([
  [
    'loopback',
    ['127.0.0.1', '::1', '::', '0.0.0.0', '::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::127.0.0.1', '2002:7f00:1::'],
  ],
  [
    'private',
    [
      '10.0.0.1',
      '172.31.0.1',
      '192.168.1.1',
      'fc00::1',
      'fd00::1%eth0',
      '::ffff:10.0.0.1',
      '64:ff9b::10.0.0.1',
      '2002:a00:1::',
    ],
  ],
  ['local NAT64', ['64:ff9b:1::127.0.0.1', '64:ff9b:1:7f00:0:100::', '64:ff9b:1:ffff:ffff:ffff:808:808']],
  ['Teredo', ['2001::1', '2001:0:0808:0808::80ff:fffe', '2001:0:7f00:1::']],
  ['translated', ['::ffff:0:127.0.0.1', '::ffff:0:10.0.0.1', '::ffff:0:8.8.8.8']],
])('a redirect to a %s address is refused', (_, addresses) => {
  for (const address of addresses) expect([address, isPrivate(address, readNetworks([]))]).toEqual([address, true])
})

test('an address that carries a private one is reached where its own network is allowed', () => {
  expect(isPrivate('64:ff9b:1::10.0.0.1', readNetworks(['64:ff9b:1::/48']))).toBe(false)
  expect(isPrivate('64:ff9b:1::10.0.0.1', readNetworks(['10.0.0.0/8']))).toBe(true)
})

test.each(['127.0.0.1', '::1', '10.1.2.3', '192.168.0.1', 'fd00::1', '93.184.216.34'])(
  '%s may be connected to',
  (address) => {
    expect(isForbidden(address, readNetworks([]))).toBe(false)
  },
)

test('a host resolves only to allowed addresses', async () => {
  const lookup = (host: string, networks: readonly string[]) =>
    new Promise((resolve) => {
      guardedLookup(readNetworks(networks))(host, { all: true }, (error, found) => resolve(error ?? found))
    })
  expect(await lookup('169.254.1.1', [])).toMatchObject({ name: 'Rejected', code: 'source/address-refused' })
  expect(await lookup('::ffff:169.254.1.1', [])).toMatchObject({ code: 'source/address-refused' })
  expect(await lookup('169.254.1.1', ['169.254.1.0/24'])).toEqual([{ address: '169.254.1.1', family: 4 }])
  expect(await lookup('127.0.0.1', [])).toEqual([{ address: '127.0.0.1', family: 4 }])
})

/** Host names that change their addresses: the first lookup gets the first answer, and so on. */
function changing(...answers: readonly (readonly string[])[]): {
  readonly lookUp: ResolveHost
  readonly hosts: string[]
} {
  const hosts: string[] = []
  const lookUp: ResolveHost = (host, _options, done) => {
    const found = answers[Math.min(hosts.push(host), answers.length) - 1] ?? []
    done(
      null,
      found.map((address) => ({ address, family: isIP(address) })),
    )
  }
  return { lookUp, hosts }
}

test('a name that resolves to a link-local address at connection time is refused', async () => {
  const { repository, restart, server } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const { lookUp: resolveHost, hosts } = changing(['127.0.0.1'], ['169.254.169.254'])
  const source = restart({ resolveHost })
  const remote = `${server.url.replace('127.0.0.1', 'git.example.org')}/${repository.name}`
  expect(source.remoteOf(gitSpec(remote))).toBe(remote)
  expect(hosts).toEqual([])
  expect((await source.poll(remote, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
  expect(hosts).toEqual(['git.example.org'])
  server.closeConnections()
  const error = await errorOf(source.poll(remote, ['main'], never))
  expect(error).toMatchObject({
    name: 'Rejected',
    code: 'source/address-refused',
    message: expect.stringContaining('git.example.org') as string,
  })
  expect(hosts).toEqual(['git.example.org', 'git.example.org'])
})

test('link-local addresses of a name are ignored', async () => {
  const { repository, restart, server } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const { lookUp: resolveHost } = changing(['169.254.169.254', 'fe80::1', '127.0.0.1'])
  const remote = `${server.url.replace('127.0.0.1', 'git.example.org')}/${repository.name}`
  expect((await restart({ resolveHost }).poll(remote, ['main'], never)).get('main')).toMatchObject({
    state: sha1(commit),
  })
})

test('a network that cannot be read is refused', () => {
  expect(() => readNetworks(['10.0.0.0/33'])).toThrow('"10.0.0.0/33" is not a network')
})

test.each([
  'http://169.254.169.254/a',
  'http://[::ffff:a9fe:101]/a',
  'http://[fe80::1]/a',
  'http://0xA9FEA9FE/a',
  'http://2852039166/a',
])('a literal link-local address is refused however it is written: %s', async (address) => {
  const { source } = world()
  expect(() => source.remoteOf(gitSpec(address))).toThrow('link-local')
})

test('a file: repository is read below an allowed directory, bare or with a work tree', async () => {
  const { repository, source, root } = world()
  const commit = await repository.commit({ files: { 'a.yaml': 'a: 1\n' }, tags: ['stable'] })
  await repository.clone(join(root, 'served', 'work'))
  for (const path of [repository.directory, join(root, 'served', 'work')]) {
    const remote = source.remoteOf(gitSpec(path))
    expect((await source.poll(remote, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
    await source.fetch(remote, sha1(commit), never)
    expect((await source.files(remote, sha1(commit), '', () => true, never)).map((file) => file.path)).toEqual([
      'a.yaml',
    ])
  }
})

test('a file: repository outside, in the data directory, or behind a link that leads out is refused', async () => {
  const { root, source, restart } = world()
  const outside = await makeRepository(join(root, 'outside'))
  symlinkSync(join(root, 'outside'), join(root, 'served', 'link'))
  mkdirSync(join(root, 'served', 'worktree'))
  writeFileSync(join(root, 'served', 'worktree', '.git'), `gitdir: ${outside.directory}\n`)
  mkdirSync(join(root, 'data', 'inside'), { recursive: true })
  const notAllowed = { code: 'source/directory-not-allowed' }
  expect(await errorOf(source.poll(`file://${outside.directory}`, ['main'], never))).toMatchObject(notAllowed)
  expect(await errorOf(source.poll(`file://${root}/served/link/repository.git`, ['main'], never))).toMatchObject(
    notAllowed,
  )
  expect(await errorOf(source.poll(`file://${root}/served/../outside/repository.git`, ['main'], never))).toMatchObject(
    notAllowed,
  )
  expect(await errorOf(source.poll(`file://${root}/served/worktree`, ['main'], never))).toMatchObject(notAllowed)
  const wide = restart({ allow: { directories: [{ path: root }] } })
  expect(() => wide.remoteOf(gitSpec(join(root, 'data', 'inside')))).toThrow("gitmoor's own data directory")
  expect(wide.remoteOf(gitSpec(outside.directory))).toBe(`file://${outside.directory}`)
})

test('a directory without a repository, and a missing one, are said to be none', async () => {
  const { root, source } = world()
  mkdirSync(join(root, 'served', 'plain'))
  for (const name of ['plain', 'gone']) {
    expect(await errorOf(source.poll(`file://${root}/served/${name}`, ['main'], never))).toMatchObject({
      code: 'source/not-found',
    })
  }
})

test('a missing git program is reported for a file: repository', async () => {
  const { repository, restart, root } = world()
  const source = restart({ searchPath: join(root, 'nowhere') })
  expect(await errorOf(source.poll(`file://${repository.directory}`, ['main'], never))).toMatchObject({
    code: 'source/no-git',
  })
})

test('a file: repository and the same one over http give the same content and files', async () => {
  const { repository, source, remote } = world()
  const commit = await repository.commit({ files: { 'd/a.yaml': 'a: 1\n', 'd/b.yaml': 'b: 1\n', 'c.yaml': 'c: 1\n' } })
  const local = source.remoteOf(gitSpec(repository.directory))
  const read = async (address: string) => ({
    refs: (await source.poll(address, ['main', 'gone'], never)).get('main'),
    content: await source.content(address, sha1(commit), 'd'),
    files: await source.files(address, sha1(commit), 'd', () => true, never),
  })
  expect(await read(local)).toEqual(await read(remote))
})

test('a socket that needs one address gets the first allowed one', async () => {
  const found = await new Promise((resolve) => {
    guardedLookup(readNetworks([]))('127.0.0.1', {}, (error, address, family) => resolve([error, address, family]))
  })
  expect(found).toEqual([null, '127.0.0.1', 4])
})

test('a work tree beside its repository is read; one whose repository, or the common part of it, lies outside is refused', async () => {
  const { repository, source, root } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  const served = join(root, 'served')
  await repository.git('worktree', 'add', '--quiet', '--detach', join(served, 'beside'), commit)
  const look = async (path: string): Promise<unknown> =>
    (await source.poll(source.remoteOf(gitSpec(join(served, path))), ['HEAD'], never)).get('HEAD')
  expect(await look('beside')).toMatchObject({ state: sha1(commit) })
  const outside = await makeRepository(join(root, 'outside'))
  for (const name of ['away', 'common']) mkdirSync(join(served, name))
  writeFileSync(join(served, 'away', '.git'), `gitdir: ${outside.directory}\n`)
  writeFileSync(join(served, 'common', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(served, 'common', 'commondir'), `${outside.directory}\n`)
  for (const path of ['away', 'common'])
    expect(await errorOf(look(path))).toMatchObject({ code: 'source/directory-not-allowed' })
  mkdirSync(join(served, 'odd'))
  writeFileSync(join(served, 'odd', '.git'), 'something else\n')
  expect(await errorOf(look('odd'))).toMatchObject({ code: 'source/not-found' })
})
