import { expect, test } from 'vitest'
import type { Rejected } from '../../src/model/errors.js'
import { addressProblem, normaliseAddress, resolveAddress } from '../../src/settings/source-address.js'

test.each([
  ['scheme and host in upper case', 'HTTPS://GitHub.com/Acme/Boards', 'https://github.com/Acme/Boards'],
  ['a default port', 'https://example.com:443/a', 'https://example.com/a'],
  ['another port', 'http://example.com:8080/a', 'http://example.com:8080/a'],
  ['trailing slashes', 'https://example.com/a//', 'https://example.com/a'],
  ['.git, which stays', 'https://example.com/a.git', 'https://example.com/a.git'],
  ['dots', 'https://example.com/a/../b/./c', 'https://example.com/b/c'],
  ['needless encoding', 'https://example.com/%61%7e%c3%a9', 'https://example.com/a~%C3%A9'],
  ['letters that need it', 'https://example.com/é', 'https://example.com/%C3%A9'],
  ['an absolute path', '/srv/git/a b/../c#1', 'file:///srv/git/c%231'],
  ['a host of ssh in upper case', 'SSH://git@GitHub.com/Acme/Boards.git', 'ssh://git@github.com/Acme/Boards.git'],
  ['the default port of ssh', 'ssh://git@example.com:22/a', 'ssh://git@example.com/a'],
  ['another port of ssh', 'ssh://example.com:02222/a/', 'ssh://example.com:2222/a'],
  ['slashes, dots and escapes of ssh', 'ssh://git@example.com//a/./%62%20é/', 'ssh://git@example.com/a/b%20%C3%A9'],
  ['a path from a home', 'git@GitHub.com:acme//boards.git/', 'git@github.com:acme/boards.git'],
  ['a path from the root, in short', "git@example.com:/srv/o'b%41", "ssh://git@example.com/srv/o'b%2541"],
  ['the home of another user', 'git@example.com:~ann/boards', 'ssh://git@example.com/~ann/boards'],
  ['a host that is an address of six', 'git@[::1]:boards', 'git@[::1]:boards'],
  ['a file address of this host', 'file://localhost/srv/c/', 'file:///srv/c'],
])('%s has one form', (_, text, form) => {
  expect(normaliseAddress(text)).toBe(form)
  expect(normaliseAddress(form)).toBe(form)
})

