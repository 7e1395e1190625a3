// What InfluxDB refuses is refused before anything is written, and what it applies is applied: over InfluxDB's API,
// without a port.
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/model/json.js'
import { askWire, templates, type WireReply } from './wire-door.js'
import { never, useWorld } from '../influxdb/world.js'

const world = useWorld()

const doc = (kind: string, spec: object, name = 'thing'): string =>
  JSON.stringify({ apiVersion: 'influxdata.com/v2alpha1', kind, metadata: { name }, spec })
const texts = (documents: readonly string[]): readonly string[] => [documents.join('\n---\n')]
const look = (...documents: readonly string[]): Promise<WireReply> =>
  templates(world(), texts(documents), { dryRun: true })
const apply = (...documents: readonly string[]): Promise<WireReply> => templates(world(), texts(documents))

const chat = doc('NotificationEndpointSlack', { url: 'https://hooks.example.com/a' }, 'chat')
const query = 'from(bucket: "raw") |> filter(fn: (r) => r._field == "used")'
const check = { every: '1m', query, statusMessageTemplate: 'is ${ r._level }' }
const rule = { endpointName: 'chat', every: '10m', messageTemplate: 'm', statusRules: [{ currentLevel: 'CRIT' }] }
const bucket = (everySeconds: number): string =>
  doc('Bucket', { name: 'raw', retentionRules: [{ type: 'expire', everySeconds }] })

describe('a dry run and an apply are 422 and write nothing:', () => {
  const cases: Readonly<Record<string, readonly [documents: readonly string[], field: string, reason: RegExp]>> = {
    'retention that no client decodes': [[bucket(9_300_000_000)], 'everySeconds', /above 9223372036/],
    'retention beyond every whole number': [[bucket(1e308)], 'everySeconds', /above 9223372036/],
    'a Slack rule without a message': [
      [chat, doc('NotificationRule', { ...rule, messageTemplate: '' })],
      'messageTemplate',
      /needs one/,
    ],
    'a task that is not Flux': [
      [doc('Task', { every: '1h', query: 'from(bucket: "raw"' })],
      'query',
      /expected RPAREN/,
    ],
    'a check that is not Flux': [[doc('CheckDeadman', { ...check, query: '|> last(' })], 'query', /not valid Flux/],
    'a negative stale time': [[doc('CheckDeadman', { ...check, staleTime: '-1m' })], 'staleTime', /negative/],
    'an offset that is not below the interval': [
      [doc('CheckDeadman', { ...check, offset: '1m' })],
      'offset',
      /not below every/,
    ],
    'an offset of a rule that is not below its interval': [
      [chat, doc('NotificationRule', { ...rule, offset: '1h' })],
      'offset',
      /not below/,
    ],
    'a method that InfluxDB does not take': [
      [doc('NotificationEndpointHTTP', { url: 'https://example.com', method: 'PATCH', type: 'none' })],
      'method',
      /no method "PATCH"/,
    ],
  }
  test.each(Object.entries(cases))('%s', async (_what, [documents, field, reason]) => {
    for (const { status, body } of [await look(...documents), await apply(...documents)]) {
      expect([status, body.code]).toEqual([422, 'unprocessable entity'])
      expect(body.errors).toMatchObject([
        { fields: expect.arrayContaining([field]), reason: expect.stringMatching(reason) },
      ])
    }
    expect(await world().names()).toEqual([])
  })
})

describe('an apply is 201, as on InfluxDB, for', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    'a deadman check without a level': [doc('CheckDeadman', check)],
    'the system bucket _monitoring': [
      doc('Bucket', { name: '_monitoring', retentionRules: [{ type: 'expire', everySeconds: 3600 }] }),
    ],
    'a task whose offset is not below its interval': [doc('Task', { every: '1h', offset: '2h', query: 'a = 1' })],
    'an HTTP rule without a message': [
      doc('NotificationEndpointHTTP', { url: 'https://example.com', method: 'POST', type: 'none' }, 'chat'),
      doc('NotificationRule', { ...rule, messageTemplate: '' }),
    ],
    'a chart whose query is no Flux': [
      doc('Dashboard', {
        name: 'ops',
        charts: [{ kind: 'table', width: 1, height: 1, queries: [{ query: 'from(' }] }],
      }),
    ],
    'a variable whose query is no Flux': [doc('Variable', { type: 'query', language: 'flux', query: 'from(' })],
    'the longest retention': [bucket(9_223_372_036)],
  }
  test.each(Object.entries(cases))('%s', async (_what, documents) => {
    const { status, body } = await apply(...documents)
    expect([status, body.errors]).toEqual([201, undefined])
    const again = await templates(world(), texts(documents), { stackID: body.stackID, dryRun: true })
    expect(Object.values<any>(again.body.diff).flatMap((list) => list.filter(({ changed }: any) => changed))).toEqual(
      [],
    )
  })
})

