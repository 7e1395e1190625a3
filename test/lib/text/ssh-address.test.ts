import { expect, test } from 'vitest'
import { sshAddress, sshMatchProblem, toUrl } from '../../../src/lib/text/ssh-address.js'

test.each([
  [
    'a path from the root',
    'ssh://git@example.com/srv/a%20b',
    { user: 'git', host: 'example.com', port: 22, path: '/srv/a b' },
  ],
  [
    'a path from a home',
    'git@example.com:acme/boards.git',
    { user: 'git', host: 'example.com', port: 22, path: 'acme/boards.git' },
  ],
  [
    'a path from the home of another',
    'ssh://git@example.com/~ann/b',
    { user: 'git', host: 'example.com', port: 22, path: '~ann/b' },
  ],
  ['a port and no user', 'ssh://example.com:2222/a', { host: 'example.com', port: 2222, path: '/a' }],
  ['an address of six', 'ssh://git@[::1]:2222/a', { user: 'git', host: '::1', port: 2222, path: '/a' }],
  ['http', 'https://example.com/a@b:c', undefined],
  ['a file', 'file:///srv/a@b:c', undefined],
])('parses an address with %s', (_, address, leads) => {
  expect(sshAddress(address)).toEqual(leads)
})

test('matches an scp-like address like an ssh URL', () => {
  expect(toUrl('git@example.com:acme/b 1')).toBe('ssh://git@example.com/acme/b%201')
  expect(toUrl('ssh://git@example.com/a')).toBe('ssh://git@example.com/a')
  expect(toUrl('https://example.com/a')).toBe('https://example.com/a')
})

test.each([
  ['ssh://git@github.com/', undefined],
  ['ssh://git@github.com:2222/acme/', undefined],
  ['ssh://github.com', undefined],
  ['git@github.com:acme/', 'ssh://git@github.com/acme/'],
  ['ssh://git:pw@github.com/', 'contains a password'],
  ['ssh://-x@github.com/', 'begins with "-"'],
  ['ssh:///acme', 'has no host'],
])('reports the problem of the match %s: %s', (match, problem) => {
  if (problem === undefined) expect(sshMatchProblem(match)).toBeUndefined()
  else expect(sshMatchProblem(match)).toContain(problem)
})
