// What an exported resource brings along: the endpoint of a rule, the variables of queries, and never a secret's value.
import { expect, test } from 'vitest'
import { variablesUsed } from '../../../../src/influxdb/kinds/flux/variables-used.js'
import { systemResources } from '../../../../src/influxdb/kinds/kinds.js'
import { never, useWorld } from '../../world.js'
import { exportOf, heldVariable, make } from '../../../stacks/export/exporting.js'

const world = useWorld()

const alerts = `apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointHTTP
metadata: {name: hook}
spec: {name: Hook, type: bearer, token: canary-token-value, method: POST, url: "https://hooks.example/x"}
---
apiVersion: influxdata.com/v2alpha1
kind: NotificationRule
metadata: {name: loud}
spec: {name: Loud, endpointName: hook, every: 10m, statusRules: [{currentLevel: CRIT}]}
---
apiVersion: influxdata.com/v2alpha1
kind: CheckDeadman
metadata: {name: silent}
spec: {name: Silent, every: 5m, statusMessageTemplate: gone, level: CRIT, timeSince: 90s, status: inactive, query: "from(bucket: \\"raw\\") |> range(start: -1h)"}
`

async function alerted(): Promise<void> {
  await world().push(alerts)
  const { outcome, problems } = await world().create('boards')
  expect({ outcome, problems }).toMatchObject({ outcome: 'applied', problems: [{ code: 'kinds/plain-credential' }] })
}

test('a rule brings its endpoint, and names it as the export does', async () => {
  await alerted()
  const { addresses, spec } = await exportOf(world(), { resources: [{ kind: 'NotificationRule', name: 'Loud' }] })
  expect(addresses).toEqual(['NotificationEndpointHTTP/hook', 'NotificationRule/loud'])
  expect(spec('NotificationRule')).toMatchObject({ name: 'Loud', endpointName: 'hook' })
})

test('a rule whose endpoint no longer exists is omitted, with a warning', async () => {
  await alerted()
  await world().ask.deleteResource('NotificationEndpoint/hook', { consent: 'NotificationEndpoint/hook' }, never)
  const { addresses, codes } = await exportOf(world(), { stack: 'boards' })
  expect(addresses).toEqual(['CheckDeadman/silent'])
  expect(codes).toEqual(expect.arrayContaining(['stacks/export-gone', 'stacks/export-left-out']))
})

test('a credential is the key under which the target keeps it, never the value', async () => {
  await alerted()
  const exported = await exportOf(world(), { targets: [{ target: 'local' }] })
  expect(exported.yaml).not.toContain('canary')
  expect(exported.yaml).not.toContain('(secret')
  expect(exported.spec('NotificationEndpointHTTP')['token']).toEqual({
    secretRef: { key: expect.stringMatching(/^[0-9a-f]{16}-token$/) },
  })
})

test('endpoints are found by name, the real status of a check is kept, and kinds and families both filter', async () => {
  await alerted()
  const named = await exportOf(world(), { resources: [{ kind: 'NotificationEndpoint', name: 'Hook' }] })
  expect(named.addresses).toEqual(['NotificationEndpointHTTP/hook'])
  const of = async (...kinds: readonly string[]): Promise<readonly string[]> =>
    (await exportOf(world(), { targets: [{ target: 'local', kinds }] })).addresses
  expect(await of('Check')).toEqual(['CheckDeadman/silent'])
  expect(await of('CheckDeadman')).toEqual(['CheckDeadman/silent'])
  expect(await of('CheckThreshold')).toEqual([])
  expect(await of('NotificationEndpointSlack', 'NotificationEndpoint')).toEqual(['NotificationEndpointHTTP/hook'])
  expect((await exportOf(world(), { stack: 'boards' })).spec('CheckDeadman')).toMatchObject({ status: 'inactive' })
})

test('variables that queries use are exported on request, and the variables that these use', async () => {
  const chart = {
    kind: 'single_stat',
    name: 'a',
    xPos: 0,
    yPos: 0,
    width: 1,
    height: 1,
    queries: [{ query: 'from(bucket: v.bucket) |> range(start: v.timeRangeStart)' }],
  }
  await make(world(), 'Dashboard', { name: 'ops', description: '', charts: [chart] })
  await make(
    world(),
    'Variable',
    heldVariable('Bucket', { type: 'query', values: [], query: 'x(h: v["host"], n: v.nothing)', language: 'flux' }),
  )
  await make(world(), 'Variable', heldVariable('host'))
  await make(world(), 'Variable', heldVariable('unused'))
  const request = { resources: [{ kind: 'Dashboard', name: 'ops' }] }
  expect((await exportOf(world(), request)).names).toEqual(['Dashboard/ops'])
  const exported = await exportOf(world(), { ...request, withVariables: true })
  expect([...exported.names].sort()).toEqual(['Dashboard/ops', 'Variable/Bucket', 'Variable/host'])
  expect(exported.problems).toMatchObject([
    { code: 'stacks/export-variable-unknown', message: expect.stringContaining('"nothing"') },
  ])
})

test('charts are ordered by place: columns from left to right, each from top to bottom', async () => {
  const chart = (name: string, xPos: number, yPos: number): object => ({
    kind: 'markdown',
    name,
    xPos,
    yPos,
    width: 1,
    height: 1,
    note: name,
  })
  const charts = [chart('c', 2, 0), chart('b', 0, 3), chart('a', 0, 1)]
  await make(world(), 'Dashboard', { name: 'ops', description: '', charts })
  const { spec } = await exportOf(world(), { resources: [{ kind: 'Dashboard', name: 'ops' }] })
  expect((spec('Dashboard')['charts'] as readonly { readonly note: string }[]).map(({ note }) => note)).toEqual([
    'a',
    'b',
    'c',
  ])
})

test('variables are read from queries at any depth, each once, without those that dashboards define', () => {
  const query = 'a(v.one) |> b(v.windowPeriod, env.v_two, "v.three") |> c(v["four five"], v.one, vv.six)'
  expect(variablesUsed({ charts: [{ queries: [{ query }] }], note: 'v.noted', query: 'v.last' })).toEqual([
    'one',
    'three',
    'four five',
    'last',
  ])
})

test('the tasks of checks and rules, and system buckets, are system resources', () => {
  const there = [
    { family: 'Bucket', identity: 'b1', state: { name: '_monitoring' } },
    { family: 'Bucket', identity: 'b2', state: { name: 'raw' } },
    { family: 'Check', identity: 'c1', state: { name: '_c', taskID: 't1' } },
    { family: 'NotificationRule', identity: 'n1', state: { taskID: 't2' } },
    { family: 'Task', identity: 't3', state: { name: '_mine' } },
  ]
  expect([...systemResources(there)]).toEqual(['Bucket/b1', 'Task/t1', 'Task/t2'])
})
