// InfluxDB's resource API of a whole agent: what packages declared is read in InfluxDB's form, and nothing is changed.
import { beforeEach, describe, expect, test } from 'vitest'
import { useEmbeddedWorld } from '../embedded-world.js'
import { openWire, type Wire } from './wire.js'

const world = useEmbeddedWorld()
let wire: Wire
let orgID: string

const document = (kind: string, name: string, spec: object): object => ({
  apiVersion: 'influxdata.com/v2alpha1',
  kind,
  metadata: { name },
  spec,
})
const red = [{ kind: 'Label', name: 'red' }]
const everything = [
  document('Label', 'red', { name: 'Red', color: '#f00' }),
  document('Bucket', 'raw', {
    name: 'Raw',
    description: 'As it comes in',
    retentionRules: [{ type: 'expire', everySeconds: 86_400 }],
    associations: red,
  }),
  document('Bucket', 'kept', { name: 'Kept' }),
  document('Variable', 'region', { name: 'region', type: 'map', values: { a: '1' }, selected: ['a'] }),
  document('Telegraf', 'hosts', { name: 'Hosts', config: '[agent]\n' }),
  document('CheckDeadman', 'silent', {
    name: 'Silent',
    every: '5m',
    level: 'cRiT',
    query: 'from(bucket: "Raw") |> range(start: -5m) |> count()',
    statusMessageTemplate: 'silent',
    timeSince: '90s',
  }),
  document('NotificationEndpointSlack', 'chat', {
    name: 'Chat',
    url: 'https://hooks.slack.com/services/x',
    token: 'of-the-chat',
  }),
  document('NotificationRule', 'notify', {
    name: 'Notify',
    endpointName: 'chat',
    channel: '#ops',
    every: '10m',
    messageTemplate: 'it is',
    statusRules: [{ currentLevel: 'CRIT' }],
  }),
  document('Task', 'rollup', {
    name: 'Roll "up"',
    every: '1h',
    offset: '5m',
    query: 'import "math"\n\nfrom(bucket: "Raw") |> range(start: -1h)',
  }),
  document('Task', 'nightly', {
    name: 'Nightly',
    cron: '0 3 * * *',
    query: 'from(bucket: "Raw") |> range(start: -1h)',
  }),
  document('Dashboard', 'ops', {
    name: 'Ops',
    charts: [
      { kind: 'Markdown', name: 'Note', note: 'Read this', xPos: 1, yPos: 2, width: 3, height: 4 },
      { kind: 'Markdown', name: 'Other', note: 'And this', width: 1, height: 1 },
    ],
  }),
]

beforeEach(async () => {
  wire = openWire(world())
  orgID = await wire.orgID()
  const template = { contents: everything }
  const { status, body } = await wire.request('POST', '/api/v2/templates/apply', { orgID, template })
  expect(status, JSON.stringify(body)).toBe(201)
})

const get = async (path: string, headers?: Readonly<Record<string, string>>): Promise<any> => {
  const { status, body } = await wire.request('GET', `/api/v2/${path}`, undefined, headers)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const only = async (path: string): Promise<any> => {
  const body = await get(`${path}${path.includes('?') ? '&' : '?'}orgID=${orgID}`)
  const [list = []] = Object.values(body).filter(Array.isArray)
  expect(list, JSON.stringify(list)).toHaveLength(1)
  return list[0]
}
const id = expect.stringMatching(/^[0-9a-f]{16}$/)
const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/)
const times = { createdAt: time, updatedAt: time }

