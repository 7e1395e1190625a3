// Answers of the protocol, packet by packet.
import { describe, expect, test } from 'vitest'
import { describeError } from '../../src/model/errors.js'
import { readPack } from '../../src/source/git/protocol/fetch-pack.js'
import { networkError, redirectTarget, repositoryError } from '../../src/source/network/http-errors.js'
import { hasAnyRef, readRefs } from '../../src/source/git/protocol/list-refs.js'

const remote = 'https://example.com/x'
const [flush, delimiter, end] = ['0000', '0001', '0002']
const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
const band = (number: number, text: string): string => line(String.fromCharCode(number) + text)
const header = line('packfile\n')

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'latin1')
}

async function packIn(...packets: readonly string[]): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of readPack(chunksOf(packets.join('')), remote)) parts.push(part)
  return Buffer.concat(parts).toString('latin1')
}

describe('an answer with a pack', () => {
  test('has it on the first band; earlier data and progress are ignored', async () => {
    const before = [line('acknowledgments\n'), line('ready\n'), delimiter]
    expect(await packIn(...before, header, band(1, 'PA'), band(2, 'Counting'), band(1, 'CK'), flush)).toBe('PACK')
  })

  test('of version 0 follows what it says of shallow commits', async () => {
    const shallow = [line(`shallow ${'a'.repeat(40)}\n`), flush]
    expect(
      await packIn(...shallow, line('NAK\n'), band(1, 'PA'), band(1, ''), band(2, '50%'), band(1, 'CK'), flush),
    ).toBe('PACK')
    expect(await packIn(...shallow, line(`ACK ${'b'.repeat(40)}\n`), band(1, 'PACK'), flush)).toBe('PACK')
  })

  test.each([
    ['continues after its end', [header, band(1, 'x'), flush, line('more')], 'source/damaged'],
    ['ends with a mark of another protocol', [header, band(1, 'x'), end], 'source/damaged'],
    ['has a section inside the pack', [header, band(1, 'x'), delimiter], 'source/damaged'],
    ['has a band that there is not', [header, band(4, 'x'), flush], 'source/damaged'],
    ['has no pack', [line('ready\n'), flush], 'source/truncated'],
    ['does not end', [header, band(1, 'x')], 'source/truncated'],
    ['ends before it began', [], 'source/truncated'],
    ['gives up on the error band', [header, band(3, 'out of memory')], 'source/remote-error'],
    ['gives up before the pack', [line('ERR upload-pack: not our ref 1234')], 'source/commit-missing'],
  ] as const)('that %s is %s', async (_, packets, code) => {
    await expect(packIn(...packets)).rejects.toMatchObject({ code })
  })
})

describe('a list of refs', () => {
  const [a, b] = ['a'.repeat(40), 'b'.repeat(40)]
  const read = (...packets: readonly string[]): ReturnType<typeof readRefs> =>
    readRefs(chunksOf(packets.join('')), remote, 1000)

  test('has the target and peeled commit of each name, and omits a HEAD without a branch', async () => {
    const list = await read(
      line('unborn HEAD symref-target:refs/heads/main\n'),
      line(`${a} refs/tags/v1 peeled:${b}\n`),
      line(`${b} refs/heads/main`),
      flush,
    )
    expect([...list]).toEqual([
      ['refs/tags/v1', { object: a, commit: b }],
      ['refs/heads/main', { object: b, commit: b }],
    ])
  })

  test.each([
    ['without a name', [line(`${a}\n`), flush], 'source/damaged'],
    ['with what is no id', [line('1234 refs/heads/main\n'), flush], 'source/damaged'],
    ['with what peels to no id', [line(`${a} refs/heads/main peeled:12\n`), flush], 'source/damaged'],
    ['that continues after its end', [flush, line(`${a} refs/heads/main\n`)], 'source/damaged'],
    ['that does not end', [line(`${a} refs/heads/main\n`)], 'source/truncated'],
    ['that is an error', [line('ERR access denied')], 'source/remote-error'],
    ['past limits.refsBytes', [line('x'.repeat(1000))], 'source/refs-too-large'],
  ] as const)('%s is %s', async (_, packets, code) => {
    await expect(read(...packets)).rejects.toMatchObject({ code })
  })

  test('of version 0 has peeled tags on separate lines, and more than refs', async () => {
    const list = await read(
      line('version 1\n'),
      line(`${b} HEAD\0side-band-64k symref=HEAD:refs/heads/main\n`),
      line(`${a} refs/tags/v1\n`),
      line(`${b} refs/tags/v1^{}\n`),
      line(`shallow ${b}\n`),
      flush,
    )
    expect([...list]).toEqual([
      ['HEAD', { object: b, commit: b, target: 'refs/heads/main' }],
      ['refs/tags/v1', { object: a, commit: b }],
    ])
  })

  test('of version 0 that has none says only what the server can do', async () => {
    const nothing = [line(`${'0'.repeat(40)} capabilities^{}\0side-band-64k\n`), flush]
    expect([...(await read(...nothing))]).toEqual([])
    expect(await hasAnyRef(chunksOf(nothing.join('')), remote)).toBe(false)
  })

  test('that ends at once has none, one that says nothing is cut short', async () => {
    expect(await hasAnyRef(chunksOf(flush), remote)).toBe(false)
    expect(await hasAnyRef(chunksOf(line(`${a} HEAD\n`)), remote)).toBe(true)
    await expect(hasAnyRef(chunksOf(''), remote)).rejects.toMatchObject({ code: 'source/truncated' })
  })
})

