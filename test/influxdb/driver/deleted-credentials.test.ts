// A credential that the server keeps for an endpoint, and that somebody deletes, is drift of the endpoint.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '../../../src/lib/clock.js'
import type { JsonObject } from '../../../src/model/json.js'
import type { RunView } from '../../../src/views/run.js'
import { inMemory } from '../../e2e/hosting.js'
import { until } from '../../e2e/until.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { useServingAgent } from '../influx-servers.js'
import { ask, newOrganisation, realServer, type TestServer } from './server.js'
import { serverUnderTest, type ServerUnderTest } from './server-under-test.js'

const checkMs = 66_000
const kinds: Readonly<Record<string, readonly [spec: string, suffixes: readonly string[]]>> = {
  Slack: [`url: 'https://hooks.example.test/x', token: of-chat`, ['token']],
  PagerDuty: [`url: 'https://duty.example.test/x', routingKey: of-duty`, ['routing-key']],
  HTTP: [
    `url: 'https://hooks.example.test/y', type: basic, method: POST, username: ann, password: of-hook`,
    ['username', 'password'],
  ],
}
const fields: Readonly<Record<string, string>> = {
  token: 'token',
  'routing-key': 'routingKey',
  username: 'username',
  password: 'password',
}

const document = (kind: string, name: string, spec: string): string =>
  `{apiVersion: influxdata.com/v2alpha1, kind: ${kind}, metadata: {name: ${name}}, spec: {${spec}}}\n`
const everyKind = Object.entries(kinds)
  .map(([kind, [spec]]) => document(`NotificationEndpoint${kind}`, kind.toLowerCase(), spec))
  .join('---\n')

/** An organisation without resources. */
interface Place {
  readonly server: TestServer
  readonly organisation: string
  readonly close: () => Promise<void>
}

const real = realServer()

async function openReal(): Promise<Place> {
  const { name, remove } = await newOrganisation(real!)
  return { server: real!, organisation: name, close: remove }
}

describe('on another agent', () => {
  const served = useServingAgent()
  define(async () => ({ server: served(), organisation: served().org, close: async () => {} }))
})

describe.skipIf(real === undefined)('on a real InfluxDB', () => define(openReal))

function define(open: () => Promise<Place>): void {
  let place: Place
  let on: ServerUnderTest
  let world: World
  let skippedMs = 0

  beforeEach(async () => {
    place = await open()
    skippedMs = 0
    const { server, organisation } = place
    const clock: Clock = { ...systemClock, elapsed: () => systemClock.elapsed() + skippedMs }
    on = serverUnderTest(server, { main: organisation, other: organisation }, { clock })
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-credentials-')))
    writeNewDataDirectory(root)
    world = new World(root, on, await inMemory())
    await world.start({ targets: ['local'] })
    await world.push(everyKind)
    expect((await world.create('alerts', { driftIntervalMs: 60_000 })).outcome).toBe('applied')
    return async () => {
      await world.close()
      await place.close()
      rmSync(root, { recursive: true, force: true })
    }
  })

  const ofServer = (method: string, path: string, body?: JsonObject) => ask(place.server, method, path, body)
  const orgID = async (): Promise<string> => {
    const { body } = await ofServer('GET', `/api/v2/orgs?org=${place.organisation}`)
    return body.orgs[0].id as string
  }
  const keys = async (): Promise<readonly string[]> =>
    ((await ofServer('GET', `/api/v2/orgs/${await orgID()}/secrets`)).body.secrets as string[]).sort()
  const deleteKeys = async (secrets: readonly string[]): Promise<void> => {
    await ofServer('POST', `/api/v2/orgs/${await orgID()}/secrets/delete`, { secrets })
  }
  const idOf = async (kind: string): Promise<string> => {
    const { body } = await ofServer('GET', `/api/v2/notificationEndpoints?orgID=${await orgID()}`)
    const all = body.notificationEndpoints as readonly { readonly id: string; readonly name: string }[]
    return all.find(({ name }) => name === kind.toLowerCase())!.id
  }
  /** Requests that write, since the last time. */
  const writes = (): number => on.sent.splice(0).filter(({ method }) => method !== 'GET').length

  async function nextCheck(): Promise<void> {
    const { checkedAt } = await world.ask.getStack('alerts')
    skippedMs += checkMs
    world.clock.advance(checkMs)
    await until('it was checked', async () => (await world.ask.getStack('alerts')).checkedAt !== checkedAt)
  }

  const updates = ({ plan }: RunView): readonly string[] =>
    plan!.changes.map(({ address, action, reason, fields: changed }) =>
      [address, action, reason, ...changed.map(({ path }) => path)].join(' '),
    )

  test.each(Object.entries(kinds))(
    'of %s is named by its field, and repaired by a sync',
    async (kind, [, suffixes]) => {
      const before = await keys()
      const id = await idOf(kind)
      for (const suffix of suffixes) {
        expect(before).toContain(`${id}-${suffix}`)
        await deleteKeys([`${id}-${suffix}`])
        writes()
        const run = await world.sync('alerts')
        expect(run.outcome).toBe('applied')
        expect(updates(run)).toEqual([`NotificationEndpoint/${kind.toLowerCase()} update drifted ${fields[suffix]!}`])
        expect([writes(), await keys()]).toEqual([1, before])
      }
      expect((await world.sync('alerts')).plan?.changes ?? []).toEqual([])
      expect(writes()).toBe(0)
    },
  )

  test('is found and repaired by the next drift check', async () => {
    const before = await keys()
    const first = await world.lastRun('alerts')
    await nextCheck()
    expect((await world.lastRun('alerts')).id).toBe(first.id)
    await deleteKeys([`${await idOf('Slack')}-token`, `${await idOf('PagerDuty')}-routing-key`])
    writes()
    await nextCheck()
    const run = await world.runAfter('alerts', first.id)
    expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
    expect([...updates(run)].sort()).toEqual([
      'NotificationEndpoint/pagerduty update drifted routingKey',
      'NotificationEndpoint/slack update drifted token',
    ])
    expect([writes(), await keys()]).toEqual([2, before])
  })

  test('is asked for once for all endpoints', async () => {
    on.sent.length = 0
    await nextCheck()
    expect(on.sent.filter(({ url }) => url.endsWith('/secrets'))).toHaveLength(1)
  })
}