describe('is listed, and read by its id:', () => {
  test.each<[string, string, object]>([
    [
      'buckets?name=Raw',
      'buckets',
      {
        type: 'user',
        name: 'Raw',
        description: 'As it comes in',
        retentionRules: [{ type: 'expire', everySeconds: 86_400, shardGroupDurationSeconds: 3_600 }],
        labels: [{ id, orgID: expect.anything(), name: 'Red', properties: { color: '#f00', description: '' } }],
        ...times,
      },
    ],
    [
      'buckets?name=Kept',
      'buckets',
      { retentionRules: [{ type: 'expire', everySeconds: 0, shardGroupDurationSeconds: 604_800 }], labels: [] },
    ],
    ['buckets?name=_tasks', 'buckets', { type: 'system', name: '_tasks' }],
    ['variables', 'variables', { name: 'region', arguments: { type: 'map', values: { a: '1' } }, selected: ['a'] }],
    [
      'checks',
      'checks',
      { type: 'deadman', name: 'Silent', every: '5m0s', level: 'CRIT', status: 'active', taskID: id, ...times },
    ],
    [
      'notificationEndpoints',
      'notificationEndpoints',
      { type: 'slack', name: 'Chat', token: expect.stringMatching(/^secret: [0-9a-f]{16}-token$/), status: 'active' },
    ],
    [
      'notificationRules',
      'notificationRules',
      { type: 'slack', name: 'Notify', channel: '#ops', endpointID: id, every: '10m0s', status: 'active', taskID: id },
    ],
    [
      'tasks?name=Nightly',
      'tasks',
      {
        cron: '0 3 * * *',
        flux: 'option task = {name: "Nightly", cron: "0 3 * * *"}\n\nfrom(bucket: "Raw") |> range(start: -1h)',
      },
    ],
    [
      `tasks?name=${encodeURIComponent('Roll "up"')}`,
      'tasks',
      {
        every: '1h0m0s',
        offset: '5m',
        status: 'active',
        flux:
          'import "math"\n\noption task = {name: "Roll \\"up\\"", every: 1h0m0s, offset: 5m0s}\n\n\n' +
          'from(bucket: "Raw") |> range(start: -1h)',
        createdAt: expect.stringMatching(/^[\dT:-]+Z$/),
      },
    ],
    [
      'dashboards',
      'dashboards',
      {
        name: 'Ops',
        meta: times,
        cells: [
          { id, x: 1, y: 2, w: 3, h: 4, links: expect.anything() },
          { w: 1, h: 1 },
        ],
      },
    ],
  ])('%s', async (path, type, form) => {
    const listed = await only(path)
    expect(listed).toMatchObject({ id, orgID, ...form, links: { self: `/api/v2/${type}/${listed.id}` } })
    expect(await get(`${type}/${listed.id}`)).toEqual(listed)
    const { labels } = await get(`${type}/${listed.id}/labels`)
    expect(labels).toEqual(listed.labels)
  })

  test('labels', async () => {
    const label = await only('labels')
    expect(label).toMatchObject({ id, orgID, name: 'Red' })
    expect(await get(`labels/${label.id}`)).toMatchObject({ label })
  })

  test('telegrafs, as JSON or as TOML', async () => {
    const listed = await only('telegrafs')
    expect(listed).toMatchObject({ id, orgID, name: 'Hosts', config: '[agent]\n', metadata: { buckets: [] } })
    expect(await get(`telegrafs/${listed.id}`, { Accept: 'application/json' })).toEqual(listed)
    const toml = { status: 200, type: 'application/toml', text: '[agent]\n' }
    expect(await wire.readText(`/api/v2/telegrafs/${listed.id}`)).toEqual(toml)
  })

  test('the keys of secrets, without their values', async () => {
    const body = await get(`orgs/${orgID}/secrets`)
    expect(body.secrets).toEqual([expect.stringMatching(/^[0-9a-f]{16}-token$/)])
    expect(JSON.stringify(body)).not.toContain('of-the-chat')
  })

  test('cells of a dashboard with their properties, if asked for', async () => {
    const { id: dashboard } = await only('dashboards')
    const { cells } = await get(`dashboards/${dashboard}?include=properties`)
    const note = { name: 'Note', properties: { shape: 'chronograf-v2', type: 'markdown', note: 'Read this' } }
    expect(cells[0]).toMatchObject({ id, x: 1, ...note })
    expect(new Set(cells.map((cell: any) => cell.id)).size).toBe(2)
    expect(await get(`dashboards/${dashboard}/cells/${cells[0].id}/view`)).toMatchObject({ id: cells[0].id, ...note })
  })
})

