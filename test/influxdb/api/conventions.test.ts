// The conventions of /api/v2, and the first requests of InfluxDB clients.
import { describe, expect, test } from 'vitest'
import { Rejected, Refused, Unavailable, type RefusedStatus } from '../../../src/model/errors.js'
import { WireRefusal, wireStatus, type WireCode } from '../../../src/influxdb/api/wire-error.js'
import { sampleToken } from '../../api/request-api.js'
import { openTemplateDoor } from './sample-templates.js'

const orgs = '/api/v2/orgs'

describe('requests need the token:', () => {
  test.each(['Token', 'Bearer', 'token'])('the scheme %s is accepted', async (scheme) => {
    expect(
      (await openTemplateDoor().request('GET', orgs, undefined, { Authorization: `${scheme} ${sampleToken}` })).status,
    ).toBe(200)
  })

  test.each(['', 'Token wrong', `Basic ${sampleToken}`])('%j is unauthorized', async (header) => {
    const door = openTemplateDoor()
    const { status, headers, body } = await door.request('GET', orgs, undefined, { Authorization: header })
    expect({ status, code: body.code, header: headers.get('x-platform-error-code') }).toEqual({
      status: 401,
      code: 'unauthorized',
      header: 'unauthorized',
    })
    expect(Object.keys(body)).toEqual(['code', 'message'])
    expect(door.calls).toEqual([])
  })

  test('an unknown Host is refused in the same shape', async () => {
    const { status, body } = await openTemplateDoor().request('GET', orgs, undefined, { Host: 'evil.example' })
    expect(status).toBe(421)
    expect(body.code).toBe('forbidden')
  })
})

describe('errors have the shape of InfluxDB:', () => {
  const thrown = (error: Error) =>
    openTemplateDoor({
      listOrganisations: async () => {
        throw error
      },
    }).request('GET', orgs)

  test.each(Object.entries(wireStatus) as [WireCode, number][])('%s is %i', async (code, http) => {
    const { status, headers, body } = await thrown(new WireRefusal(code, 'So it is.'))
    expect(status).toBe(http)
    expect(headers.get('x-platform-error-code')).toBe(code)
    expect(body).toEqual({ code, message: 'So it is.' })
  })

  const statuses: readonly (readonly [RefusedStatus, WireCode])[] = [
    ['usage', 'invalid'],
    ['not-found', 'not found'],
    ['conflict', 'conflict'],
    ['needs-approval', 'conflict'],
    ['stale', 'conflict'],
    ['locked', 'conflict'],
    ['cancelled', 'conflict'],
    ['source', 'unprocessable entity'],
    ['failed', 'internal error'],
    ['target', 'internal error'],
    ['timeout', 'unavailable'],
  ]
  test.each(statuses)('a refusal %s is %s', async (refused, code) => {
    const { status, body } = await thrown(new Refused(refused, 'It cannot be.', { hint: 'Try another.' }))
    expect(status).toBe(wireStatus[code])
    expect(body).toEqual({ code, message: 'It cannot be. Try another.' })
  })

  test.each([
    [new Rejected('The file is not there.', { code: 'source/not-found' }), 422, 'unprocessable entity'],
    [new Unavailable('The target is busy.', { code: 'platform/busy' }), 500, 'internal error'],
    [new Error('a secret detail'), 500, 'internal error'],
  ])('%s is %i', async (error, http, code) => {
    const { status, body } = await thrown(error)
    expect(status).toBe(http)
    expect(body.code).toBe(code)
    expect(body.message).not.toContain('secret detail')
  })

  test('an unknown path is not found, a wrong method not allowed', async () => {
    const unknown = await openTemplateDoor().request('GET', '/api/v2/nowhere')
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not found' } })
    const wrong = await openTemplateDoor().request('PUT', orgs)
    expect(wrong).toMatchObject({ status: 405, body: { code: 'method not allowed' } })
    expect(wrong.headers.get('allow')).toBe('GET')
  })

  test.each([
    ['/api/v2/templates/apply', { packageBytes: 1_000 }],
    ['/api/v2/templates/apply/', { packageBytes: 1_000 }],
    ['/api/v2/templates/export', { bytes: 1_000 }],
    ['/api/v2/nowhere', { bytes: 1_000 }],
  ])('a body for %s that is too large is refused', async (path, bodies) => {
    const answer = await openTemplateDoor({}, { bodies }).request('POST', path, 'x'.repeat(1_001))
    expect(answer).toMatchObject({ status: 413, body: { code: 'request too large' } })
  })
})

describe('requests that InfluxDB clients send first:', () => {
  const stranger = { Authorization: '' }

  test('ping, without token', async () => {
    const { status, headers } = await openTemplateDoor().request('GET', '/ping', undefined, stranger)
    expect(status).toBe(204)
    expect(headers.get('x-influxdb-version')).toBe('gitmoor-0.0.0-test')
    expect(headers.get('x-influxdb-build')).toBe('OSS')
    expect((await openTemplateDoor().request('HEAD', '/ping', undefined, stranger)).status).toBe(204)
  })

  test('health, without token', async () => {
    const { status, body } = await openTemplateDoor().request('GET', '/health', undefined, stranger)
    expect(status).toBe(200)
    expect(body).toEqual({
      name: 'gitmoor',
      message: 'ready for packages and stacks',
      checks: [],
      status: 'pass',
      version: '0.0.0-test',
      commit: 'none',
    })
    const ill = openTemplateDoor({ readiness: async () => ({ ready: false, reason: 'the database does not answer' }) })
    expect(await ill.request('GET', '/health', undefined, stranger)).toMatchObject({
      status: 503,
      body: { status: 'fail', message: 'the database does not answer' },
    })
  })

  test('setup, without token', async () => {
    expect(await openTemplateDoor().request('GET', '/api/v2/setup', undefined, stranger)).toMatchObject({
      status: 200,
      body: { allowed: false },
    })
  })

  test.each(['', '?org=embedded', '?orgID=00c0ffee00c0ffee', '?orgID=00C0FFEE00C0FFEE&limit=20'])(
    'organisations%s',
    async (query) => {
      const { status, body } = await openTemplateDoor().request('GET', orgs + query)
      expect(status).toBe(200)
      expect(body.orgs).toMatchObject([{ id: '00c0ffee00c0ffee', name: 'embedded' }])
    },
  )

  test.each([
    [`${orgs}?org=nobody`, 404, 'not found'],
    [`${orgs}?orgID=00c0ffee00c0ffef`, 404, 'not found'],
    [`${orgs}?orgID=0000000000000000`, 400, 'invalid'],
    [`${orgs}?orgID=c0ffee`, 400, 'invalid'],
    [`${orgs}/00c0ffee00c0ffef`, 404, 'not found'],
    [`${orgs}/zzzzzzzzzzzzzzzz`, 400, 'invalid'],
  ])('%s is %i', async (path, status, code) => {
    expect(await openTemplateDoor().request('GET', path)).toMatchObject({ status, body: { code } })
  })

  test('one organisation', async () => {
    expect(await openTemplateDoor().request('GET', `${orgs}/00c0ffee00c0ffee`)).toMatchObject({
      status: 200,
      body: { name: 'embedded' },
    })
  })
})
