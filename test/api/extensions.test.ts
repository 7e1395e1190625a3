// Routes that an adapter adds to the API, with errors in its own form (src/api/api-extension.ts).
import { expect, test } from 'vitest'
import type { ApiExtension } from '../../src/api/api-extension.js'
import { openDoor } from './request-api.js'

const lampsApi: ApiExtension = {
  owns: (path) => path.startsWith('/lamps/'),
  takesPackages: (path) => path === '/lamps/all',
  addPublicRoutes: (api) => api.get('/lamps/public', (c) => c.json({ on: true })),
  addRoutes: (api) => api.post('/lamps/all', (c) => c.json({ bytes: c.get('body').length })),
  toResponse: (_error, { http, body }) => ({ http, headers: { 'X-Lamp': 'broken' }, body: { lamp: body.code } }),
}

test('without an extension its paths do not exist', async () => {
  const { status, body } = await openDoor({}, { extensions: [] }).request('GET', '/api/v2/orgs')
  expect(status).toBe(404)
  expect(body).toMatchObject({ error: { code: 'api/not-found' } })
})

test('public routes need no token, others do', async () => {
  const door = openDoor({}, { extensions: [lampsApi] })
  const stranger = { Authorization: '' }
  expect((await door.request('GET', '/lamps/public', undefined, stranger)).body).toEqual({ on: true })
  expect((await door.request('POST', '/lamps/all', {}, stranger)).status).toBe(401)
  expect((await door.request('POST', '/lamps/all', {})).body).toEqual({ bytes: 2 })
})

test('errors of its paths have its own form, others have gitmoor’s', async () => {
  const door = openDoor({}, { extensions: [lampsApi] })
  const { status, headers, body } = await door.request('GET', '/lamps/none')
  expect([status, headers.get('X-Lamp'), body]).toEqual([404, 'broken', { lamp: 'api/not-found' }])
  expect((await door.request('GET', '/api/v1/none')).body).toMatchObject({ error: { code: 'api/not-found' } })
})

test('paths that take packages have a larger limit', async () => {
  const door = openDoor({}, { extensions: [lampsApi], bodies: { bytes: 10, packageBytes: 100 } })
  expect((await door.request('POST', '/lamps/all', 'x'.repeat(50))).status).toBe(200)
  expect((await door.request('POST', '/lamps/all', 'x'.repeat(200))).status).toBe(413)
  expect((await door.request('POST', '/api/v1/stacks', 'x'.repeat(50))).status).toBe(413)
})
