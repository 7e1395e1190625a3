// Answers of /api/v2 that say what to do to a client of that API, whatever it asked.
import { describe, expect, test } from 'vitest'
import { useEmbeddedWorld } from '../embedded-world.js'
import { openWire } from './wire.js'

const world = useEmbeddedWorld()
const id = '00000000000000aa'

describe('messages for clients of /api/v2:', () => {
  test.each([
    ['GET', '/api/v2/sources'],
    ['POST', '/api/v2/query'],
    ['GET', '/api/v2/stacks/x/y'],
    ['GET', '/api/v2'],
  ])('%s %s is 404 and says which paths exist', async (method, path) => {
    const { status, body } = await openWire(world()).request(method, path, method === 'POST' ? '{}' : undefined)
    expect([status, body]).toEqual([404, { code: 'not found', message: expect.stringContaining('influx apply') }])
    expect(JSON.stringify(body)).not.toContain('/api/v1')
  })

  test('a wrong token is 401 and says where to give the right one', async () => {
    const { status, body, headers } = await openWire(world()).request('GET', '/api/v2/orgs', undefined, {
      Authorization: 'Token wrong',
    })
    expect([status, body.code, body.message]).toEqual([401, 'unauthorized', expect.stringContaining('influx --token')])
    expect(headers.get('x-platform-error-code')).toBe('unauthorized')
  })

  test('a stack to export is found by its id only, not by a name that resembles one', async () => {
    await world().ask.createStack(world().spec(id, { sources: [{ kind: 'inline' }] }), 'ann')
    const headers = { 'Content-Type': 'application/json' }
    const { status, body } = await openWire(world()).request(
      'POST',
      '/api/v2/templates/export',
      { stackID: id },
      headers,
    )
    expect([status, body.message]).toEqual([404, `There is no stack with the id ${id}.`])
  })

  test('an action that is not known is named', async () => {
    const wire = openWire(world())
    const actions = [
      { action: 'skipKind', properties: { kind: 'Bucket' } },
      { action: 'dance', properties: {} },
    ]
    const { status, body } = await wire.request('POST', '/api/v2/templates/apply', {
      orgID: await wire.orgID(),
      dryRun: true,
      actions,
    })
    expect([status, body.message]).toEqual([
      400,
      'actions[1].action must be skipKind or skipResource, and not "dance".',
    ])
  })

  test('an unknown kind is refused with the same message on every route', async () => {
    const wire = openWire(world())
    const orgID = await wire.orgID()
    const { body: stack } = await wire.request('POST', '/api/v2/stacks', { orgID })
    const requests: readonly (readonly [method: string, path: string, body: object, where: string, status: number])[] =
      [
        [
          'POST',
          'templates/apply',
          { orgID, actions: [{ action: 'skipKind', properties: { kind: 'Foo' } }] },
          'actions[0].properties.kind',
          400,
        ],
        ['POST', 'templates/export', { resources: [{ kind: 'Foo', id }] }, 'resources[0].kind', 422],
        [
          'POST',
          'templates/export',
          { orgIDs: [{ orgID, resourceFilters: { byResourceKind: ['Foo'] } }] },
          'orgIDs[0].resourceFilters.byResourceKind[0]',
          422,
        ],
        [
          'PATCH',
          `stacks/${stack.id}`,
          { additionalResources: [{ kind: 'Foo', resourceID: id }] },
          'additionalResources[0].kind',
          422,
        ],
        [
          'PATCH',
          `stacks/${stack.id}`,
          { removeResources: [{ kind: 'Foo', resourceID: id }] },
          'removeResources[0].kind',
          422,
        ],
      ]
    for (const [method, path, sent, where, expected] of requests) {
      const { status, body } = await wire.request(method, `/api/v2/${path}`, sent, {
        'Content-Type': 'application/json',
      })
      const message = expect.stringMatching(
        /^There is no kind "Foo", in .*\. The kinds are: Bucket, Check, CheckDeadman, .*, Variable\.$/,
      )
      expect([status, body.message, body.message.includes(`in ${where}.`)]).toEqual([expected, message, true])
    }
  })

  test('a slash at the end of a path changes nothing', async () => {
    const wire = openWire(world())
    const orgID = await wire.orgID()
    const made = await wire.request('POST', '/api/v2/stacks/', { orgID, name: 'a' })
    expect(made.status).toBe(201)
    for (const path of [
      `/api/v2/stacks/?orgID=${orgID}`,
      `/api/v2/stacks/${made.body.id}/`,
      '/api/v2/orgs/',
      '/api/v2/setup/',
    ])
      expect([path, (await wire.request('GET', path)).status]).toEqual([path, 200])
    expect((await wire.request('PUT', '/api/v2/stacks/')).status).toBe(405)
    const exported = await wire.request(
      'POST',
      '/api/v2/templates/export/',
      { orgIDs: [{ orgID }] },
      { 'Content-Type': 'application/json' },
    )
    expect([exported.status, exported.body]).toEqual([200, []])
  })
})

describe('a body', () => {
  test.each([
    ['POST', '/api/v2/stacks'],
    ['POST', '/api/v2/templates/apply'],
    ['POST', '/api/v2/templates/export'],
    ['PATCH', `/api/v2/stacks/${id}`],
  ])('of %s %s is 400 if it is empty', async (method, path) => {
    const { status, body } = await openWire(world()).request(method, path, ' ', { 'Content-Type': 'application/json' })
    expect([status, body.code, body.message]).toEqual([400, 'invalid', expect.stringContaining('empty')])
  })

  test('that is declared as Jsonnet is 422, whatever its content', async () => {
    const wire = openWire(world())
    for (const sent of ['{ a: 1 }', { orgID: await wire.orgID(), dryRun: true, template: { contents: [] } }]) {
      const { status, body } = await wire.request('POST', '/api/v2/templates/apply', sent, {
        'Content-Type': 'application/x-jsonnet',
      })
      expect([status, body.code, body.message]).toEqual([
        422,
        'unprocessable entity',
        expect.stringContaining('invalid encoding'),
      ])
    }
  })
})

test('an export of a missing organisation is empty, with a warning', async () => {
  const wire = openWire(world())
  const type = { 'Content-Type': 'application/json' }
  const { status, body, headers } = await wire.request(
    'POST',
    '/api/v2/templates/export',
    { orgIDs: [{ orgID: id }] },
    type,
  )
  expect([status, body, headers.get('gitmoor-warnings')]).toEqual([
    200,
    [],
    expect.stringContaining(`no organization with the id ${id}`),
  ])
})

test('addresses of other schemes are refused when a stack is created and when it is changed', async () => {
  const wire = openWire(world())
  const orgID = await wire.orgID()
  const { body: stack } = await wire.request('POST', '/api/v2/stacks', { orgID, name: 'a' })
  for (const url of ['ftp://example.com/a.yml', 'file:///etc/passwd', 'FILE:a.yml']) {
    const made = await wire.request('POST', '/api/v2/stacks', { orgID, urls: [url] })
    const changed = await wire.request('PATCH', `/api/v2/stacks/${stack.id}`, { templateURLs: [url] })
    const older = await wire.request('PATCH', `/api/v2/stacks/${stack.id}`, { urls: [url] })
    for (const { status, body } of [made, changed, older]) expect([url, status, body]).toEqual([url, 400, made.body])
  }
  expect((await wire.request('GET', `/api/v2/stacks/${stack.id}`)).body).toMatchObject({ urls: [], events: [{}] })
})
