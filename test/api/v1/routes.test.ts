import type { z } from '@hono/zod-openapi'
import { describe, expect, test } from 'vitest'
import {
  channelSchema,
  decisionSchema,
  moveSchema,
  promotedSchema,
  promotionSchema,
} from '../../../src/views/channel.js'
import { page } from '../../../src/views/page.js'
import { discoverySchema } from '../../../src/views/discovery.js'
import { exportSchema } from '../../../src/views/export.js'
import { planSchema } from '../../../src/views/plan.js'
import { resourceSchema } from '../../../src/views/resource.js'
import { runRowSchema, runSchema } from '../../../src/views/run.js'
import { diagnosisSchema } from '../../../src/views/diagnosis.js'
import { explainedResourceSchema, explanationSchema, resourceDetailSchema } from '../../../src/views/explanation.js'
import { stackRowSchema, stackSchema } from '../../../src/views/stack.js'
import { openDoor } from '../request-api.js'
import { sampleDigest, sampleRevision, sampleRun } from '../sample-views.js'

interface Case {
  readonly route: string
  readonly body?: unknown
  readonly schema?: z.ZodType
  readonly verb: string
  readonly args: readonly unknown[]
  readonly status?: number
}

const stack = '/api/v1/stacks/boards'
const document = { name: 'boards', sources: [{ url: 'https://git.example/boards', ref: 'stable' }], interval: '30s' }