describe('a list', () => {
  test('has the pages that a client asks for, and the last one has no next', async () => {
    const all = (await get(`buckets?orgID=${orgID}`)).buckets.map((one: any) => one.id)
    expect(all).toHaveLength(4)
    const ids: string[] = []
    let next: string | undefined = `buckets?orgID=${orgID}&limit=3`
    for (let pages = 0; next !== undefined; pages++) {
      expect(pages).toBeLessThan(2)
      const { buckets, links } = await get(next)
      ids.push(...buckets.map((one: any) => one.id))
      next = links.next?.replace('/api/v2/', '')
    }
    expect(ids).toEqual(all)
    expect((await get(`buckets?orgID=${orgID}&after=${all[1]}`)).buckets.map((one: any) => one.id)).toEqual(
      all.slice(2),
    )
    expect((await get(`buckets?id=${all[0]}&id=${all[3]}`)).buckets).toHaveLength(2)
  })

  test('links to what a client can ask for', async () => {
    const empty = `dashboards?orgID=${orgID}&name=none`
    for (const path of [
      `dashboards?orgID=${orgID}`,
      empty,
      `telegrafs?orgID=${orgID}&offset=1`,
      'tasks?limit=1&offset=1',
    ]) {
      const { links } = await get(path)
      for (const link of Object.values<string>(links)) await get(link.replace('/api/v2/', ''))
    }
    const { links, cells } = await only('dashboards')
    expect(Object.keys(links)).toEqual(['self', 'org', 'labels'])
    for (const link of [...Object.values<string>(links), cells[0].links.view]) await get(link.replace('/api/v2/', ''))
  })

  test('is filtered by status only where there is one', async () => {
    expect((await get(`buckets?orgID=${orgID}&status=active`)).buckets).toHaveLength(4)
    expect((await get(`tasks?orgID=${orgID}&status=inactive`)).tasks).toEqual([])
    expect((await get(`tasks?orgID=${orgID}&status=active`)).tasks).toHaveLength(2)
  })

  test.each([
    ['buckets?limit=0', 400, 'limit must be a whole number between 1 and 100.'],
    ['buckets?limit=101', 400, 'limit must be'],
    ['tasks?limit=501', 400, 'between 1 and 500'],
    ['buckets?offset=-1', 400, 'offset must be a whole number at least 0.'],
    ['buckets?after=x', 400, 'after'],
    ['buckets?name=nothing', 404, 'There is no bucket "nothing".'],
    ['buckets?org=nobody', 404, 'nobody'],
    ['buckets?orgID=x', 400, 'organization id'],
    [`checks/${'1'.repeat(16)}`, 404, 'There is no Check with the id 1111111111111111.'],
    ['checks/x', 400, 'Check id'],
    [`orgs/${'1'.repeat(16)}/secrets`, 404, '1111111111111111'],
  ])('%s is %i', async (path, status, message) => {
    const answer = await wire.request('GET', `/api/v2/${path}`)
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)])
  })
})

describe('only packages change it:', () => {
  test.each([
    ['POST', 'buckets'],
    ['PATCH', `buckets/${'1'.repeat(16)}`],
    ['PUT', `checks/${'1'.repeat(16)}`],
    ['DELETE', `tasks/${'1'.repeat(16)}`],
    ['POST', `dashboards/${'1'.repeat(16)}/cells`],
    ['POST', 'labels'],
    ['PATCH', `orgs/${'1'.repeat(16)}/secrets`],
  ])('%s %s is forbidden', async (method, path) => {
    const { status, body } = await wire.request(method, `/api/v2/${path}`, {})
    expect([status, body]).toEqual([
      403,
      { code: 'forbidden', message: expect.stringMatching(/^Only packages .* `targets\.local\.directWrites: true`/) },
    ])
  })
})

test('a rule of an http endpoint shows no message, which InfluxDB drops, and a second apply changes nothing', async () => {
  const contents = [
    document('NotificationEndpointHTTP', 'hook', { url: 'https://example.test/', method: 'POST', type: 'none' }),
    document('NotificationRule', 'call', {
      endpointName: 'hook',
      channel: '#ops',
      every: '10m',
      messageTemplate: 'it is',
      statusRules: [{ currentLevel: 'CRIT' }],
    }),
  ]
  const apply = async (more: object): Promise<any> => {
    const given = { orgID, template: { contents }, ...more }
    const { status, body } = await wire.request('POST', '/api/v2/templates/apply', given)
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    return body
  }
  const { stackID, summary } = await apply({})
  expect(summary.notificationRules[0].messageTemplate).toBe('it is')
  expect(await only('notificationRules?name=call')).toMatchObject({ type: 'http', messageTemplate: '' })
  const { diff } = await apply({ stackID, dryRun: true })
  expect(diff.notificationRules[0].new).toEqual(diff.notificationRules[0].old)
  expect(diff.notificationRules[0].changed ?? false).toBe(false)
})
