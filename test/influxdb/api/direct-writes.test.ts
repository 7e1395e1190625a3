// Clients of InfluxDB's API change resources themselves, if the target permits it: in InfluxDB's form, as events, and
// the next drift check reports it.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Event } from '../../../src/model/stacks/event.js'
import { bucket, yaml } from '../packages.js'
import { attackSeed, attackShare } from '../../attack/scale.js'
import { claim } from '../../claim.js'
import { seeded } from '../../package/seeded.js'
import { useEmbeddedWorld } from '../embedded-world.js'
import { openWire, type Wire } from './wire.js'

const settings = { organisation: 'main', directWrites: true }
const world = useEmbeddedWorld({
  changed: {
    targets: {
      local: { platform: 'embedded', settings },
      other: { platform: 'embedded', settings: { organisation: 'other' } },
    },
  },
})
let wire: Wire
let orgID: string
let events: Event[]

beforeEach(async () => {
  wire = openWire(world())
  orgID = await wire.orgID()
  events = []
  world().agent.events.subscribe(undefined, ({ event }) => events.push(event))
})

async function ask(method: string, path: string, body?: unknown, status = 200): Promise<any> {
  const answer = await wire.request(method, `/api/v2/${path}`, body)
  expect([answer.status, answer.body], `${method} ${path}`).toEqual([status, answer.body])
  return answer.body
}
const post = (path: string, body: object): Promise<any> => ask('POST', path, { orgID, ...body }, 201)
const changes = (): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'target.changed' ? [`${event.target} ${event.operation} ${event.resource.family}`] : [],
  )

const query = { text: 'from(bucket: "raw") |> range(start: -1m) |> filter(fn: (r) => r._field == "u")' }
const check = {
  name: 'Busy',
  type: 'threshold',
  every: '1m',
  query,
  statusMessageTemplate: 'm',
  status: 'active',
  thresholds: [{ type: 'range', level: 'CRIT', min: 1, max: 2, within: true }],
}
const deadman = { ...check, type: 'deadman', level: 'WARN', timeSince: '90s', thresholds: undefined }
const hook = { type: 'http', name: 'Hook', url: 'https://example.com/', method: 'POST', authMethod: 'none' }
const flux = 'import "math"\n\noption task = {name: "Roll up", every: 1h, offset: 5m}\n\nfrom(bucket: "raw")'

