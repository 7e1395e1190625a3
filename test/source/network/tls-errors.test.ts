import { expect, test } from 'vitest'
import { isOutdated, tlsError } from '../../../src/source/network/tls-errors.js'

const remote = 'https://example.com/x'
const validity = { from: '2026-01-01 00:00 UTC', until: '2026-02-01 00:00 UTC' }
const expired = { code: 'CERT_HAS_EXPIRED' }
const early = { code: 'CERT_NOT_YET_VALID' }
const ownSigned = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }
const otherHost = { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }

test.each([
  [expired, undefined, 'its certificate has expired'],
  [expired, validity, 'its certificate expired at 2026-02-01 00:00 UTC'],
  [early, undefined, 'its certificate is not valid yet'],
  [early, validity, 'its certificate is valid only from 2026-01-01 00:00 UTC'],
  [ownSigned, validity, 'its certificate is self-signed, and this machine does not trust it'],
  [otherHost, undefined, 'its certificate is for another host (no name)'],
  [
    { ...otherHost, cert: { subjectaltname: 'DNS:a\u0007' } },
    undefined,
    'its certificate is for another host (DNS:a\\u{7})',
  ],
  [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, undefined, 'it does not use TLS'],
  [{ code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' }, undefined, 'it supports no safe version of TLS'],
])('%j of a certificate %j has a readable message', (error, known, what) => {
  expect(tlsError(remote, error, known)).toMatchObject({
    name: 'Unavailable',
    code: 'source/tls',
    message: `Cannot reach ${remote}: ${what}.`,
    hint: expect.stringMatching(/\w{3}/) as string,
    cause: error,
  })
})

test.each([[{ code: 'ECONNREFUSED' }], [{ code: 7 }], [new Error('x')], [null]])('%j is no fault of TLS', (error) => {
  expect([tlsError(remote, error), isOutdated(error)]).toEqual([undefined, false])
})

test('dates are read only for expired and future certificates', () => {
  expect([expired, early, ownSigned].map(isOutdated)).toEqual([true, true, false])
})
