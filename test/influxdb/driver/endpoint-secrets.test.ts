// Secrets, and the credentials of endpoints, on a real server, which keeps those of endpoints that somebody deletes.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { PlanView } from '../../../src/views/plan.js'
import { inMemory } from '../../e2e/hosting.js'
import { never, World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { ask, newOrganisation, realServer } from './server.js'
import { serverUnderTest, type ServerUnderTest } from './server-under-test.js'

const server = realServer()

const document = (kind: string, name: string, spec: string): string =>
  `{apiVersion: influxdata.com/v2alpha1, kind: ${kind}, metadata: {name: ${name}}, spec: {${spec}}}\n`
const slack = (name: string, token = `secret-of-${name}`): string =>
  document('NotificationEndpointSlack', name, `url: 'https://hooks.example.test/x', token: ${token}`)
const stored = (key: string): string => `{secretRef: {key: ${key}}}`
const bucket = (description: string): string => document('Bucket', 'raw', `description: ${description}`)
/** Its query has no field, so the server refuses it. */
const refused = document(
  'CheckThreshold',
  'refused',
  `every: 1m, query: 'from(bucket: "raw") |> range(start: -1h)', statusMessageTemplate: high,
   thresholds: [{type: greater, level: CRIT, value: 1}]`,
)
const packageOf = (...documents: readonly string[]): string => documents.join('---\n')

interface Endpoint {
  readonly id: string
  readonly name: string
  readonly token: string
}

describe.skipIf(server === undefined)('on a real InfluxDB', () => {
  let organisation: Awaited<ReturnType<typeof newOrganisation>>
  let on: ServerUnderTest
  let world: World

  beforeEach(async () => {
    organisation = await newOrganisation(server!)
    on = serverUnderTest(server!, { main: organisation.name, other: organisation.name })
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-endpoints-')))
    writeNewDataDirectory(root)
    world = new World(root, on, await inMemory())
    await world.start({ targets: ['local'], secrets: { environment: ['CHAT'], files: [] } })
    return async () => {
      await world.close()
      await organisation.remove()
      rmSync(root, { recursive: true, force: true })
    }
  })

  const secretsPath = (): string => `/api/v2/orgs/${organisation.id}/secrets`
  const keys = async (): Promise<readonly string[]> =>
    ((await ask(server!, 'GET', secretsPath())).body.secrets as string[]).sort()
  const endpoints = async (): Promise<readonly Endpoint[]> =>
    (await ask(server!, 'GET', `/api/v2/notificationEndpoints?orgID=${organisation.id}`)).body.notificationEndpoints

  /** Flux alone shows the value of a secret. */
  async function valueOf(key: string): Promise<string> {
    const answer = await fetch(`${server!.url}/api/v2/query?orgID=${organisation.id}`, {
      method: 'POST',
      headers: { authorization: `Token ${server!.token}`, 'content-type': 'application/vnd.flux' },
      body: `import "array"
import "influxdata/influxdb/secrets"
array.from(rows: [{value: secrets.get(key: "${key}")}])`,
    })
    return (await answer.text()).trim().split(',').at(-1)!
  }

  async function deleteByHand(name: string): Promise<string> {
    const { id } = (await endpoints()).find((one) => one.name === name)!
    await ask(server!, 'DELETE', `/api/v2/notificationEndpoints/${id}`)
    return id
  }

  /** Requests that write, since the last time: `PATCH secrets`. */
  function writes(): readonly string[] {
    const sent = on.sent.splice(0).filter(({ method }) => method !== 'GET')
    return sent.map(({ method, url }) => `${method} ${/\/(\w+)(?:\/[0-9a-f]{16})?$/.exec(new URL(url).pathname)![1]!}`)
  }

  const lastOf = ({ changes }: Pick<PlanView, 'changes'>): readonly string[] =>
    changes.flatMap(({ address, last }) => (last === true ? [address] : []))

  /** A stack whose endpoint uses the secret `chat-token`, which is `first`. */
  async function createChat(): Promise<void> {
    world.environment.set('CHAT', 'first')
    await world.push(packageOf(bucket('old'), slack('chat', stored('chat-token'))))
    expect((await world.create('alerts', { secrets: { 'chat-token': '${env:CHAT}' } })).outcome).toBe('applied')
  }

  test('a secret is created before the endpoint that uses it', async () => {
    await createChat()
    expect(writes().filter((one) => !one.endsWith('buckets'))).toEqual(['PATCH secrets', 'POST notificationEndpoints'])
    expect(await endpoints()).toMatchObject([{ name: 'chat', token: 'secret: chat-token', status: 'active' }])
    expect(await valueOf('chat-token')).toBe('first')
  })

  test('a changed secret is the last write, and the plan warns', async () => {
    await createChat()
    world.environment.set('CHAT', 'second')
    await world.push(packageOf(bucket('new'), slack('chat', stored('chat-token')), document('Label', 'red', '')))
    const plan = await world.ask.previewPlan('alerts', {}, never)
    expect(lastOf(plan)).toEqual(['Secret/chat-token'])
    expect(plan.changes.map(({ address }) => address).at(-1)).toBe('Secret/chat-token')
    const warning = {
      severity: 'warning',
      code: 'plan/not-restorable',
      message: 'An undo cannot restore the former value of Secret/chat-token: the target never shows it.',
    }
    expect(plan.problems).toMatchObject([warning])
    writes()
    expect(await world.sync('alerts')).toMatchObject({ outcome: 'applied', problems: [warning] })
    const made = writes()
    expect(made).toHaveLength(3)
    expect(made.at(-1)).toBe('PATCH secrets')
    expect(await valueOf('chat-token')).toBe('second')
  })

  test('a changed secret keeps its value if another write fails', async () => {
    await createChat()
    world.environment.set('CHAT', 'second')
    await world.push(packageOf(bucket('new'), slack('chat', stored('chat-token')), refused))
    writes()
    const run = await world.sync('alerts')
    expect(run.outcome).toBe('undone')
    expect(lastOf(run.plan!)).toEqual(['Secret/chat-token'])
    expect(writes()).not.toContain('PATCH secrets')
    expect(await valueOf('chat-token')).toBe('first')
    await world.push(packageOf(bucket('new'), slack('chat', stored('chat-token'))))
    expect((await world.sync('alerts')).outcome).toBe('applied')
    expect(await valueOf('chat-token')).toBe('second')
  })

  test('an endpoint changes from its own credential to a new secret, which exists before', async () => {
    await world.push(slack('chat'))
    await world.create('alerts')
    const [{ id }] = (await endpoints()) as readonly [Endpoint]
    expect(await keys()).toEqual([`${id}-token`])
    world.environment.set('CHAT', 'first')
    await world.push(slack('chat', stored('chat-token')))
    await world.ask.updateStack('alerts', { setSecrets: { 'chat-token': '${env:CHAT}' } }, 'ann')
    writes()
    const run = await world.sync('alerts')
    expect(run.outcome).toBe('applied')
    expect(lastOf(run.plan!)).toEqual(['NotificationEndpoint/chat'])
    expect(writes()).toEqual(['PATCH secrets', 'PUT notificationEndpoints', 'POST delete'])
    expect(await endpoints()).toMatchObject([{ id, token: 'secret: chat-token' }])
    expect(await keys()).toEqual(['chat-token'])
    expect(await valueOf('chat-token')).toBe('first')
  })

  test('an endpoint that refers to its own secret, which somebody deleted, is refused before it is written', async () => {
    await world.push(slack('chat'))
    await world.create('alerts')
    const [{ id }] = (await endpoints()) as readonly [Endpoint]
    await world.push(slack('chat', stored(`${id}-token`)))
    expect((await world.sync('alerts')).outcome).toBe('unchanged')
    await ask(server!, 'POST', `${secretsPath()}/delete`, { secrets: [`${id}-token`] })
    writes()
    const run = await world.sync('alerts')
    expect(run.outcome).toBe('undone')
    expect(run.problems.map(({ code }) => code)).toEqual(['influxdb/secret-lost', 'stacks/missing-secret'])
    expect(writes()).toEqual([])
  })

  test('an endpoint that was deleted by hand and is made again leaves no secret, and takes none of others', async () => {
    await world.push(packageOf(slack('chat'), slack('pager')))
    await world.create('alerts')
    expect(await keys()).toEqual((await endpoints()).map(({ id }) => `${id}-token`).sort())
    await ask(server!, 'PATCH', secretsPath(), { 'of-somebody-token': 'x' })
    const id = await deleteByHand('chat')
    await world.sync('alerts')
    const after = await endpoints()
    expect(after.map((one) => one.id)).not.toContain(id)
    expect(await keys()).toEqual([...after.map((one) => `${one.id}-token`), 'of-somebody-token'].sort())
  })

  test('an endpoint that was deleted by hand leaves no secret after an uninstall, and takes none of others', async () => {
    await world.push(packageOf(slack('chat'), slack('pager')))
    await world.create('alerts', { dataLoss: 'allow' })
    const chat = (await endpoints()).find(({ name }) => name === 'chat')!
    const body = { type: 'slack', name: 'of somebody', status: 'active', orgID: organisation.id, url: 'https://x.test' }
    await ask(server!, 'POST', '/api/v2/notificationEndpoints', { ...body, token: `secret: ${chat.id}-token` })
    await ask(server!, 'PATCH', secretsPath(), { 'of-somebody-token': 'x' })
    await deleteByHand('chat')
    const pager = await deleteByHand('pager')
    expect(await keys()).toContain(`${pager}-token`)
    const { digest, changes } = await world.ask.previewPlan('alerts', { uninstall: true }, never)
    expect(changes.map(({ action, reason }) => `${action} ${reason}`)).toEqual(['untrack gone', 'untrack gone'])
    await world.ask.deleteStack('alerts', { uninstall: digest, by: 'ann' }, never)
    expect(await endpoints()).toMatchObject([{ name: 'of somebody', token: `secret: ${chat.id}-token` }])
    expect(await keys()).toEqual([`${chat.id}-token`, 'of-somebody-token'].sort())
  })

  test('an endpoint that was deleted by hand leaves no secret once its package no longer declares it', async () => {
    await world.push(packageOf(slack('chat'), slack('pager')))
    await world.create('alerts')
    await deleteByHand('chat')
    await world.push(slack('pager'))
    expect((await world.sync('alerts')).outcome).toBe('applied')
    expect(await keys()).toEqual((await endpoints()).map(({ id }) => `${id}-token`))
  })
})
