import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { answerJson, JsonPieces, writeJson } from '../../../src/api/server/json-answer.js'
import { addressOf } from '../../../src/model/address.js'
import { Secret, Unknown } from '../../../src/model/json.js'

function written(value: unknown): { readonly text: string; readonly steps: number } {
  const pieces = new JsonPieces()
  const work = writeJson(value, pieces)
  let steps = 0
  while (work.next().done !== true) steps++
  const content = pieces.finished()
  return { text: typeof content === 'string' ? content : Buffer.concat(content).toString(), steps }
}

describe('a value is written as JSON.stringify writes it', () => {
  test.each<[string, unknown]>([
    ['scalars', { a: 1, b: 'x', c: null, d: true, e: 1e21 }],
    ['nothing', {}],
    ['empty lists and maps', { a: [], b: {}, c: [[]], d: [{}] }],
    ['what is undefined', { a: undefined, b: [undefined, { c: undefined, d: [] }] }],
    ['texts that need escapes', { 'a"b\n': ['\u2028', '€', '\ud83d\ude00', '\\'] }],
    [
      'leaves that say how they are written',
      { a: [new Secret('hunter2-hunter2', 'ab12')], b: { c: new Unknown(addressOf('Label', 'a'), 'id'), d: [] } },
    ],
    ['dates', { a: [new Date(0)] }],
    ['what is deep', { a: [{ b: [{ c: [{ d: [{ e: { f: [1, { g: [] }] } }] }] }] }] }],
    ['a list', [1, [2, [3, [4, [5, [6]]]]]]],
    ['keys of a map without a prototype', Object.assign(Object.create(null), { __proto__: 1, a: [] })],
  ])('%s', (_, value) => {
    expect(written(value).text).toBe(JSON.stringify(value))
  })
})

test('each entry of a long list is a step of its own', () => {
  expect(written({ items: Array.from({ length: 1_000 }, (_, at) => ({ at })) }).steps).toBeGreaterThan(1_000)
})

test.each<[string, unknown]>([
  ['long texts', { a: ['x'.repeat(100_000)] }],
  ['many values', { a: Array.from({ length: 300 }, (_, at) => at) }],
  ['many values below', [Array.from({ length: 40 }, (_, at) => ({ a: [at, at, at, at, at, at] }))]],
  ['many keys', { a: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, []])) }],
])('a value with %s is written in steps', (_, value) => {
  expect(written(value).steps).toBeGreaterThan(0)
})

test('a small value is written in one step, whatever its depth', () => {
  expect(written({ a: [{ b: { c: [1, 2, 'x'.repeat(1_000)] } }] }).steps).toBe(0)
})

test('a large answer comes in pieces, with its length', async () => {
  const answer = { items: Array.from({ length: 40 }, (_, at) => ({ text: `${at} €`.repeat(4_000) })) }
  const app = new Hono().get('/', (c) =>
    answerJson(c, (pieces) => writeJson(answer, pieces), { status: 200, type: 'application/json' }),
  )
  const response = await app.request('/')
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body!) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  expect(JSON.parse(whole.toString())).toEqual(answer)
  expect(Number(response.headers.get('content-length'))).toBe(whole.length)
  expect(chunks.length).toBeGreaterThan(5)
})
