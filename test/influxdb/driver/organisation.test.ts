import { expect, test } from 'vitest'
import { Fingerprints } from '../../../src/influxdb/driver/fingerprints.js'
import { Organisation } from '../../../src/influxdb/driver/organisation.js'
import { Writes } from '../../../src/influxdb/driver/writes.js'
import { Unavailable } from '../../../src/model/errors.js'
import type { Documents } from '../../../src/platform/documents.js'
import { ManualClock } from '../../manual-clock.js'
import { openHttpApi, sendJson, type HttpApi } from './http-api.js'

const { signal } = new AbortController()

/** Nothing here reads a fingerprint. */
function organisationOn(api: HttpApi): { readonly organisation: Organisation; readonly clock: ManualClock } {
  const clock = new ManualClock()
  const fingerprints = new Fingerprints({} as Documents, 'system o1')
  const parts = { client: api.client, orgID: 'o1', fingerprints, clock, writes: new Writes(clock) }
  return { organisation: new Organisation(parts), clock }
}

test('the keys of secrets are read once, and again after a write to an endpoint', async () => {
  await using api = await openHttpApi((_, response) => sendJson(response, { secrets: ['b', 'a'] }))
  const { organisation, clock } = organisationOn(api)
  clock.advance(1)
  const read = () => organisation.storedSecrets(0, signal)
  expect(await Promise.all([read(), read()])).toEqual([new Set(['a', 'b']), new Set(['a', 'b'])])
  await read()
  expect(api.server.seen).toHaveLength(1)
  await organisation.write(['NotificationEndpoint'], { method: 'PUT', path: '/api/v2/x' }, signal)
  clock.advance(1)
  await read()
  expect(api.server.seen.filter(({ url }) => url === '/api/v2/orgs/o1/secrets')).toHaveLength(2)
  await organisation.storedSecrets(clock.elapsed() + 1, signal)
  expect(api.server.seen.filter(({ url }) => url === '/api/v2/orgs/o1/secrets')).toHaveLength(3)
})

test.each<[string, number, unknown]>([
  ['secrets', 401, { code: 'unauthorized', message: 'read:orgs/o1/secrets is unauthorized' }],
  ['the organisation', 404, { code: 'not found', message: '404 page not found' }],
])('a token that may not read %s does not know the keys, and is refused none', async (_, status, body) => {
  await using api = await openHttpApi((_request, response) => sendJson(response, body, status))
  expect(await organisationOn(api).organisation.storedSecrets(0, signal)).toBe(undefined)
})

test('a server that fails does not say that there are no secrets', async () => {
  await using api = await openHttpApi((_, response) => sendJson(response, {}, 500))
  await expect(organisationOn(api).organisation.storedSecrets(0, signal)).rejects.toThrow(Unavailable)
})
