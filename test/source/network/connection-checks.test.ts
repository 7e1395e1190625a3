import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../../src/model/agent/check.js'
import { connectionChecks } from '../../../src/source/network/connection-checks.js'
import type { HostConnection } from '../../../src/source/network/connection.js'
import { hasOpenssl, makeAuthority } from '../../certificates.js'

const now = Date.parse('2025-06-01T00:00:00Z')

describe.skipIf(!hasOpenssl)('the doctor checks a connection (needs openssl)', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'gitmoor-connections-'))
    const authority = makeAuthority(directory)
    for (const [name, until] of [
      ['long', '20260101000000Z'],
      ['soon', '20250610000000Z'],
      ['over', '20250501000000Z'],
    ] as const) {
      const { cert, key } = authority.issue('DNS:agent.example', { from: '20240101000000Z', until })
      writeFileSync(join(directory, `${name}.pem`), cert)
      writeFileSync(join(directory, `${name}.key`), key)
    }
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  function checkOf(fields: Partial<HostConnection>): Check {
    const files = Object.entries(fields).map(([key, name]) => [key, key === 'proxy' ? name : join(directory, name)])
    return connectionChecks(
      [{ name: 'lab', match: 'https://lab.example/', ...(Object.fromEntries(files) as Partial<HostConnection>) }],
      now,
    )[0]!
  }
  const pair = (name: string): Partial<HostConnection> => ({ certificate: `${name}.pem`, key: `${name}.key` })

  test.each([
    ['with a proxy only', { proxy: 'none' }, 'ok', 'for https://lab.example/'],
    [
      'with a certificate for long',
      pair('long'),
      'ok',
      'for https://lab.example/, certificates valid until 2026-01-01',
    ],
    [
      'whose certificate ends within 14 days',
      pair('soon'),
      'warning',
      'One of its certificates expires on 2025-06-10.',
    ],
    ['whose certificate ended', pair('over'), 'problem', 'One of its certificates expired on 2025-05-01.'],
    ['whose only authority ended', { ca: 'over.pem' }, 'problem', 'One of its certificates expired on 2025-05-01.'],
    [
      'whose key is that of another',
      { certificate: 'long.pem', key: 'soon.key' },
      'problem',
      'soon.key is not the key of the certificate in',
    ],
    ['whose file is not there', { ca: 'gone.pem' }, 'problem', 'gone.pem: no such file or directory.'],
    ['whose file has no certificate', { ca: 'long.key' }, 'problem', 'long.key contains no certificate in PEM format.'],
  ] as const)('%s', (_, fields, state, says) => {
    expect(checkOf(fields)).toMatchObject({
      name: 'connection lab',
      state,
      message: expect.stringContaining(says) as string,
    })
  })

  test('of several authorities, by the one that lasts longest', () => {
    writeFileSync(
      join(directory, 'both.pem'),
      ['over.pem', 'long.pem'].map((name) => readFileSync(join(directory, name), 'utf8')).join(''),
    )
    expect(checkOf({ ca: 'both.pem' })).toMatchObject({
      state: 'ok',
      message: expect.stringContaining('until 2026-01-01') as string,
    })
  })
})
