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
  ['a file address of this host', 'file://localhost/srv/c/', 'file:///srv/c'],
])('%s has one form', (_, text, form) => {
  expect(normaliseAddress(text)).toBe(form)
  expect(normaliseAddress(form)).toBe(form)
})

test.each([
  ['user information', 'https://me:s3cret@example.com/a', 'source/user-information', 'holds user information'],
  ['a user alone', 'https://me@example.com/a', 'source/user-information', 'holds user information'],
  ['a password with slashes', 'https://me:s3c/ret@@example.com/a', 'source/user-information', 'holds user information'],
  ['ssh', 'ssh://git@example.com/a', 'source/scheme', 'comes in a later version'],
  ['the short form of ssh', 'git@example.com:a/b.git', 'source/scheme', 'comes in a later version'],
  ['another scheme', 'ftp://example.com/a', 'source/scheme', 'does not speak'],
  ['a helper of git', 'ext::sh -c id', 'source/bad-address', 'white space'],
  ['no scheme', 'example.com/a', 'source/bad-address', 'has no scheme'],
  ['no host', 'https:///a', 'source/bad-address', 'has no host'],
  ['only a port', 'https://:80/a', 'source/bad-address', 'has no host'],
  ['a control character', 'https://example.com/a\u0007', 'source/bad-address', 'control character'],
  ['a line end', 'https://example.com/a\nb', 'source/bad-address', 'control character'],
  ['a backslash', 'https:\\\\example.com\\a', 'source/bad-address', 'backslash'],
  ['a leading dash', '--upload-pack=id', 'source/bad-address', "begins with '-'"],
  ['a host with a leading dash', 'https://-x/a', 'source/bad-address', "begins with '-'"],
  ['a query', 'https://example.com/a?b', 'source/bad-address', 'query or a fragment'],
  ['a fragment', 'https://example.com/a#b', 'source/bad-address', 'query or a fragment'],
  ['a hidden slash', 'https://example.com/a%2fb', 'source/bad-address', 'hides a separator'],
  ['a file address of another host', 'file://server/a', 'source/bad-address', 'names a host'],
  ['nothing', '', 'source/bad-address', 'is empty'],
])('an address with %s is refused, and no secret is repeated', (_, text, code, message) => {
  const error = refusalOf(text)
  expect(error).toMatchObject({ name: 'Rejected', code })
  expect(error.message).toContain(message)
  expect(error.message + String((error as { hint?: string }).hint)).not.toMatch(/s3c|ret@/)
})

test('what is refused of an address is said in the same words where a document holds it', () => {
  expect(addressProblem('https://me:s3cret@example.com/a')).toContain('holds user information')
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