const cases: Readonly<Record<string, Case>> = {
  'stacks are listed': {
    route: 'GET /api/v1/stacks?limit=7&after=a',
    schema: page(stackRowSchema),
    verb: 'listStacks',
    args: [{ limit: 7, after: 'a' }],
  },
  'stacks are chosen and sorted': {
    route: 'GET /api/v1/stacks?sort=-lastRun&name=team&suspended=false&needs=person&health=Degraded',
    schema: page(stackRowSchema),
    verb: 'listStacks',
    args: [{ limit: 100, sort: '-lastRun', name: 'team', suspended: false, needs: 'person', health: 'Degraded' }],
  },
  'a stack is made of its document': {
    route: 'POST /api/v1/stacks',
    body: document,
    status: 201,
    verb: 'createStack',
    args: [expect.objectContaining({ name: 'boards', intervalMs: 30_000, maxDeletes: 10 }), 'ann'],
  },
  'a stack is shown': { route: `GET ${stack}`, schema: stackSchema, verb: 'getStack', args: ['boards'] },
  'settings are changed': {
    route: `PATCH ${stack}`,
    body: { source: { ref: 'beta' }, interval: '1m' },
    verb: 'updateStack',
    args: ['boards', { source: { ref: 'beta' }, intervalMs: 60_000 }, 'ann'],
  },
  'a stack is forgotten': { route: `DELETE ${stack}`, verb: 'deleteStack', args: ['boards', { by: 'ann' }] },
  'a stack is uninstalled by the digest of a plan': {
    route: `DELETE ${stack}?uninstall=${sampleDigest}`,
    verb: 'deleteStack',
    args: ['boards', { by: 'ann', uninstall: sampleDigest }],
  },
  'a plan is made': { route: `POST ${stack}/plan`, schema: planSchema, verb: 'previewPlan', args: ['boards', {}] },
  'a plan is made of another ref': {
    route: `POST ${stack}/plan`,
    body: { ref: 'beta' },
    schema: planSchema,
    verb: 'previewPlan',
    args: ['boards', { ref: 'beta' }],
  },
  'a written plan is applied': {
    route: `POST ${stack}/apply`,
    body: { revision: sampleRevision, digest: sampleDigest },
    schema: runRowSchema,
    verb: 'applyPlan',
    args: [{ stack: 'boards', revision: sampleRevision, digest: sampleDigest }, 'ann'],
  },
  'a held plan is approved by 12 digits': {
    route: `POST ${stack}/approve`,
    body: { digest: sampleDigest.slice(0, 12) },
    schema: runRowSchema,
    verb: 'approvePlan',
    args: ['boards', sampleDigest.slice(0, 12), 'ann'],
  },
  'a run is cancelled': {
    route: `POST ${stack}/cancel`,
    schema: stackSchema,
    verb: 'cancelRun',
    args: ['boards', 'ann'],
  },
  'a sync is asked for': {
    route: `POST ${stack}/sync`,
    schema: runRowSchema,
    verb: 'requestSync',
    args: ['boards', 'ann'],
  },
  'a revision is waited for': {
    route: `POST ${stack}/wait`,
    body: { revision: '2f1c9ab', timeoutMs: 1000 },
    schema: stackSchema,
    verb: 'waitForStack',
    args: ['boards', { revision: '2f1c9ab', timeoutMs: 1000 }],
  },
  'a run is rolled back to': {
    route: `POST ${stack}/rollback`,
    body: { run: '12', why: 'bad chart' },
    schema: runRowSchema,
    verb: 'rollBack',
    args: ['boards', '12', 'bad chart', 'ann'],
  },
  'a roll back is ended': { route: `POST ${stack}/unpin`, verb: 'unpinStack', args: ['boards', 'ann'] },
  'a stack is suspended': {
    route: `POST ${stack}/suspend`,
    body: { reason: 'moving', forMs: 5000 },
    schema: stackSchema,
    verb: 'suspendStack',
    args: ['boards', 'moving', 5000, 'ann'],
  },
  'a stack is resumed': {
    route: `POST ${stack}/resume`,
    schema: stackSchema,
    verb: 'resumeStack',
    args: ['boards', 'ann'],
  },
  'the history is paged': {
    route: `GET ${stack}/runs`,
    schema: page(runRowSchema),
    verb: 'listRuns',
    args: ['boards', { limit: 100 }],
  },
  'a run is shown': { route: `GET ${stack}/runs/12`, schema: runSchema, verb: 'getRun', args: ['boards', '12'] },
  'the doctor is asked': { route: 'GET /api/v1/doctor', schema: diagnosisSchema, verb: 'diagnose', args: [] },
  'all that a stack owns is explained': {
    route: `GET ${stack}/explain/resources?limit=5`,
    schema: page(explainedResourceSchema),
    verb: 'explainResources',
    args: ['boards', { limit: 5 }],
  },
  'one thing is explained': {
    route: `GET ${stack}/explain/resource?address=Dashboard/ops`,
    schema: resourceDetailSchema,
    verb: 'explainResource',
    args: ['boards', 'Dashboard/ops'],
  },
  'a stack is explained': {
    route: `GET ${stack}/explain`,
    schema: explanationSchema,
    verb: 'explainStack',
    args: ['boards'],
  },
  'channels are listed': {
    route: 'GET /api/v1/channels',
    schema: page(channelSchema),
    verb: 'listChannels',
    args: [{ limit: 100 }],
  },
  'moves of a channel are listed': {
    route: `GET /api/v1/channels/moves?channel=${encodeURIComponent('https://git.example/boards#stable')}`,
    schema: page(moveSchema),
    verb: 'listMoves',
    args: ['https://git.example/boards#stable', { limit: 100 }],
  },
  'decisions about a channel are listed': {
    route: 'GET /api/v1/channels/decisions?channel=stable&limit=5',
    schema: page(decisionSchema),
    verb: 'listDecisions',
    args: ['stable', { limit: 5 }],
  },
  'a move is vetoed': {
    route: 'POST /api/v1/channels/moves/3/veto',
    body: { why: 'it is wrong' },
    schema: moveSchema,
    verb: 'vetoMove',
    args: ['3', { why: 'it is wrong', by: 'ann' }],
  },
  'a move is approved': {
    route: 'POST /api/v1/channels/moves/3/approve',
    body: { why: 'it is right' },
    schema: moveSchema,
    verb: 'approveMove',
    args: ['3', { why: 'it is right', by: 'ann' }],
  },
  'a channel is pinned': {
    route: 'POST /api/v1/channels/pin',
    body: { channel: 'stable', at: '3', why: 'the audit' },
    schema: channelSchema,
    verb: 'pinChannel',
    args: ['stable', { why: 'the audit', by: 'ann', at: '3' }],
  },
  'a channel is unpinned': {
    route: 'POST /api/v1/channels/unpin',
    body: { channel: 'stable' },
    schema: channelSchema,
    verb: 'unpinChannel',
    args: ['stable', { why: '', by: 'ann' }],
  },
  'a promotion is shown': {
    route: 'GET /api/v1/channels/promotion?from=beta&to=stable',
    schema: promotionSchema,
    verb: 'previewPromotion',
    args: [{ from: 'beta', to: 'stable' }],
  },
  'a tag is promoted': {
    route: 'POST /api/v1/channels/promotion',
    body: { from: 'beta', to: 'stable', why: 'a week', expects: { commit: 'a'.repeat(40), object: null } },
    schema: promotedSchema,
    verb: 'promoteTag',
    args: [
      { from: 'beta', to: 'stable' },
      { why: 'a week', by: 'ann', expects: { commit: 'a'.repeat(40), object: null } },
    ],
  },
  'things on a target are listed': {
    route: 'GET /api/v1/resources?target=local&stack=boards',
    schema: page(resourceSchema),
    verb: 'listResources',
    args: [{ limit: 100, target: 'local', stack: 'boards' }],
  },
  'a repository is looked through': {
    route: 'POST /api/v1/discover',
    body: { url: 'https://git.example/boards', path: './team/', prefix: 'team-' },
    schema: discoverySchema,
    verb: 'discoverPackages',
    args: [{ url: 'https://git.example/boards', ref: 'HEAD', path: 'team', prefix: 'team-' }],
  },
  'things are exported': {
    route: 'POST /api/v1/export',
    body: {
      stack: 'boards',
      resources: [{ kind: 'Bucket', id: 'a1' }],
      targets: [{ target: 'local', kinds: ['Task'] }],
      withVariables: true,
    },
    schema: exportSchema,
    verb: 'exportPackage',
    args: [
      {
        stack: 'boards',
        resources: [{ kind: 'Bucket', id: 'a1' }],
        targets: [{ target: 'local', kinds: ['Task'] }],
        withVariables: true,
      },
    ],
  },
  'a thing is made': {
    route: 'POST /api/v1/resources?target=local',
    body: { family: 'Bucket', desired: { name: 'mine' } },
    schema: resourceSchema,
    status: 201,
    verb: 'createResource',
    args: ['Bucket', { name: 'mine' }, { target: 'local', by: 'ann' }],
  },
  'a thing is shown': {
    route: 'GET /api/v1/resource?which=Bucket/raw',
    schema: resourceSchema,
    verb: 'getResource',
    args: ['Bucket/raw', {}],
  },
  'a thing is written': {
    route: 'PUT /api/v1/resource?which=Bucket/raw&stack=boards',
    body: { desired: { name: 'broken' } },
    schema: resourceSchema,
    verb: 'editResource',
    args: ['Bucket/raw', { name: 'broken' }, { stack: 'boards', by: 'ann' }],
  },
  'a closed window is overridden': {
    route: 'POST /api/v1/stacks/boards/sync',
    body: { overrideWindow: true, why: 'INC-7' },
    schema: runRowSchema,
    verb: 'requestSync',
    args: ['boards', 'ann', { overrideWindow: 'INC-7' }],
  },
  'a closed window is overridden for a thing that is removed': {
    route: 'DELETE /api/v1/resource?which=Bucket/raw&overrideWindow=true&why=INC-7',
    verb: 'deleteResource',
    args: ['Bucket/raw', { overrideWindow: 'INC-7', by: 'ann' }],
  },
  'a thing is removed with consent': {
    route: 'DELETE /api/v1/resource?which=Bucket/raw&consent=Bucket/raw',
    verb: 'deleteResource',
    args: ['Bucket/raw', { consent: 'Bucket/raw', by: 'ann' }],
  },
  'a thing is removed': {
    route: 'DELETE /api/v1/resource?which=Bucket/raw',
    verb: 'deleteResource',
    args: ['Bucket/raw', { by: 'ann' }],
  },
}

