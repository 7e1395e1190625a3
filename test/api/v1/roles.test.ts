import { beforeAll, expect, test } from 'vitest'
import { digestToken } from '../../../src/api/server/access.js'
import { Sessions } from '../../../src/api/session/sessions.js'
import { roles } from '../../../src/api/v1/role.js'
import { routePath } from '../../../src/api/v1/endpoint.js'
import type { Schema } from '../hostile/description.js'
import { ManualClock } from '../../manual-clock.js'
import { openDoor, sampleToken, type Door } from '../request-api.js'

let door: Door
let routes: readonly { readonly route: string; readonly operation: Schema }[]

beforeAll(async () => {
  const metrics = { type: 'text/plain', print: async () => '', public: false }
  const sessions = new Sessions({
    table: {} as never, // no request below reads a session
    clock: new ManualClock(),
    tokenDigest: digestToken(sampleToken),
  })
  door = openDoor({}, { metrics, sessions, backups: {} as never })
  const { paths } = (await door.request('GET', '/api/v1/openapi.json')).body as { readonly paths: Schema }
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Schema).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
})

const roleOf = (route: string): unknown => routes.find((one) => one.route === route)?.operation['x-role']

/** The document does not describe itself. It needs the token, as every route does that declares no other role. */
const withoutDocument = (all: readonly string[]): readonly string[] =>
  all.filter((route) => route !== 'GET /api/v1/openapi.json')

test('every route of the API declares the role that it needs', () => {
  const declared = new Set(routes.map(({ route, operation }) => (operation['x-role'] === undefined ? '' : route)))
  const added = door.api.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)
  const missing = withoutDocument(added).filter((one) => ![...declared].some((route) => routePath(route) === one))
  expect(added.length).toBeGreaterThan(80)
  expect(missing).toEqual([])
})

test('a role is read, approve or admin; requests without one prove themselves, or are probes', () => {
  const found = routes.map(({ route, operation }) => [operation['x-role'], route] as const)
  expect(found.filter(([role]) => ![...roles, 'none'].includes(role as string))).toEqual([])
  expect(found.flatMap(([role, route]) => (role === 'none' ? [route] : [])).sort()).toEqual([
    'DELETE /api/v1/session',
    'GET /api/v1/session',
    'GET /healthz',
    'GET /readyz',
    'POST /api/v1/session',
    'POST /hooks/{id}',
  ])
})

test('no GET needs more than read', () => {
  const reads = routes.filter(({ route }) => route.startsWith('GET '))
  expect(reads.length).toBeGreaterThan(30)
  expect(reads.filter(({ operation }) => !['read', 'none'].includes(operation['x-role'] as string))).toEqual([])
})

/** Requests that change nothing, although their method is POST. */
const readingPosts = ['POST /api/v1/export', 'POST /api/v1/stacks/{name}/plan', 'POST /api/v1/stacks/{name}/wait']

test('whatever may change something needs more than read', () => {
  const writes = routes.filter(({ route }) => !route.startsWith('GET '))
  const reading = writes.filter(({ operation }) => operation['x-role'] === 'read')
  expect(reading.map(({ route }) => route).sort()).toEqual(readingPosts)
})

test('a decision needs approve; settings, packages and single resources need admin', () => {
  for (const route of [
    'POST /api/v1/stacks/{name}/approve',
    'POST /api/v1/stacks/{name}/sync',
    'POST /api/v1/channels/promotion',
    'POST /api/v1/channels/moves/{move}/veto',
  ])
    expect(roleOf(route), route).toBe('approve')
  for (const route of [
    'POST /api/v1/stacks',
    'POST /api/v1/stacks/plan-create',
    'DELETE /api/v1/stacks/{name}',
    'PUT /api/v1/stacks/{name}/package',
    'PUT /api/v1/resources/{address}',
    'POST /api/v1/backup',
    'POST /api/v1/session/code',
  ])
    expect(roleOf(route), route).toBe('admin')
})