describe('is created, changed and removed:', () => {
  test.each<[string, object, object, object, object]>([
    [
      'buckets',
      { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 3_600 }] },
      { name: 'raw', type: 'user', retentionRules: [{ everySeconds: 3_600, shardGroupDurationSeconds: 3_600 }] },
      { description: 'd', retentionRules: [] },
      { name: 'raw', description: 'd', retentionRules: [{ everySeconds: 3_600 }] },
    ],
    [
      'buckets',
      { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 3_600 }] },
      {},
      { retentionRules: [{ type: 'expire', everySeconds: 0 }] },
      { retentionRules: [{ everySeconds: 0, shardGroupDurationSeconds: 604_800 }] },
    ],
    [
      'variables',
      { name: 'region', arguments: { type: 'map', values: { a: '1' } }, selected: [] },
      { arguments: { type: 'map', values: { a: '1' } } },
      { arguments: { type: 'constant', values: ['x'] }, selected: ['x'] },
      { name: 'region', arguments: { type: 'constant', values: ['x'] }, selected: ['x'] },
    ],
    [
      'checks',
      check,
      { name: 'Busy', type: 'threshold' },
      { status: 'inactive' },
      { ...check, every: '1m0s', query, status: 'inactive' },
    ],
    [
      'notificationEndpoints',
      hook,
      { ...hook, status: 'active', token: '' },
      { name: 'New' },
      { ...hook, name: 'New' },
    ],
    [
      'tasks',
      { flux, description: 'd' },
      { name: 'Roll up', every: '1h0m0s', offset: '5m', status: 'active', org: 'main', description: 'd' },
      { status: 'inactive', cron: '@hourly' },
      { name: 'Roll up', cron: '@hourly', status: 'inactive' },
    ],
    [
      'telegrafs',
      { name: 'Hosts', config: '[agent]\n' },
      { config: '[agent]\n' },
      { name: 'All' },
      { name: 'All', config: '[agent]\n' },
    ],
    [
      'dashboards',
      { name: 'Ops', description: 'd' },
      { cells: [] },
      { name: 'Ops 2' },
      { name: 'Ops 2', description: 'd' },
    ],
  ])('one of %s', async (type, given, created, patch, changed) => {
    const one = await post(type, given)
    expect(one).toMatchObject({ ...created, orgID, id: expect.stringMatching(/^[0-9a-f]{16}$/), labels: [] })
    expect(await ask('PATCH', `${type}/${one.id}`, patch)).toMatchObject(changed)
    await ask('DELETE', `${type}/${one.id}`, undefined, 204)
    await ask('DELETE', `${type}/${one.id}`, undefined, 404)
    await ask('GET', `${type}/${one.id}`, undefined, 404)
    expect(changes().map((change) => change.split(' ').slice(0, 2).join(' '))).toEqual([
      'local create',
      'local update',
      'local remove',
    ])
  })

  test('a label, whose empty properties are kept and whose other ones stay', async () => {
    const { label } = await post('labels', { name: 'red', properties: { color: '#f00', description: 'd' } })
    const { label: changed } = await ask('PATCH', `labels/${label.id}`, { properties: { color: '' } })
    expect(changed).toMatchObject({ id: label.id, name: 'red', properties: { color: '', description: 'd' } })
    await ask('DELETE', `labels/${label.id}`, undefined, 204)
  })

  test('a check that changes its type, keeping its id', async () => {
    const { id } = await post('checks', check)
    const changed = await ask('PUT', `checks/${id}`, deadman)
    expect(changed).toMatchObject({ id, type: 'deadman', level: 'WARN', timeSince: '1m30s' })
    expect(changed).not.toHaveProperty('thresholds')
  })

  test('a task whose Flux sets another name and schedule', async () => {
    const { id } = await post('tasks', { flux })
    const other = 'option task = {name: "Roll \\"down\\"", cron: "0 3 * * *"}\n\nfrom(bucket: "kept")'
    const changed = await ask('PATCH', `tasks/${id}`, { flux: other })
    expect(changed).toMatchObject({ id, name: 'Roll "down"', cron: '0 3 * * *', flux: other })
    expect(changed).not.toHaveProperty('every')
  })

  test('a rule with its endpoint', async () => {
    const { id: endpointID } = await post('notificationEndpoints', { ...hook, type: 'slack', token: 'open sesame' })
    const rule = { name: 'Notify', endpointID, type: 'slack', channel: '#a', every: '1m', messageTemplate: 'm' }
    const statusRules = [{ currentLevel: 'CRIT', previousLevel: null }]
    const made = await post('notificationRules', { ...rule, status: 'active', statusRules, tagRules: [] })
    expect(made).toMatchObject({ ...rule, every: '1m0s', statusRules })
  })
})

test('an endpoint keeps its own secret until it gets another one, and no answer has its value', async () => {
  const made = await post('notificationEndpoints', { ...hook, authMethod: 'bearer', token: 'open sesame' })
  expect(made.token).toBe(`secret: ${made.id}-token`)
  const secrets = (): Promise<any> => ask('GET', `orgs/${orgID}/secrets`)
  expect((await secrets()).secrets).toEqual([`${made.id}-token`])
  const { id: _id, labels: _labels, links: _links, ...document } = made
  expect((await ask('PUT', `notificationEndpoints/${made.id}`, { ...document, name: 'New' })).token).toBe(made.token)
  expect((await secrets()).secrets).toEqual([`${made.id}-token`])
  const none = { ...document, authMethod: 'none', token: '' }
  expect((await ask('PUT', `notificationEndpoints/${made.id}`, none)).token).toBe('')
  expect((await secrets()).secrets).toEqual([])
})

