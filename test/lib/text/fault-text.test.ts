import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { faultText } from '../../../src/lib/text/fault-text.js'
import { describeError, Rejected } from '../../../src/model/errors.js'

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}

const missing = thrownBy(() => readFileSync('/nonexistent/file'))
const folder = thrownBy(() => readFileSync('/'))

test.each([
  ['a missing file', missing, 'no such file or directory'],
  ['a folder in place of a file', folder, 'it is a directory'],
  [
    'a fault of TLS, without the place in OpenSSL',
    Object.assign(
      new Error(
        '40B7A1F0C77F0000:error:0A0000C6:SSL routines:tls_get_more_records:packet length too long:' +
          '../deps/openssl/openssl/ssl/record/methods/tls_common.c:662:\n',
      ),
      { code: 'ERR_SSL_PACKET_LENGTH_TOO_LONG' },
    ),
    'packet length too long',
  ],
  [
    'a code that is not listed',
    Object.assign(new Error("ESHUTDOWN: cannot send after shutdown, write 'x'"), { code: 'ESHUTDOWN' }),
    'cannot send after shutdown',
  ],
  [
    'a code that is not listed, without a path',
    Object.assign(new Error('EBADMSG: bad message, read'), { code: 'EBADMSG' }),
    'bad message',
  ],
  ['an error without a code', new Error('it is larger than 4 MiB'), 'it is larger than 4 MiB'],
  ['a code of gitmoor', new Rejected('No.', { code: 'source/not-found' }), 'No.'],
  ['a code that is a property of every object', Object.assign(new Error('x'), { code: 'constructor' }), 'x'],
  ['another value', 7, '7'],
])('%s is said in words', (_, error, words) => {
  expect(faultText(error)).toBe(words)
})

test('a refused connection is said in words, without its address', async () => {
  const socket = createConnection({ host: '127.0.0.1', port: 1 })
  const error = await new Promise((resolve) => socket.once('error', resolve))
  expect(faultText(error)).toBe('the connection was refused')
})

test('the causes of an error are described in words, each once', () => {
  const error = new Rejected('There is no git repository at /srv/a.', { code: 'source/not-found', cause: missing })
  expect(describeError(error)).toBe('There is no git repository at /srv/a: no such file or directory')
  const said = new Rejected('Cannot read /srv/a: it is a directory.', { code: 'x/y', cause: folder })
  expect(describeError(said)).toBe('Cannot read /srv/a: it is a directory.')
})

test('an error of a file that no other error describes names the file', () => {
  expect(describeError(missing)).toBe('/nonexistent/file: no such file or directory')
})
