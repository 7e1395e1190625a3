// Listings: of servers that ignore limits, and of servers that do not.
import { expect, test } from 'vitest'
import { listFamily } from '../../../src/influxdb/driver/families.js'
import { openHttpApi, sendJson } from './http-api.js'

const { signal } = new AbortController()
const variables = (count: number): readonly { readonly id: string }[] =>
  Array.from({ length: count }, (_, at) => ({ id: String(at) }))

test.each([
  ['ignores limits', 99, 1],
  ['ignores limits', 100, 2],
  ['ignores limits', 205, 1],
  ['has pages', 99, 1],
  ['has pages', 100, 2],
  ['has pages', 205, 3],
])('a server that %s gives all of %i variables in %i requests', async (how, count, requests) => {
  await using api = await openHttpApi((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://server')
    const from = Number(searchParams.get('offset') ?? 0)
    const all = variables(count)
    sendJson(response, {
      variables: how === 'has pages' ? all.slice(from, from + Number(searchParams.get('limit'))) : all,
    })
  })
  const found = await listFamily('Variable', { client: api.client, orgID: '1' }, signal)
  expect([found.size, api.server.seen.length]).toEqual([count, requests])
})