describe('a Retry-After', () => {
  const after = (value: string | readonly string[] | undefined): unknown =>
    (
      repositoryError(
        remote,
        { statusCode: 503, headers: { 'retry-after': value } },
        { authorized: false, now: Date.UTC(2026, 0, 1) },
      ) as {
        retryAfterMs?: number
      }
    ).retryAfterMs

  test.each([
    ['of seconds', '7', 7000],
    ['of a date', 'Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['of a date that is past', 'Thu, 01 Jan 2020 00:00:00 GMT', 0],
    ['of a year', '31536000', 900_000],
    ['that is not a time', 'later', undefined],
    ['that is there twice', ['1', '2'], undefined],
    ['that is not there', undefined, undefined],
  ] as const)('%s is %s: %s', (_, value, ms) => {
    expect(after(value)).toBe(ms)
  })
})

describe('a redirect', () => {
  const to = (location?: string | readonly string[]): URL =>
    redirectTarget(remote, `${remote}/info/refs`, { statusCode: 302, headers: { location } })

  test('within the host is followed, also where it is relative', () => {
    expect([to('/y/info/refs').href, to('https://example.com/z').href]).toEqual([
      'https://example.com/y/info/refs',
      'https://example.com/z',
    ])
  })

  test.each([[undefined], ['http://'], [['/a', '/b']]])('to %j has no valid address', (location) => {
    expect(() => to(location)).toThrow('redirects without a valid address')
  })

  test.each([
    'http://example.com/x',
    'https://example.com:8443/x',
    'https://u@example.com/x',
    'https://:p@example.com/x',
  ])('to %s is not followed', (location) => {
    expect(() => to(location)).toThrow(
      /redirects to https?:\/\/example\.com(:8443)?\/x, which gitmoor does not follow\./,
    )
  })
})

test('a known network error has a readable message, others stay unchanged', () => {
  expect(networkError(remote, Object.assign(new Error('x'), { code: 'ENOTFOUND' })).message).toContain(
    'the host name does not exist',
  )
  expect(networkError(remote, Object.assign(new Error('odd\u0007'), { code: 'EODD' })).message).toContain('odd\\u{7}.')
  const assertion = Object.assign(new Error('false == true'), { code: 'ERR_ASSERTION' })
  expect(describeError(networkError(remote, assertion))).toBe(
    `Cannot reach ${remote}: the response has an invalid status.`,
  )
  expect(describeError(networkError(remote, new Error('odd')))).toBe(`Cannot reach ${remote}: odd.`)
  expect(networkError(remote, new Error('odd')).message).toBe(`Cannot reach ${remote}: odd.`)
  expect(networkError(remote, 'odd').message).toBe(`Cannot reach ${remote}: unknown.`)
  const ours = networkError(remote, 1)
  expect(networkError(remote, new Error('around', { cause: ours }))).toBe(ours)
})
