// For every kind: manual changes, renamed resources, label mappings, endpoints, other organisations, and
// cases in which InfluxDB itself fails.
import { describe, expect, test } from 'vitest'
import { Rejected } from '../../src/model/errors.js'
import { everyKind, everySecret, type Thing } from './every-kind.js'
import { askWire, orgOf, templates, type WireReply } from './wire-door.js'
import { askTemplates } from '../influxdb/ask.js'
import { never, useWorld } from '../influxdb/world.js'

const world = useWorld()
const things = everyKind()
const secrets = everySecret('one')

const send = (contents: readonly Thing[], more: object = {}): Promise<WireReply> =>
  templates(world(), [], { template: { contents }, secrets, ...more })

async function applied(contents: readonly Thing[] = things, more: object = {}): Promise<string> {
  const { status, body } = await send(contents, more)
  expect([status, body.message]).toEqual([201, undefined])
  return body.stackID as string
}

/** `Kind/metaName` → id, as the stack's record says. */
async function idsOf(stackID: string): Promise<Readonly<Record<string, string>>> {
  const { body } = await askWire(world(), 'GET', `/api/v2/stacks/${stackID}`)
  return Object.fromEntries(
    body.resources.map(({ kind, templateMetaName, resourceID }: any) => [`${kind}/${templateMetaName}`, resourceID]),
  )
}

async function removeByHand(family: string, id: string): Promise<void> {
  const { address } = await world().ask.getResource(`${family}/${id}`, {}, never)
  await world().ask.deleteResource(`${family}/${id}`, address === null ? {} : { consent: address }, never)
}

/** Nothing else hangs on it. */
const loose = things.filter(({ metadata }) => !['red', 'blue', 'web', 'pager'].includes(metadata.name))
const familyOf = ({ kind }: Thing): string => kind.replace(/^(Check|NotificationEndpoint).*/, '$1')

describe('a resource that was removed by hand', () => {
  test('is created again under a new id, for each kind, and the rest stays', async () => {
    const stackID = await applied()
    let before = await idsOf(stackID)
    for (const resource of things) {
      const address = `${familyOf(resource)}/${resource.metadata.name}`
      await removeByHand(familyOf(resource), before[address]!)
      const { body } = await send(things, { stackID, dryRun: true })
      const entry = Object.values(body.diff as Record<string, any[]>)
        .flat()
        .find(({ templateMetaName }) => templateMetaName === resource.metadata.name)
      expect([address, entry.stateStatus, entry.previousID]).toEqual([address, 'new', before[address]])
      await applied(things, { stackID })
      const after = await idsOf(stackID)
      expect(after[address]).not.toBe(before[address])
      expect({ ...after, [address]: '' }).toEqual({ ...before, [address]: '' })
      before = after
    }
  })

  test('and is no longer declared causes no error, for each kind', async () => {
    const stackID = await applied()
    const declared = new Map(things.map((resource) => [`${familyOf(resource)}/${resource.metadata.name}`, resource]))
    for (const resource of loose) {
      const address = `${familyOf(resource)}/${resource.metadata.name}`
      await removeByHand(familyOf(resource), (await idsOf(stackID))[address]!)
      declared.delete(address)
      await applied([...declared.values()], { stackID })
      expect(Object.keys(await idsOf(stackID)).sort()).toEqual([...declared.keys()].sort())
    }
  })

  test('is not there after an apply that fails, and leaves nothing astray', async () => {
    const stackID = await applied()
    await removeByHand('Dashboard', (await idsOf(stackID))['Dashboard/ops']!)
    world().platform.onCall(({ verb, family }) => {
      if (verb === 'create' && family === 'LabelMapping')
        throw new Rejected('The target said no.', { code: 'platform/refused' })
    })
    expect((await send(things, { stackID })).status).toBe(500)
    expect(await world().names()).not.toContain('Dashboard/ops')
    world().platform.reset()
    await applied(things, { stackID })
    const { items } = await world().ask.listResources({ limit: 500 }, never)
    expect(items.filter(({ family }) => family === 'Dashboard').map(({ id }) => id)).toEqual([
      (await idsOf(stackID))['Dashboard/ops'],
    ])
  })
})

test('resources with new metaNames and the same display names are moved if their names are unique, else created again', async () => {
  const stackID = await applied()
  const before = await idsOf(stackID)
  const renamed = JSON.parse(
    JSON.stringify(things, (key, value: unknown) => {
      const isMetaName = key === 'metadata' || key === 'associations'
      if (key === 'endpointName') return `${String(value)}-2`
      return isMetaName ? JSON.parse(JSON.stringify(value).replaceAll(/"name":"([^"]*)"/g, '"name":"$1-2"')) : value
    }),
  ) as readonly Thing[]
  await applied(renamed, { stackID })
  const after = await idsOf(stackID)
  const made = Object.keys(before).filter((address) => after[`${address}-2`] !== before[address])
  expect(Object.keys(after).sort()).toEqual(
    Object.keys(before)
      .map((address) => `${address}-2`)
      .sort(),
  )
  expect(made.sort()).toEqual([
    'Dashboard/ops',
    'NotificationRule/loud',
    'NotificationRule/paged',
    'Task/rollup',
    'Telegraf/agent',
  ])
  expect((await world().names()).filter((name) => !name.startsWith('Secret/'))).toHaveLength(things.length)
})