test.each([
  ['user information', 'https://me:s3cret@example.com/a', 'source/user-information', 'contains a username or password'],
  ['a user alone', 'https://me@example.com/a', 'source/user-information', 'contains a username or password'],
  [
    'a password with slashes',
    'https://me:s3c/ret@@example.com/a',
    'source/user-information',
    'contains a username or password',
  ],
  ['a password of ssh', 'ssh://git:s3cret@example.com/a', 'source/user-information', 'contains a password'],
  ['a password before a path of ssh', 'git:s3cret@example.com:a', 'source/user-information', 'contains a password'],
  ['a password of ssh with a slash in it', 'ssh://git:s3c/ret@example.com/a', 'source/bad-address', 'an invalid port'],
  ['a password with a slash before a host', 'git:s3c/ret@example.com:a', 'source/bad-address', 'has no scheme'],
  ['a password and no scheme', '//user:s3cret@example.com/a', 'source/bad-address', 'has no scheme'],
  ['another scheme', 'ftp://example.com/a', 'source/scheme', 'does not support'],
  ['ssh by another name', 'git+ssh://git@example.com/a', 'source/scheme', 'has the scheme git+ssh'],
  ['a command for git', 'ext::sh -c id', 'source/scheme', 'remote helper "ext", which gitmoor does not support'],
  ['a file descriptor for git', 'fd::17', 'source/scheme', 'remote helper "fd"'],
  ['any helper of git', 'hg::https://example.com/a', 'source/scheme', 'remote helper "hg"'],
  ['an empty host of ssh', 'ssh:///a', 'source/bad-address', 'has no host'],
  ['a user and no host', 'git@:a', 'source/bad-address', 'has no host'],
  ['an empty user', 'ssh://@example.com/a', 'source/bad-address', 'has a user name with characters other than'],
  [
    'a user that is an option',
    'ssh://-oProxyCommand=id@example.com/a',
    'source/bad-address',
    'a user name that begins with "-"',
  ],
  [
    'a user that is a command',
    'ssh://$(id)@example.com/a',
    'source/bad-address',
    'has a user name with characters other than',
  ],
  ['a host that is an option', 'ssh://git@-oProxyCommand=id/a', 'source/bad-address', 'a host that begins with "-"'],
  [
    'a host that is an option, in short',
    'git@-oProxyCommand=id:a',
    'source/bad-address',
    'a host that begins with "-"',
  ],
  ['a host that is a command', 'git@`id`:a', 'source/bad-address', 'has a host with characters other than'],
  ['a percent in its host', 'ssh://git@%h/a', 'source/bad-address', 'has a host with characters other than'],
  ['no address in its brackets', 'git@[example]:a', 'source/bad-address', 'has a host with characters other than'],
  ['a path that is an option', 'git@example.com:--upload-pack=id', 'source/bad-address', 'a path that begins with "-"'],
  ['no path', 'ssh://git@example.com/', 'source/bad-address', 'has no path'],
  ['no path, in short', 'git@example.com:', 'source/bad-address', 'has no path'],
  ['a port beyond the last', 'ssh://git@example.com:65536/a', 'source/bad-address', 'has an invalid port'],
  ['port 0', 'ssh://git@example.com:0/a', 'source/bad-address', 'has an invalid port'],
  ['two dots', 'git@example.com:acme/../other', 'source/bad-address', 'has ".." in its path'],
  ['two dots, escaped', 'ssh://git@example.com/acme/%2e%2e/other', 'source/bad-address', 'has ".." in its path'],
  ['a hidden line end', 'ssh://git@example.com/a%0aid', 'source/bad-address', 'has a control character'],
  ['a hidden slash of ssh', 'ssh://git@example.com/a%2fb', 'source/bad-address', 'cannot be read'],
  ['a broken escape', 'ssh://git@example.com/a%zz', 'source/bad-address', 'cannot be read'],
  ['a fragment of ssh', 'git@example.com:a#b', 'source/bad-address', 'query or a fragment'],
  ['a line end in a path of ssh', 'git@example.com:a\nb', 'source/bad-address', 'control character'],
  ['no scheme', 'example.com/a', 'source/bad-address', 'has no scheme'],
  ['no host', 'https:///a', 'source/bad-address', 'has no host'],
  ['only a port', 'https://:80/a', 'source/bad-address', 'has no host'],
  ['a control character', 'https://example.com/a\u0007', 'source/bad-address', 'control character'],
  ['a line end', 'https://example.com/a\nb', 'source/bad-address', 'control character'],
  ['a backslash', 'https:\\\\example.com\\a', 'source/bad-address', 'backslash'],
  ['a leading dash', '--upload-pack=id', 'source/bad-address', 'begins with "-"'],
  ['a host with a leading dash', 'https://-x/a', 'source/bad-address', 'begins with "-"'],
  ['a query', 'https://example.com/a?b', 'source/bad-address', 'query or a fragment'],
  ['a fragment', 'https://example.com/a#b', 'source/bad-address', 'query or a fragment'],
  ['a hidden slash', 'https://example.com/a%2fb', 'source/bad-address', 'contains an encoded separator'],
  ['a file address of another host', 'file://server/a', 'source/bad-address', 'names a host'],
  ['nothing', '', 'source/bad-address', 'is empty'],
])('an address with %s is refused, and no secret is repeated', (_, text, code, message) => {
  const error = refusalOf(text)
  expect(error).toMatchObject({ name: 'Rejected', code })
  expect(error.message).toContain(message)
  expect(error.message + String((error as { hint?: string }).hint)).not.toMatch(/s3c|ret@/)
})

test('an address in a document is refused with the same message', () => {
  expect(addressProblem('https://me:s3cret@example.com/a')).toContain('contains a username or password')
  expect(addressProblem('./boards')).toContain('is relative')
  expect(addressProblem('https://example.com/a')).toBeUndefined()
})

test('a relative address begins at the directory it is given', () => {
  expect(resolveAddress('./boards', '/srv/git')).toBe('file:///srv/git/boards')
  expect(resolveAddress('https://example.com/a', '/srv/git')).toBe('https://example.com/a')
})

function refusalOf(text: string): Rejected {
  try {
    normaliseAddress(text)
  } catch (error) {
    return error as Rejected
  }
  throw new Error(`${text} is not refused`)
}