describe('a route asks one verb and answers in its schema:', () => {
  test.each(Object.entries(cases))('%s', async (_, { route, body, schema, verb, args, status = 200 }) => {
    const door = openDoor()
    const [method = '', path = ''] = route.split(' ')
    const answer = await door.request(method, path, body, { 'X-Gitmoor-By': 'ann' })
    expect(answer.body).not.toHaveProperty('error')
    expect(answer.status).toBe(status)
    expect(door.asked).toEqual([{ verb, args }])
    if (schema !== undefined) expect(schema.parse(answer.body)).toEqual(answer.body)
  })

  test('composed answers hold views', async () => {
    const door = openDoor()
    const made = await door.request('POST', '/api/v1/stacks', document)
    expect(stackSchema.parse(made.body.stack)).toEqual(made.body.stack)
    const set = await door.request('PATCH', stack, { maxDeletes: 3 })
    expect(planSchema.parse(set.body.plan)).toEqual(set.body.plan)
    const gone = await door.request('DELETE', `${stack}?uninstall=${sampleDigest}`)
    expect(runSchema.parse(gone.body.run)).toEqual(gone.body.run)
  })
})

test('a long poll hands its waiting and a signal to the verb', async () => {
  const given: unknown[] = []
  const door = openDoor({
    getRun: async (_, __, wait) => {
      given.push(wait)
      return sampleRun
    },
  })
  await door.request('GET', `${stack}/runs/12?waitMs=50&phase=queued`)
  expect(given).toEqual([{ waitMs: 50, phase: 'queued', signal: expect.any(AbortSignal) }])
})

test('every route but those that InfluxDB describes is described, with its answer and the shape of errors', async () => {
  const door = openDoor()
  const { body } = await door.request('GET', '/api/v1/openapi.json')
  expect(body.openapi).toBe('3.1.0')
  const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const routed = door.api.routes
    .filter((route) => route.method !== 'ALL')
    .map((route) => `${route.method} ${route.path}`)
  expect(described.sort()).toEqual(
    routed.filter((route) => !/openapi| \/(?:api\/v2\/.*|ping|health)$/.test(route)).sort(),
  )
  expect(body.components.schemas).toMatchObject({ Stack: {}, Plan: {}, Run: {}, Error: {} })
  for (const operation of operationsOf(body))
    expect(Object.keys(operation.responses)).toContain(
      operation.security === undefined || '202' in operation.responses ? 'default' : '200',
    )
})

function operationsOf(document: any): readonly any[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods as object))
}

test('every $ref of the description leads somewhere', async () => {
  const { body } = await openDoor().request('GET', '/api/v1/openapi.json')
  const refs = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1]!,
  )
  expect(refs.length).toBeGreaterThan(20)
  for (const ref of refs) expect(body.components.schemas).toHaveProperty(ref)
})