test('a system bucket that is declared is neither changed nor removed', async () => {
  const buckets = async (): Promise<readonly { readonly id: string; readonly live: JsonObject }[]> => {
    const { items } = await world().ask.listResources({ limit: 100 }, never)
    return items.filter(({ family }) => family === 'Bucket').map(({ id, actual }) => ({ id, live: actual }))
  }
  await look(bucket(3600)) // the organisation has its buckets from now on
  const before = await buckets()
  const { id } = before.find(({ live }) => live['name'] === '_monitoring')!
  const red = doc('Label', { name: 'red' }, 'red')
  const mon = doc(
    'Bucket',
    { name: '_monitoring', description: 'ours', retentionRules: [{ type: 'expire', everySeconds: 3600 }] },
    'mon',
  )
  const { status, body } = await apply(mon, red)
  expect([status, body.summary.buckets]).toMatchObject([201, [{ templateMetaName: 'mon', name: '_monitoring', id }]])
  const dropped = await templates(world(), texts([red]), { stackID: body.stackID, allowDataLoss: false })
  expect([dropped.status, dropped.body.message]).toEqual([201, undefined])
  expect(await buckets()).toEqual(before)
})

describe('line ends of DOS in a query', () => {
  const text = 'from(bucket: "raw")\r\n  |> range(start: -1h)\r\n\r\n  |> last()'
  const ops = doc('Dashboard', {
    name: 'ops',
    charts: [{ kind: 'table', name: 'a', width: 1, height: 1, queries: [{ query: `\r\n${text}\r\n` }] }],
  })
  const hourly = doc('Task', { name: 'hourly', every: '1h', query: text })

  test('stay byte for byte in the diff, in the summary, on the target and in exports', async () => {
    const { status, body } = await apply(ops, hourly)
    expect(status).toBe(201)
    const again = await templates(world(), texts([ops, hourly]), { stackID: body.stackID, dryRun: true })
    for (const { new: desired, old, changed } of again.body.diff.dashboards) {
      expect(changed).toBe(false)
      for (const side of [desired, old]) expect(side.charts[0].properties.queries[0].text).toBe(text)
    }
    expect(again.body.diff.tasks).toMatchObject([{ changed: false, new: { query: text }, old: { query: text } }])
    expect(body.summary.dashboards[0].charts[0].properties.queries[0].text).toBe(text)
    const exported = await askWire(world(), 'POST', '/api/v2/templates/export', { stackID: body.stackID })
    const specs = exported.body.map(({ spec }: any) => spec)
    expect(specs).toMatchObject([{ query: text }, { charts: [{ queries: [{ query: text }] }] }])
    const reapplied = await templates(world(), [JSON.stringify(exported.body)], { stackID: body.stackID, dryRun: true })
    expect(
      [...reapplied.body.diff.dashboards, ...reapplied.body.diff.tasks].map(({ changed }: any) => changed),
    ).toEqual([false, false])
  })

  test('count as a change', async () => {
    const { body } = await apply(ops)
    const plain = await templates(world(), texts([ops.replaceAll('\\r', '')]), { stackID: body.stackID })
    expect([plain.status, plain.body.diff.dashboards]).toMatchObject([201, [{ changed: true }]])
  })
})

test('a rename to the name of something unmanaged is 422 in the dry run, at the name', async () => {
  const { body } = await apply(doc('Bucket', { name: 'raw' }), doc('Label', { name: 'red' }, 'red'))
  await world().ask.createResource('Bucket', { name: 'taken', retentionRules: [] }, {}, never)
  await world().ask.createResource('Label', { name: 'Blue', color: '' }, {}, never)
  const renamed = [doc('Bucket', { name: 'taken' }), doc('Label', { name: 'blue' }, 'red')]
  for (const dryRun of [true, false]) {
    const reply = await templates(world(), texts(renamed), { stackID: body.stackID, dryRun })
    expect([reply.status, reply.body.errors]).toMatchObject([
      422,
      [
        {
          kind: 'Bucket',
          fields: ['root', 'spec', 'name'],
          idxs: [0, null, null],
          reason: expect.stringContaining('the name "taken"'),
        },
        {
          kind: 'Label',
          fields: ['root', 'spec', 'name'],
          idxs: [1, null, null],
          reason: expect.stringContaining('the name "Blue"'),
        },
      ],
    ])
  }
  const free = await templates(
    world(),
    texts([doc('Bucket', { name: 'free' }), doc('Label', { name: 'RED' }, 'red')]),
    {
      stackID: body.stackID,
    },
  )
  expect([free.status, free.body.message]).toEqual([201, undefined])
})

test('an export that is applied again from another file appends no event', async () => {
  const { body } = await apply(doc('Bucket', { name: 'raw' }), doc('Label', { name: 'red' }, 'red'))
  const events = async (): Promise<unknown> =>
    (await askWire(world(), 'GET', `/api/v2/stacks/${body.stackID}`)).body.events
  const before = await events()
  const exported = await askWire(world(), 'POST', '/api/v2/templates/export', { stackID: body.stackID })
  const given = [{ sources: ['file:///tmp/export.yml'], contents: exported.body }]
  expect((await templates(world(), [], { templates: given, stackID: body.stackID })).status).toBe(201)
  expect(await events()).toEqual(before)
})