test('a mapping that is no longer declared, while its label is, is listed once, and removed', async () => {
  const stackID = await applied()
  const bare = things.map((resource) =>
    resource.metadata.name === 'raw' ? { ...resource, spec: { ...resource.spec, associations: [] } } : resource,
  )
  const { body } = await send(bare, { stackID, dryRun: true })
  const ofRaw = body.diff.labelMappings.filter(
    ({ resourceTemplateMetaName }: any) => resourceTemplateMetaName === 'raw',
  )
  expect(ofRaw).toMatchObject([{ stateStatus: 'remove', labelTemplateMetaName: 'red' }])
  world().platform.reset()
  await applied(bare, { stackID })
  expect(world().platform.writes).toEqual([{ verb: 'remove', family: 'LabelMapping' }])
})

test('a stack that has values and secrets of its own is applied to with these, and what the request gives wins', async () => {
  await world().restart({ secrets: { environment: ['ROUTING'], files: [] } })
  world().environment.set('ROUTING', 'of the stack')
  const envRef = (metaName: string, key: string): Thing => ({
    ...things[0]!,
    metadata: { name: metaName },
    spec: { name: { envRef: { key } } },
  })
  const settings = { values: { shade: 'crimson', tone: 'low' }, secrets: { routing: '${env:ROUTING}' } }
  await world().ask.createStack(world().spec('own', { sources: [{ kind: 'inline' }], ...settings }), 'ann')
  const { id: stackID } = await world().ask.getStack('own')
  const pager = things.find(({ metadata }) => metadata.name === 'pager')!
  await applied([envRef('red', 'shade'), envRef('blue', 'tone'), pager], {
    stackID,
    secrets: {},
    envRefs: { tone: 'high' },
  })
  expect(await world().names()).toEqual(['Label/crimson', 'Label/high', 'NotificationEndpoint/pager', 'Secret/routing'])
})

describe('a rule', () => {
  test('whose endpoint is skipped and that is not skipped itself is refused, and nothing is written', async () => {
    const actions = [
      { action: 'skipResource', properties: { kind: 'NotificationEndpoint', resourceTemplateName: 'web' } },
    ]
    const { status, body } = await send(things, { actions })
    expect([status, body.errors]).toMatchObject([
      422,
      [{ kind: 'NotificationRule', fields: ['root', 'spec', 'endpointName'] }],
    ])
    expect(await world().names()).toEqual([])
  })

  test('follows the package to another endpoint', async () => {
    const stackID = await applied()
    const elsewhere = things.map((resource) =>
      resource.metadata.name === 'loud'
        ? { ...resource, spec: { ...resource.spec, endpointName: 'chat', messageTemplate: 'x' } }
        : resource,
    )
    const { body } = await send(elsewhere, { stackID })
    const ids = await idsOf(stackID)
    const loud = body.summary.notificationRules.find(({ templateMetaName }: any) => templateMetaName === 'loud')
    expect(loud).toMatchObject({
      endpointID: ids['NotificationEndpoint/chat'],
      endpointType: 'slack',
      endpointTemplateMetaName: 'chat',
    })
  })
})

test.each([true, false])(
  'a stack of another organisation is a conflict (dry run: %s), and nothing is written',
  async (dryRun) => {
    const stackID = await applied()
    const orgID = (await askTemplates(world().call).listOrganisations()).find(({ target }) => target === 'other')!.id
    world().platform.reset()
    const { status, body } = await send(things, { stackID, orgID, dryRun })
    expect([status, body.code, world().platform.writes]).toEqual([422, 'conflict', []])
  },
)

test('with more than a hundred variables and rules in an organisation, dry runs, applies and exports end', async () => {
  const many = (kind: string, spec: Thing['spec']): readonly Thing[] =>
    Array.from({ length: 120 }, (_, at) => ({
      ...things[0]!,
      kind,
      metadata: { name: `${kind.toLowerCase()}-${at}` },
      spec,
    }))
  const endpoint = things.find(({ metadata }) => metadata.name === 'pager')!
  const rule = { endpointName: 'pager', every: '10m', messageTemplate: 'x', statusRules: [{ currentLevel: 'CRIT' }] }
  const bare = { ...endpoint, spec: { ...endpoint.spec, associations: [] } }
  const all = [bare, ...many('Variable', { type: 'constant', values: ['a'] }), ...many('NotificationRule', rule)]
  const stackID = await applied(all)
  const { body } = await send(all, { stackID, dryRun: true })
  expect(body.diff.variables.filter(({ stateStatus }: any) => stateStatus === 'exists')).toHaveLength(120)
  const exported = await askWire(world(), 'POST', '/api/v2/templates/export', {
    orgIDs: [{ orgID: await orgOf(world()) }],
  })
  expect([exported.status, exported.body.length]).toEqual([200, all.length])
})
