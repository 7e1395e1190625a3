// Checks, endpoints and rules on a target, by whole syncs.
import { describe, expect, test } from 'vitest'
import { never, useWorld } from '../world.js'
import { doc, docs } from '../read-texts.js'

const world = useWorld()

const url = 'https://hooks.example.com/a'
// InfluxDB refuses a threshold check whose query has not one field.
const query = 'from(bucket: "raw") |> filter(fn: (r) => r._field == "usage")'
const common = { every: '1m', query, statusMessageTemplate: 'm' }
const threshold = (name: string, spec: object = {}): string =>
  doc('CheckThreshold', name, { ...common, thresholds: [{ type: 'greater', level: 'CRIT', value: 5 }], ...spec })
const deadman = (name: string, spec: object = {}): string =>
  doc('CheckDeadman', name, { ...common, level: 'WARN', timeSince: '90s', ...spec })
const slack = (name: string, spec: object = {}): string => doc('NotificationEndpointSlack', name, { url, ...spec })
const http = (name: string, spec: object = {}): string =>
  doc('NotificationEndpointHTTP', name, { url, method: 'POST', type: 'none', ...spec })
const rule = (name: string, endpointName: string): string =>
  doc('NotificationRule', name, {
    endpointName,
    every: '10m',
    messageTemplate: 'm',
    statusRules: [{ currentLevel: 'crit' }],
    tagRules: [{ key: 'a', value: 'b', operator: 'Equal' }],
  })
const variable = (name: string, spec: object = {}): string =>
  doc('Variable', name, { type: 'map', values: { b: '2', a: 1 }, ...spec })
const telegraf = doc('Telegraf', 'host', { config: '[agent]\n' })

async function changesOf(text: string): Promise<readonly string[]> {
  await world().push(text)
  const run = await world().sync('boards')
  expect(run.outcome).toMatch(/applied|unchanged/)
  return (run.plan?.changes ?? []).map(({ action, address, kind }) => `${action} ${kind} ${address}`)
}

async function held(address: string): Promise<unknown> {
  return (await world().live())[address]!.live
}

describe('a package of every kind of alert', () => {
  const all = docs(
    threshold('cpu'),
    deadman('disk'),
    slack('chat'),
    http('hook'),
    rule('page', 'chat'),
    variable('host'),
    telegraf,
  )

  test('is applied, and applied again without a write', async () => {
    await world().push(all)
    expect((await world().create('boards')).outcome).toBe('applied')
    expect(await world().names()).toEqual([
      'Check/cpu',
      'Check/disk',
      'NotificationEndpoint/chat',
      'NotificationEndpoint/hook',
      'NotificationRule/page',
      'Telegraf/host',
      'Variable/host',
    ])
    world().platform.reset()
    expect(await changesOf(docs(all, doc('Label', 'red')))).toEqual(['create Label Label/red'])
    expect(world().platform.writes).toHaveLength(1)
  })

  test('is removed with its stack', async () => {
    await world().push(all)
    await world().create('boards')
    const plan = await world().ask.previewPlan('boards', { uninstall: true }, never)
    expect(plan.changes.map(({ action, address }) => `${action} ${address}`).toSorted()).toEqual([
      'remove Check/cpu',
      'remove Check/disk',
      'remove NotificationEndpoint/chat',
      'remove NotificationEndpoint/hook',
      'remove NotificationRule/page',
      'remove Telegraf/host',
      'remove Variable/host',
    ])
    await world().ask.deleteStack('boards', { uninstall: plan.digest, by: 'ann' }, never)
    expect(await world().names()).toEqual([])
  })
})