describe('the cells of a dashboard', () => {
  const place = { x: 1, y: 2, w: 3, h: 4 }
  const view = { name: 'Note', properties: { shape: 'chronograf-v2', type: 'markdown', note: 'Read this' } }

  test('keep their ids while others come, move and go', async () => {
    const { id } = await post('dashboards', { name: 'Ops', cells: [{ ...place, x: 0 }] })
    const path = `dashboards/${id}/cells`
    const made = await post(path, place)
    expect(made).toMatchObject(place)
    const copy = await post(path, { ...place, y: 9, usingView: made.id })
    const before = (await ask('GET', `dashboards/${id}`)).cells.map((cell: any) => cell.id)
    expect(before).toHaveLength(3)
    expect(await ask('PATCH', `${path}/${copy.id}/view`, view)).toMatchObject({ id: copy.id, ...view })
    expect(await ask('PATCH', `${path}/${made.id}`, { x: 5 })).toMatchObject({ ...place, id: made.id, x: 5 })
    await ask('DELETE', `${path}/${before[0]}`, undefined, 204)
    const { cells } = await ask('GET', `dashboards/${id}?include=properties`)
    expect(cells).toMatchObject([
      { id: made.id, x: 5, properties: { shape: 'empty' } },
      { id: copy.id, y: 9, ...view },
    ])
    expect(await ask('GET', `${path}/${copy.id}/view`)).toMatchObject(view)
  })

  test('are replaced by a list of their ids', async () => {
    const { id } = await post('dashboards', { name: 'Ops', cells: [place, { ...place, x: 7 }] })
    const [a, b] = (await ask('GET', `dashboards/${id}`)).cells
    const { cells } = await ask('PUT', `dashboards/${id}/cells`, [{ ...b, y: 8 }], 201)
    expect(cells).toMatchObject([{ id: b.id, x: 7, y: 8 }])
    await ask('PUT', `dashboards/${id}/cells`, [place], 400)
    await ask('PUT', `dashboards/${id}/cells`, [null], 400)
    await ask('DELETE', `dashboards/${id}/cells/${a.id}`, undefined, 404)
    await ask('PATCH', `dashboards/${id}/cells/${b.id}`, { x: 1.5 }, 400)
  })

  test('show a view as it was given, also what no package can express', async () => {
    const { id } = await post('dashboards', { name: 'Ops' })
    const cell = await post(`dashboards/${id}/cells`, place)
    const properties = {
      shape: 'chronograf-v2',
      type: 'scatter',
      fillColumns: ['host'],
      queries: [{ text: 'q', editMode: 'builder' }],
    }
    await ask('PATCH', `dashboards/${id}/cells/${cell.id}/view`, { properties })
    expect((await ask('GET', `dashboards/${id}/cells/${cell.id}/view`)).properties).toEqual(properties)
  })
})

test('labels of resources come once, and go', async () => {
  const { label } = await post('labels', { name: 'red' })
  const { id } = await post('buckets', { name: 'raw' })
  const path = `buckets/${id}/labels`
  expect((await ask('POST', path, { labelID: label.id }, 201)).label.name).toBe('red')
  expect(await ask('POST', path, { labelID: label.id }, 422)).toMatchObject({
    code: 'conflict',
    message: 'label already exists on resource',
  })
  expect((await ask('GET', `buckets/${id}`)).labels).toMatchObject([{ name: 'red' }])
  await ask('DELETE', `${path}/${label.id}`, undefined, 204)
  await ask('DELETE', `${path}/${label.id}`, undefined, 204)
  expect((await ask('GET', path)).labels).toEqual([])
  await ask('POST', path, { labelID: '1'.repeat(16) }, 404)
})

test('secrets are written and removed by their keys', async () => {
  const path = `orgs/${orgID}/secrets`
  await ask('PATCH', path, { A: 'open sesame', B: 'x' }, 204)
  await ask('PATCH', path, { A: 'another', B: 1 }, 400)
  expect((await ask('GET', path)).secrets).toEqual(['A', 'B'])
  await ask('POST', `${path}/delete`, { secrets: ['A', 'none'] }, 204)
  expect((await ask('GET', path)).secrets).toEqual(['B'])
  await ask('DELETE', `${path}/B`, undefined, 204)
  expect(changes()).toEqual([
    'local create Secret',
    'local create Secret',
    'local remove Secret',
    'local remove Secret',
  ])
  expect(JSON.stringify(events)).not.toContain('sesame')
})

