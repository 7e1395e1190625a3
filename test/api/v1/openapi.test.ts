import { beforeAll, describe, expect, test } from 'vitest'
import { readDescription, type Schema } from '../hostile/description.js'
import { openDoor } from '../request-api.js'

let document: any
const operations = (): readonly (readonly [title: string, operation: any])[] =>
  Object.entries(document.paths as Schema).flatMap(([path, methods]) =>
    Object.entries(methods as Schema).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
  )

beforeAll(async () => {
  const metrics = { type: 'text/plain', print: async () => '', public: false }
  document = (await openDoor({}, { metrics, backups: {} as never }).request('GET', '/api/v1/openapi.json')).body
})

/** Functions of generated clients have these names: a changed one breaks programs. */
const names = {
  adoptResource: 'POST /api/v1/stacks/{name}/adopt',
  applyPlan: 'POST /api/v1/stacks/{name}/apply',
  approveMove: 'POST /api/v1/channels/moves/{move}/approve',
  approvePlan: 'POST /api/v1/stacks/{name}/approve',
  cancelRun: 'POST /api/v1/stacks/{name}/cancel',
  compareRuns: 'GET /api/v1/stacks/{name}/runs/{a}/compare/{b}',
  getRunEvents: 'GET /api/v1/stacks/{name}/runs/{run}/events',
  listCommits: 'GET /api/v1/channels/commits',
  listPromotionPlans: 'GET /api/v1/channels/promotion/plans',
  getConfiguration: 'GET /api/v1/configuration',
  createBackup: 'POST /api/v1/backup',
  createResource: 'POST /api/v1/resources',
  createStack: 'POST /api/v1/stacks',
  deleteResource: 'DELETE /api/v1/resources/{address}',
  deleteStack: 'DELETE /api/v1/stacks/{name}',
  discoverPackages: 'POST /api/v1/discover',
  explainResource: 'GET /api/v1/stacks/{name}/explain/resources/{address}',
  explainResources: 'GET /api/v1/stacks/{name}/explain/resources',
  explainStack: 'GET /api/v1/stacks/{name}/explain',
  exportPackage: 'POST /api/v1/export',
  getDiagnosis: 'GET /api/v1/doctor',
  getHealth: 'GET /healthz',
  getMatrix: 'GET /api/v1/overview/matrix',
  getMetrics: 'GET /metrics',
  getOverview: 'GET /api/v1/overview',
  getReadiness: 'GET /readyz',
  getResource: 'GET /api/v1/resources/{address}',
  getRun: 'GET /api/v1/stacks/{name}/runs/{run}',
  getStack: 'GET /api/v1/stacks/{name}',
  importStack: 'POST /api/v1/stacks/import',
  listAllRuns: 'GET /api/v1/runs',
  listChannels: 'GET /api/v1/channels',
  listDecisions: 'GET /api/v1/channels/decisions',
  listDeliveries: 'GET /api/v1/deliveries',
  listMessages: 'GET /api/v1/messages',
  listReceivers: 'GET /api/v1/receivers',
  redeliverMessage: 'POST /api/v1/messages/{message}/redeliver',
  testReceiver: 'POST /api/v1/receivers/{name}/test',
  listMoves: 'GET /api/v1/channels/moves',
  listResources: 'GET /api/v1/resources',
  listRuns: 'GET /api/v1/stacks/{name}/runs',
  listStackResources: 'GET /api/v1/stacks/{name}/resources',
  getDrift: 'GET /api/v1/stacks/{name}/drift',
  listStacks: 'GET /api/v1/stacks',
  getTarget: 'GET /api/v1/targets/{name}',
  listTargets: 'GET /api/v1/targets',
  listUnmanaged: 'GET /api/v1/targets/{name}/unmanaged',
  listWebhooks: 'GET /api/v1/webhooks',
  pinChannel: 'POST /api/v1/channels/pin',
  planFiles: 'POST /api/v1/stacks/{name}/plan-files',
  planImport: 'POST /api/v1/stacks/plan-import',
  planNewStack: 'POST /api/v1/stacks/plan-create',
  planSettings: 'POST /api/v1/stacks/{name}/plan-settings',
  planStack: 'POST /api/v1/stacks/{name}/plan',
  previewApproval: 'GET /api/v1/channels/moves/{move}/approve',
  previewPin: 'GET /api/v1/channels/pin',
  listDeletions: 'GET /api/v1/deleted-stacks',
  previewUnpin: 'GET /api/v1/channels/unpin',
  previewPromotion: 'GET /api/v1/channels/promotion',
  promoteTag: 'POST /api/v1/channels/promotion',
  pushPackage: 'PUT /api/v1/stacks/{name}/package',
  receiveDelivery: 'POST /hooks/{id}',
  redeliverDelivery: 'POST /api/v1/deliveries/{delivery}/redeliver',
  releaseResource: 'POST /api/v1/stacks/{name}/release',
  resumeStack: 'POST /api/v1/stacks/{name}/resume',
  runBulk: 'POST /api/v1/bulk',
  rollBackStack: 'POST /api/v1/stacks/{name}/rollback',
  suspendStack: 'POST /api/v1/stacks/{name}/suspend',
  syncStack: 'POST /api/v1/stacks/{name}/sync',
  syncStacks: 'POST /api/v1/sync',
  testTarget: 'POST /api/v1/targets/{name}/test',
  testWebhook: 'POST /api/v1/webhooks/{name}/test',
  uninstallStack: 'POST /api/v1/stacks/{name}/uninstall',
  unpinChannel: 'POST /api/v1/channels/unpin',
  unpinStack: 'POST /api/v1/stacks/{name}/unpin',
  updateResource: 'PUT /api/v1/resources/{address}',
  updateStack: 'PATCH /api/v1/stacks/{name}',
  previewVeto: 'GET /api/v1/channels/moves/{move}/veto',
  vetoMove: 'POST /api/v1/channels/moves/{move}/veto',
  waitForStack: 'POST /api/v1/stacks/{name}/wait',
  watchEvents: 'GET /api/v1/events',
}