describe('a change', () => {
  test('from one kind of check to the other keeps the check', async () => {
    await world().push(threshold('cpu'))
    await world().create('boards', { dataLoss: 'allow' })
    const before = await world().ids('boards')
    expect(await changesOf(deadman('cpu'))).toEqual(['update CheckDeadman Check/cpu'])
    expect(await world().ids('boards')).toEqual(before)
    expect(await held('Check/cpu')).toMatchObject({ type: 'deadman', level: 'WARN', timeSince: '1m30s' })
    expect(await changesOf(docs(deadman('cpu'), doc('Label', 'red')))).toEqual(['create Label Label/red'])
    expect(await changesOf(doc('Label', 'red'))).toEqual(['remove CheckDeadman Check/cpu'])
  })

  test('of the spelling only is not a change', async () => {
    await world().push(docs(threshold('cpu'), rule('page', 'chat'), slack('chat'), variable('host')))
    await world().create('boards')
    const spelt = { every: '60s', status: ' Active ', query: `\n${common.query}\n` }
    const map = { type: 'MAP', values: { a: '1', b: 2 } }
    expect(
      await changesOf(docs(threshold('cpu', spelt), rule('page', 'chat'), slack('chat'), variable('host', map))),
    ).toEqual([])
  })

  test('of the name only is one, of a variable too', async () => {
    await world().push(variable('host'))
    await world().create('boards')
    expect(await changesOf(variable('host', { name: 'Host' }))).toEqual(['update Variable Variable/host'])
    expect(await held('Variable/Host')).toMatchObject({ name: 'Host' })
  })

  test('that removes a value from a map is a change', async () => {
    await world().push(variable('host'))
    await world().create('boards')
    expect(await changesOf(variable('host', { values: { a: 1 } }))).toEqual(['update Variable Variable/host'])
    expect(await held('Variable/host')).toMatchObject({ values: [{ key: 'a', value: '1' }] })
  })

  test('from one kind of endpoint to another removes the former credential', async () => {
    await world().push(http('chat', { type: 'basic', username: 'ann', password: 'word' }))
    await world().create('boards')
    expect(await changesOf(slack('chat'))).toEqual(['update NotificationEndpointSlack NotificationEndpoint/chat'])
    expect(await held('NotificationEndpoint/chat')).toMatchObject({ type: 'slack', username: null, password: null })
    expect(await world().names()).toEqual(['NotificationEndpoint/chat'])
  })

  test('that omits an optional credential removes it', async () => {
    await world().push(slack('chat', { token: 'word' }))
    await world().create('boards')
    expect(await changesOf(slack('chat'))).toEqual(['update NotificationEndpointSlack NotificationEndpoint/chat'])
    expect(await held('NotificationEndpoint/chat')).toMatchObject({ token: null })
  })
})

describe('a rule', () => {
  test('is made after its endpoint, and follows it to another one', async () => {
    await world().push(docs(rule('page', 'chat'), slack('chat'), http('hook')))
    await world().create('boards')
    const ids = await world().ids('boards')
    expect(await held('NotificationRule/page')).toMatchObject({ endpointID: ids['NotificationEndpoint/chat'] })
    expect(await changesOf(docs(rule('page', 'hook'), slack('chat'), http('hook')))).toEqual([
      'update NotificationRule NotificationRule/page',
    ])
    expect(await held('NotificationRule/page')).toMatchObject({ endpointID: ids['NotificationEndpoint/hook'] })
  })

  test('follows an endpoint that was removed by hand and is made again', async () => {
    const text = docs(rule('page', 'chat'), slack('chat'))
    await world().push(text)
    await world().create('boards')
    const chat = 'NotificationEndpoint/chat'
    await world().ask.deleteResource(chat, { stack: 'boards', consent: chat }, never)
    await world().sync('boards')
    const ids = await world().ids('boards')
    expect(await held('NotificationRule/page')).toMatchObject({ endpointID: ids['NotificationEndpoint/chat'] })
  })

  test('without its endpoint in the package is refused, though the target has one of that name', async () => {
    await world().push(docs(rule('page', 'chat'), slack('chat')))
    await world().create('boards')
    world().platform.reset()
    await world().push(rule('page', 'chat'))
    expect(await world().sync('boards')).toMatchObject({
      outcome: 'failed',
      problems: [{ code: 'graph/undeclared', field: 'root[0].spec.endpointName' }],
    })
    expect(world().platform.writes).toEqual([])
  })
})

describe('two checks of one name', () => {
  test('are refused by the target, and nothing is left of the attempt', async () => {
    await world().push(docs(threshold('cpu', { name: 'Load' }), deadman('disk', { name: 'Load' })))
    const run = await world().create('boards')
    expect(run.outcome).toBe('undone')
    expect(run.problems.map(({ code }) => code)).toContain('graph/duplicate-name')
    expect(await world().names()).toEqual([])
  })

  test('do not both take over one that is there', async () => {
    const flux = { every: '1m', offset: '0s', query, statusMessageTemplate: 'm', tags: [] }
    const times = { timeSince: '1m30s', staleTime: '10m', reportZero: false }
    const live = { type: 'deadman', name: 'Load', description: 'ours', status: 'active', level: 'INFO' }
    const { id } = await world().ask.createResource('Check', { ...live, ...flux, ...times }, {}, never)
    await world().push(docs(threshold('cpu', { name: 'Load' }), deadman('disk', { name: 'Load' })))
    expect((await world().create('boards')).outcome).toBe('undone')
    expect((await world().live())['Check/Load']).toMatchObject({ id, live })
  })
})
