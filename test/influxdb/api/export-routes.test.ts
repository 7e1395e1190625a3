// POST /api/v2/templates/export: what each request asks of the verb, and each answer.
import { describe, expect, test } from 'vitest'
import { Refused } from '../../../src/model/errors.js'
import { readPackage } from '../../../src/package/package.js'
import { file } from '../read-texts.js'
import { sampleToken } from '../../api/request-api.js'
import { openTemplateDoor, sampleOrganisation } from './sample-templates.js'
import { sampleExport } from '../../api/sample-views.js'

const path = '/api/v2/templates/export'
const id = '0123456789abcdef'
const stackID = 'fedcba9876543210'
const exporting = { stackID }

describe('a request', () => {
  test.each<readonly [title: string, body: object, request: object]>([
    ['a stack', { stackID }, { stackID, targets: [], resources: [] }],
    ['an id in upper case', { stackID: stackID.toUpperCase() }, { stackID, targets: [], resources: [] }],
    [
      'a resource by id, by name and both',
      {
        resources: [
          { kind: 'Bucket', id },
          { kind: 'Task', name: 'x' },
          { kind: 'Label', id, name: 'y' },
        ],
      },
      {
        targets: [],
        resources: [
          { kind: 'Bucket', id },
          { kind: 'Task', name: 'x' },
          { kind: 'Label', id, name: 'y' },
        ],
      },
    ],
    [
      'an organisation',
      { orgIDs: [{ orgID: sampleOrganisation.id }] },
      {
        targets: [{ target: sampleOrganisation.target, labels: [], kinds: [] }],
        resources: [],
      },
    ],
    [
      'an organisation with filters',
      { orgIDs: [{ orgID: sampleOrganisation.id, resourceFilters: { byLabel: ['a'], byResourceKind: ['Task'] } }] },
      {
        targets: [{ target: sampleOrganisation.target, labels: ['a'], kinds: ['Task'] }],
        resources: [],
      },
    ],
    [
      'nulls and unknown fields',
      { stackID, orgIDs: null, resources: null, more: 1 },
      { stackID, targets: [], resources: [] },
    ],
  ])('for %s is passed on', async (_, body, request) => {
    const door = openTemplateDoor()
    expect((await door.request('POST', path, body)).status).toBe(200)
    expect(door.calls.filter(({ verb }) => verb === 'exportPackage')).toEqual([
      { verb: 'exportPackage', args: [request] },
    ])
  })

  test('in YAML is read, too', async () => {
    const door = openTemplateDoor()
    const { status } = await door.request('POST', path, `stackID: ${stackID}\n`, {
      'Content-Type': 'application/x-yaml',
    })
    expect(status).toBe(200)
    expect(door.calls).toMatchObject([{ verb: 'exportPackage', args: [{ stackID }] }])
  })
})

describe('an answer', () => {
  const text = async (accept: string): Promise<{ readonly headers: Headers; readonly text: string }> => {
    const headers = { Authorization: `Token ${sampleToken}`, 'Content-Type': 'application/json', Accept: accept }
    const answer = await openTemplateDoor().api.request(path, {
      method: 'POST',
      headers,
      body: JSON.stringify(exporting),
    })
    return { headers: answer.headers, text: await answer.text() }
  }

  test.each(['application/json', '*/*', ''])('for Accept %j is JSON, indented with tabs', async (accept) => {
    const { headers, text: body } = await text(accept)
    expect(headers.get('content-type')).toContain('application/json')
    expect(body.startsWith('[\n\t{\n\t\t"apiVersion"')).toBe(true)
    expect(JSON.parse(body)).toEqual(sampleExport.documents)
  })

  test.each(['text/yml', 'application/x-yaml', 'application/json;q=0.1, application/x-yaml'])(
    'for Accept %j is YAML of several documents',
    async (accept) => {
      const { headers, text: body } = await text(accept)
      expect(headers.get('content-type')).toContain('application/x-yaml')
      expect(readPackage([file('a.yml', body)]).value.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
        'Label/red',
        'Bucket/raw',
      ])
      expect(body.startsWith('# warning: Bucket/old of boards')).toBe(true)
    },
  )

  test('has warnings in a header of plain characters', async () => {
    const problems = [
      { severity: 'warning', code: 'stacks/export-gone', message: 'Bucket "Gr\u00fcn\r\nX: y" is gone.' },
    ] as const
    const { headers, body } = await openTemplateDoor({
      exportPackage: async () => ({ documents: [], problems }),
    }).request('POST', path, exporting)
    expect(body).toEqual([])
    expect(headers.get('gitmoor-warnings')).toBe('Bucket "Gr\\u00fcn\\u000d\\u000aX: y" is gone.')
  })
})

describe('is refused:', () => {
  test.each<readonly [title: string, status: number, code: string, body: unknown]>([
    ['a body that is no JSON', 400, 'invalid', '{'],
    ['a list', 400, 'invalid', []],
    ['a field of another type', 400, 'invalid', { resources: {} }],
    ['a malformed organisation', 400, 'invalid', { orgIDs: [{ orgID: 'x' }] }],
    ['no organisation id', 400, 'invalid', { orgIDs: [{}] }],
    ['a malformed stack', 400, 'invalid', { stackID: '12' }],
    ['a malformed resource', 400, 'invalid', { resources: [{ kind: 'Bucket', id: '0'.repeat(16) }] }],
  ])('%s', async (_, status, code, body) => {
    const door = openTemplateDoor()
    const answer = await door.request('POST', path, body)
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code })
    expect(door.calls.filter(({ verb }) => verb === 'exportPackage')).toEqual([])
  })

  test.each([undefined, 'text/plain', 'application/x-jsonnet', 'application/jsonp'])(
    'the content type %s',
    async (type) => {
      const headers = { Authorization: `Token ${sampleToken}`, ...(type === undefined ? {} : { 'Content-Type': type }) }
      const answer = await openTemplateDoor().api.request(path, {
        method: 'POST',
        headers,
        body: Buffer.from(JSON.stringify(exporting)),
      })
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({
        status: 415,
        body: { code: 'invalid' },
      })
    },
  )

  test.each([
    ['usage', 422, 'unprocessable entity'],
    ['not-found', 404, 'not found'],
  ] as const)('what the verb refuses as %s', async (refused, status, code) => {
    const door = openTemplateDoor({
      exportPackage: () => Promise.reject(new Refused(refused, 'It cannot be.', { hint: 'Do this.' })),
    })
    const answer = await door.request('POST', path, exporting)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: { code, message: 'It cannot be. Do this.' },
    })
  })
})
