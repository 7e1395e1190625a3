// What /api/v2 reads and writes: bodies as JSON or YAML, ids as texts or numbers.
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { ApiEnv } from '../../../src/api/request-context.js'
import { bodyLimits, readBodies } from '../../../src/api/server/bounded-body.js'
import { readWireBody } from '../../../src/influxdb/api/wire-body.js'
import { finish } from '../../../src/lib/async/steps.js'
import { JsonPieces } from '../../../src/api/server/json-answer.js'
import { writeAnswer } from '../../../src/influxdb/api/wire-numbers.js'

const door = new Hono<ApiEnv>()
door.use(readBodies(bodyLimits, () => false))
door.post('/', async (c) => c.json({ read: await readWireBody(c) }))
door.onError((error, c) => c.json({ error: error.message }, 400))

const read = async (body: string, type?: string): Promise<any> => {
  const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type }
  return (await door.request('/', { method: 'POST', body, headers })).json()
}

describe('a body', () => {
  test.each([
    ['application/json', '{"a":[1]}'],
    ['application/json; charset=utf-8', '{"a":[1]}'],
    ['text/plain', '{"a":[1]}'],
    ['application/x-yaml', 'a: [1]'],
    ['text/yml', 'a:\n  - 1\n'],
  ])('of type %s is read', async (type, text) => {
    expect(await read(text, type)).toEqual({ read: { a: [1] } })
  })

  test('of nothing is refused', async () => {
    const error = 'The body is empty. Send a document of JSON or YAML.'
    expect(await read(' ', 'application/json')).toEqual({ error })
    expect(await read('', 'application/x-yaml')).toEqual({ error })
  })

  test('of at most 40,000 values is read', async () => {
    const values = (count: number): string => `[${'1,'.repeat(count - 2)}1]`
    expect((await read(values(40_000))).read).toHaveLength(39_999)
    expect(await read(values(40_001))).toEqual({ error: 'The body holds more than 40000 values.' })
  })

  test('of YAML has at most 16,384 characters', async () => {
    const text = (length: number): string => `a: ${'x'.repeat(length - 3)}`
    expect((await read(text(16_384), 'text/yml')).read.a).toHaveLength(16_381)
    const error = 'The body has more than 16384 characters of YAML. Send it as JSON.'
    expect(await read(text(16_385), 'text/yml')).toEqual({ error })
  })

  const deep = `${'['.repeat(200)}${']'.repeat(200)}`
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((k, i) => `${k}: &${k} [${`*${'abcdefgh'[i]},`.repeat(9)}]`),
  ]
  test.each([
    ['JSON that is cut off', '{"a":', 'application/json', 'JSON'],
    ['JSON that is deep', deep, 'application/json', 'deep'],
    ['invalid YAML', 'a: [', 'application/x-yaml', 'YAML'],
    ['YAML that is deep', deep, 'application/x-yaml', 'deep'],
    [
      'YAML that is so deep that it crashes a parser',
      `a: ${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      'application/x-yaml',
      'deep',
    ],
    ['YAML of several documents', 'a: 1\n---\nb: 2\n', 'application/x-yaml', 'document'],
    ['YAML that grows by aliases', bomb.join('\n'), 'application/x-yaml', 'YAML'],
  ])('that is %s is refused', async (_, text, type, said) => {
    expect((await read(text, type)).error).toContain(said)
  })
})

describe('numbers for ids', () => {
  const printed = (answer: object): string => {
    const pieces = new JsonPieces()
    finish(writeAnswer(answer, true, pieces))
    return String(pieces.finished())
  }

  test('keep all digits', () => {
    expect(printed({ diff: { labels: [{ id: 'ffffffffffffffff', old: null }] } })).toBe(
      '{"diff":{"labels":[{"id":18446744073709551615,"old":null}]}}',
    )
  })

  test('are 0 for none', () => {
    expect(printed({ summary: { labels: [{ id: '' }] } })).toBe('{"summary":{"labels":[{"id":0}]}}')
  })

  test('are not written for texts that only resemble ids, for documents of the platform, or elsewhere', () => {
    const answer = {
      stackID: '0a0b0c0d0e0f0102',
      summary: {
        buckets: [{ name: '0a0b0c0d0e0f0102' }],
        telegrafConfigs: [{ telegrafConfig: { id: '0a0b0c0d0e0f0102' } }],
      },
    }
    expect(JSON.parse(printed(answer))).toEqual(answer)
  })

  test.each(['CheckDeadman', 'NotificationEndpointHTTP', 'Telegraf'])(
    'are not written inside the two sides of a %s, which are documents',
    (kind) => {
      const side = { id: '00000000000000ff', orgID: '00000000000000fe' }
      const answer = { diff: { any: [{ kind, id: '00000000000000ff', new: side, old: side }] } }
      expect(JSON.parse(printed(answer))).toEqual({ diff: { any: [{ kind, id: 255, new: side, old: side }] } })
    },
  )

  test('are written inside the two sides of a rule', () => {
    const answer = { diff: { any: [{ kind: 'NotificationRule', new: { endpointID: '00000000000000ff' }, old: null }] } }
    expect(JSON.parse(printed(answer)).diff.any[0].new).toEqual({ endpointID: 255 })
  })
})
