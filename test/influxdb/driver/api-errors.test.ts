import { expect, test } from 'vitest'
import { answerError } from '../../../src/influxdb/driver/server/api-errors.js'

const request = { method: 'PATCH', path: '/api/v2/tasks/1?x=y', target: 'prod', url: 'http://db.test', now: 0 }
const errorOf = (status: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}) =>
  answerError({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, request)

test.each<[string, number, unknown, string]>([
  ['a missing resource', 404, { code: 'not found', message: 'task not found' }, 'influxdb/not-found'],
  ['a path that the API lacks', 404, { code: 'not found', message: '404 page not found' }, 'influxdb/no-api'],
  ['the page of a proxy', 404, '<html>', 'influxdb/no-api'],
  ['a conflict', 409, '', 'influxdb/conflict'],
  ['a label that exists', 422, { code: 'conflict', message: 'x' }, 'influxdb/conflict'],
  ['a mapping that exists', 422, { message: 'label already exists on resource' }, 'influxdb/conflict'],
  ['a refused body', 422, { code: 'unprocessable entity', message: 'x' }, 'influxdb/refused'],
  ['an unknown token', 401, { code: 'unauthorized', message: 'unauthorized access' }, 'influxdb/token-refused'],
  ['a lacking permission', 401, { message: 'write:orgs/1/tasks is unauthorized' }, 'influxdb/no-permission'],
  [
    'a lacking permission for a task',
    500,
    { code: 'internal error', message: 'unauthorized' },
    'influxdb/no-permission',
  ],
  [
    'a task that may not be read',
    404,
    { code: 'not found', message: 'failed to find task: unauthorized' },
    'influxdb/no-permission',
  ],
  ['too many requests', 429, '', 'influxdb/too-many-requests'],
  ['an overload', 503, '', 'influxdb/overloaded'],
  ['a fault', 500, '<html>', 'influxdb/server-error'],
  ['a redirect', 302, '', 'influxdb/redirected'],
])('%s', (_, status, body, code) => {
  expect(errorOf(status, body).code).toBe(code)
})

test('a pause is read from a number of seconds or a date', () => {
  expect(errorOf(503, '', { 'retry-after': '7' })).toMatchObject({ retryAfterMs: 7_000 })
  expect(errorOf(503, '', { 'retry-after': new Date(9_000).toUTCString() })).toMatchObject({ retryAfterMs: 9_000 })
})

test.each<[string, string, string, number, unknown]>([
  ['as the server does', 'write:buckets', '/api/v2/buckets', 401, { message: 'write:buckets is unauthorized' }],
  ['without the organisation', 'write:tasks', '/api/v2/x', 401, { message: 'write:orgs/1/tasks is unauthorized' }],
  ['with the resource', 'read:orgs/1', '/api/v2/orgs/1', 401, { message: 'read:orgs/1 is unauthorized' }],
  ['of a task', 'write:tasks', '/api/v2/tasks/1/labels', 500, { code: 'internal error', message: 'unauthorized' }],
  [
    'of secrets that hide the organisation',
    'read:orgs',
    '/api/v2/orgs/1/secrets',
    404,
    { code: 'not found', message: '404 page not found' },
  ],
])('a missing permission is named %s', (_, permission, path, status, body) => {
  const answer = { status, headers: {}, body: JSON.stringify(body) }
  expect(answerError(answer, { ...request, method: 'POST', path })).toMatchObject({
    code: 'influxdb/no-permission',
    message: `The token of target prod lacks the permission ${permission}.`,
    refusesAccess: true,
  })
})

test('names the request without its query', () => {
  expect(errorOf(422).message).toBe('InfluxDB refused PATCH /api/v2/tasks/1: status 422')
})

test('a message of the server is short, and printable', () => {
  const { message } = errorOf(422, { message: `bad \u001b[31m\u202e${'x'.repeat(10_000)}` })
  expect(message).toContain('bad \\u{1b}[31m\\u{202e}')
  expect(message.length).toBeLessThan(400)
})