test('operations keep their names', () => {
  const found = Object.fromEntries(operations().map(([title, { operationId }]) => [operationId, title]))
  expect(found).toMatchObject(names)
  expect(operations()).toHaveLength(Object.keys(found).length)
})

test('every operation has a name of a verb and a noun, a summary, a description and a described tag', () => {
  const described = (document.tags as readonly Schema[]).map(({ name }) => name)
  for (const [title, { operationId, summary, description, tags }] of operations()) {
    expect(operationId, title).toMatch(/^[a-z]+([A-Z][a-z]+)+$/)
    expect(summary, title).toMatch(/^[A-Z].*\.$/)
    expect(description, title).toMatch(/^.+\.$/)
    expect(description, title).not.toBe(summary)
    expect(described, title).toEqual(expect.arrayContaining(tags as unknown[]))
  }
})

test('a request needs the token, but not of a probe or a webhook', () => {
  expect(document.security).toEqual([{ token: [] }])
  expect(document.components.securitySchemes.token).toMatchObject({ type: 'http', scheme: 'bearer' })
  const open = operations().filter(([, { security }]) => security?.length === 0)
  expect(open.map(([, { operationId }]) => String(operationId)).sort()).toEqual([
    'getHealth',
    'getReadiness',
    'receiveDelivery',
  ])
})

/** A reference has the description of its component. */
function isDescribed({ description, $ref, anyOf = [], allOf = [] }: Schema): boolean {
  return description !== undefined || $ref !== undefined || [...anyOf, ...allOf].some(isDescribed)
}

/** The paths of properties without a description, in a schema or in what contains schemas. */
function undescribed(value: unknown, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties = {} } = value as Schema
  const own = Object.entries(properties as Schema).filter(([, schema]) => !isDescribed(schema))
  const below = Object.entries(value).filter(([key]) => key !== 'examples')
  return [
    ...own.map(([name]) => `${at}.${name}`),
    ...below.flatMap(([key, inner]) => undescribed(inner, key === 'properties' ? at : `${at}.${key}`)),
  ]
}

test('every property has a description', () => {
  expect(undescribed({ schema: { properties: { one: { type: 'string' } } } }, 'body')).toEqual(['body.schema.one'])
  expect(undescribed(document.components.schemas, 'schemas')).toEqual([])
  expect(undescribed(document.paths, 'paths')).toEqual([])
})

test('every parameter has a description', () => {
  const missing = operations().flatMap(([title, { parameters = [] }]) =>
    parameters
      .filter(({ description, schema }: Schema) => description === undefined && schema.description === undefined)
      .map(({ name }: Schema) => `${title} ${name}`),
  )
  expect(missing).toEqual([])
})