describe('is refused:', () => {
  test.each<[string, string, string, object | undefined, number, string, RegExp]>([
    ['a taken name', 'POST', 'buckets', { name: 'raw' }, 422, 'conflict', /already has that name/],
    ['a system bucket', 'POST', 'buckets', { name: '_x' }, 400, 'invalid', /begin/],
    ['no name', 'POST', 'labels', {}, 400, 'invalid', /there is no name/],
    [
      'an unknown type',
      'POST',
      'checks',
      { ...check, type: 'custom' },
      400,
      'invalid',
      /there is no Check of type "custom"/,
    ],
    ['what no package could declare', 'POST', 'checks', { ...check, every: '' }, 400, 'invalid', /there is no every/],
    ['a wrong type', 'POST', 'telegrafs', { name: 'a', config: [1] }, 400, 'invalid', /config/],
    ['Flux without the option', 'POST', 'tasks', { flux: 'x = 1' }, 400, 'invalid', /option task/],
    ['an id that is none', 'PATCH', 'buckets/x', { name: 'b' }, 400, 'invalid', /16 hex digits/],
    ['an unknown id', 'PATCH', `buckets/${'1'.repeat(16)}`, { name: 'b' }, 404, 'not found', /There is no Bucket/],
    ['an unknown organisation', 'POST', 'buckets', { orgID: '1'.repeat(16) }, 404, 'not found', /no organization/],
    ['no body', 'POST', 'buckets', undefined, 400, 'invalid', /object/],
    [
      'a request that gitmoor does not serve',
      'POST',
      `buckets/${'1'.repeat(16)}/members`,
      {},
      405,
      'method not allowed',
      /./,
    ],
  ])('%s', async (_what, method, path, body, status, code, message) => {
    await post('buckets', { name: 'raw' })
    const given = body === undefined ? undefined : { orgID, ...body }
    expect(await ask(method, path, given, status)).toEqual({ code, message: expect.stringMatching(message) })
    expect(changes()).toEqual(['local create Bucket'])
  })

  test('an organisation whose target does not permit it', async () => {
    const { code, message } = await ask('POST', 'buckets', { orgID: await wire.orgID('other'), name: 'raw' }, 403)
    expect([code, message]).toEqual(['forbidden', expect.stringContaining('`targets.other.directWrites: true`')])
    expect(changes()).toEqual([])
  })

  test('a change of a system bucket', async () => {
    const { buckets } = await ask('GET', `buckets?name=_tasks&orgID=${orgID}`)
    await ask('DELETE', `buckets/${buckets[0].id}`, undefined, 400)
  })
})

test('the next drift check of the stack that owns the resource finds the change', async () => {
  await world().push(yaml(bucket('raw', { description: 'as declared' })))
  const first = await world().create('boards', { driftIntervalMs: 60_000 })
  const [{ id }] = (await ask('GET', `buckets?name=raw&orgID=${orgID}`)).buckets
  await ask('PATCH', `buckets/${id}`, { description: 'by hand' })
  world().clock.advance(66_000)
  expect(await world().runAfter('boards', first.id)).toMatchObject({
    cause: { kind: 'drift' },
    plan: { changes: [{ fields: [{ path: 'description', old: 'by hand', new: 'as declared' }] }] },
  })
})

test('no body makes the agent fail, and what exists can still be read', async () => {
  const random = seeded(attackSeed())
  const odd = [null, 1, -0.5, true, '', 'x', [], [null], [{}], {}, { a: 1 }, 'secret: x', 'active', '1h', flux, query]
  const fields =
    'name description retentionRules properties arguments selected type every cron offset flux query tags thresholds level status url method authMethod token endpointID statusRules config cells labelID x y properties usingView A'.split(
      ' ',
    )
  const { id: dashboard } = await post('dashboards', { name: 'Ops', cells: [{ x: 1, y: 1, w: 1, h: 1 }] })
  const { id: bucketID } = await post('buckets', { name: 'raw' })
  const [cell] = (await ask('GET', `dashboards/${dashboard}`)).cells
  const requests: readonly (readonly [string, string])[] = [
    ...types.flatMap((type) => [['POST', type] as const, ['PATCH', `${type}/${bucketID}`] as const]),
    ['PATCH', `dashboards/${dashboard}`],
    ['POST', `dashboards/${dashboard}/cells`],
    ['PUT', `dashboards/${dashboard}/cells`],
    ['PATCH', `dashboards/${dashboard}/cells/${cell.id}`],
    ['PATCH', `dashboards/${dashboard}/cells/${cell.id}/view`],
    ['POST', `buckets/${bucketID}/labels`],
    ['PATCH', `orgs/${orgID}/secrets`],
    ['POST', `orgs/${orgID}/secrets/delete`],
  ]
  for (let i = 0; i < attackShare(2_000); i++) {
    const [method, path] = requests[random(requests.length)]!
    const body = Object.fromEntries(fields.filter(() => random(3) === 0).map((key) => [key, odd[random(odd.length)]]))
    const sent =
      random(20) === 0 ? odd[random(odd.length)] : { ...body, orgID, name: random(4) ? `n${i}` : body['name'] }
    const { status } = await wire.request(method, `/api/v2/${path}`, JSON.stringify(sent))
    claim(status < 500, () => `${status} ${method} ${path} ${JSON.stringify(sent)}`)
  }
  for (const type of types) await ask('GET', type)
  await ask('GET', `dashboards/${dashboard}?include=properties`)
})

const types = [
  'buckets',
  'checks',
  'dashboards',
  'labels',
  'notificationEndpoints',
  'notificationRules',
  'tasks',
  'telegrafs',
  'variables',
]