describe('schemas', () => {
  test('of bodies and answers have names', () => {
    const json = operations().flatMap(([title, { requestBody, responses }]) =>
      [requestBody, ...Object.values(responses)]
        .map((one) => one?.content?.['application/json']?.schema)
        .filter((schema) => schema !== undefined)
        .map((schema) => [title, schema] as const),
    )
    expect(json.length).toBeGreaterThan(70)
    expect(json.filter(([, schema]) => schema.$ref === undefined)).toEqual([])
  })

  test('exist', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([a-zA-Z]+)\/([^"]+)"/g)]
    expect(refs.length).toBeGreaterThan(200)
    for (const [, kind, name] of refs) expect(document.components[kind!]).toHaveProperty([name!])
  })

  test('have descriptions, and examples that are valid', () => {
    const description = readDescription(document)
    const schemas = Object.entries(document.components.schemas as Schema)
    expect(schemas.filter(([, { description }]) => description === undefined).map(([name]) => name)).toEqual([])
    const wrong = schemas
      .map(([name]) => [name, description.wrongExample(name)])
      .filter(([, problem]) => problem !== undefined)
    expect(Object.fromEntries(wrong)).toEqual({})
  })

  test('have no allOf for a reference with a description', () => {
    expect(JSON.stringify(document)).not.toContain('"allOf"')
    expect(document.components.schemas.RequestedSync.anyOf[0].properties.run).toEqual({
      $ref: '#/components/schemas/RunRow',
      description: 'The queued run.',
    })
  })

  test('of query parameters that are true or false are booleans', () => {
    const parameters = operations().flatMap(([, one]) => (one.parameters ?? []) as readonly Schema[])
    const flags = parameters.filter(({ name }) =>
      ['overrideWindow', 'suspended', 'wait', 'plans'].includes(name as string),
    )
    expect(flags.length).toBeGreaterThan(4)
    expect(flags.filter(({ schema }) => schema.type !== 'boolean' || 'enum' in schema)).toEqual([])
  })
})

test('the license has its SPDX identifier', () => {
  expect(document.info.license).toEqual({ name: 'Apache-2.0', identifier: 'Apache-2.0' })
})

test('a body is required if an empty one asks for nothing', () => {
  const optional = operations().filter(([, { requestBody }]) => requestBody?.required === false)
  expect(optional.map(([, { operationId }]) => String(operationId)).sort()).toEqual([
    'planFleet',
    'planStack',
    'syncStack',
    'syncStacks',
    'testWebhook',
    'unpinStack',
    'waitForStack',
  ])
})

/** With a second content type, openapi-fetch would type the answer as either of them. */
test('the answer of a sync of several stacks is JSON; its description names the schema of a streamed line', () => {
  const [, { description, responses }] = operations().find(([title]) => title === 'POST /api/v1/sync')!
  expect(responses[200].content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/SyncStacksAnswer' } },
  })
  expect(description).toContain('`RequestedSync`')
  const { items } = document.components.schemas.SyncStacksAnswer.properties
  expect(items.items).toEqual({ $ref: '#/components/schemas/RequestedSync' })
})

describe('errors of an operation', () => {
  const errorsOf = (title: string): readonly string[] => {
    const [, { responses }] = operations().find(([one]) => one === title)!
    return Object.keys(responses as object).filter((status) => Number(status) >= 400)
  }

  test.each([
    ['GET /api/v1/stacks', ['400', '401', '404', '421', '500', '503']],
    ['GET /api/v1/stacks/{name}', ['400', '401', '404', '421', '500', '503']],
    ['POST /api/v1/stacks', ['400', '401', '404', '409', '413', '415', '421', '422', '500', '503']],
    ['POST /api/v1/stacks/{name}/resume', ['400', '401', '404', '409', '412', '421', '423', '500', '503']],
  ])('%s are its own', (title, expected) => {
    expect(errorsOf(title)).toEqual(expected)
  })

  test('have the shape of all errors; 412 has the current stack or fleet, too', () => {
    for (const [name, { content }] of Object.entries(document.components.responses as Schema)) {
      const schema = name.endsWith('Changed') ? name : 'Error'
      expect(content['application/json'].schema).toEqual({ $ref: `#/components/schemas/${schema}` })
    }
    const { StackChanged, FleetChanged } = document.components.schemas
    expect(StackChanged.properties.current).toEqual({ $ref: '#/components/schemas/Stack' })
    expect(FleetChanged.properties.current).toEqual({ $ref: '#/components/schemas/Fleet' })
  })

  test('share one component, which names the request of the header X-Request-Id', () => {
    const { schemas, headers, responses } = document.components
    const reference = { $ref: '#/components/schemas/ErrorBody' }
    for (const name of ['Error', 'StackChanged', 'FleetChanged'])
      expect(schemas[name].properties.error).toEqual(reference)
    expect(schemas.RequestedSync.anyOf[1].properties.error).toMatchObject(reference)
    expect(schemas.ErrorBody.description).toContain('`code` is stable')
    expect(schemas.ErrorBody.properties).toHaveProperty('requestId')
    expect(headers.RequestId.description).toMatch(/id of the request/)
    for (const one of Object.values(responses as Schema))
      expect(one.headers['X-Request-Id']).toEqual({ $ref: '#/components/headers/RequestId' })
  })
})
