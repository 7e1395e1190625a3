// What a token may not do, where the server does not show it: InfluxDB 2.9 keeps only hashes of tokens.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { probePermissions, probedPermissions } from '../../../src/influxdb/driver/server/probe-permissions.js'
import type { InfluxdbPlatform } from '../../../src/influxdb/driver/influxdb-platform.js'
import type { Address, Identity } from '../../../src/model/address.js'
import type { Target } from '../../../src/platform/platform.js'
import type { JsonObject } from '../../../src/model/json.js'
import { ManualClock } from '../../manual-clock.js'
import { openNewStore } from '../../new-data-directory.js'
import { never } from '../../source/git-world.js'
import { openHttpApi, sendJson } from './http-api.js'
import { ask, newOrganisation, openInfluxdb, realServer, targetOf } from './server.js'
import { takeServerPicture } from './server-picture.js'

const types = [
  'buckets',
  'labels',
  'dashboards',
  'variables',
  'tasks',
  'telegrafs',
  'checks',
  'notificationEndpoints',
  'notificationRules',
  'secrets',
]

test('what is refused for a permission is lacked, and nothing else', async () => {
  await using api = await openHttpApi((request, response) => {
    const type = request.url!.split('/').at(-1)!
    if (type === 'tasks') return sendJson(response, { code: 'internal error', message: 'unauthorized' }, 500)
    if (type === 'buckets' || type === 'secrets')
      return sendJson(response, { code: 'unauthorized', message: `write:orgs/o1/${type} is unauthorized` }, 401)
    if (type === 'checks') return sendJson(response, {}, 500)
    return sendJson(response, { code: 'invalid', message: 'invalid' }, 400)
  })
  expect(await probePermissions(api.client, 'o1', never)).toEqual(['read:secrets', 'write:buckets', 'write:tasks'])
  expect(api.server.seen).toHaveLength(probedPermissions.length)
})

const server = realServer()

describe.skipIf(server === undefined)('on a real InfluxDB', () => {
  const opened: (() => Promise<void> | void)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close()
  })

  interface World {
    readonly platform: InfluxdbPlatform
    readonly target: Target
    readonly orgID: string
  }

  /** A new organisation, and a platform with a token that may do this. */
  async function open(actions: (type: string) => readonly string[]): Promise<World> {
    const { id: orgID, name, remove } = await newOrganisation(server!)
    opened.push(remove)
    const resources = types.flatMap((type) => actions(type).map((action) => ({ action, resource: { type, orgID } })))
    const permissions = [{ action: 'read', resource: { type: 'orgs', id: orgID } }, ...resources]
    const { body } = await ask(server!, 'POST', '/api/v2/authorizations', { orgID, permissions })
    const directory = mkdtempSync(join(tmpdir(), 'gitmoor-probes-'))
    const store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
    const { platform, close } = openInfluxdb(store.documents, { ...server!, token: body.token as string })
    opened.push(
      () => rmSync(directory, { recursive: true, force: true }),
      () => store[Symbol.dispose](),
      close,
    )
    return { platform, target: targetOf('prod', server!, name), orgID }
  }

  /** What a connection with a token that may do this says, and whether the organisation is as before. */
  async function connect(actions: (type: string) => readonly string[]): Promise<{
    readonly warnings: readonly string[]
    readonly about: JsonObject
    readonly isUnchanged: boolean
  }> {
    const { platform, target, orgID } = await open(actions)
    /** With the buckets whose names the picture leaves out. */
    const picture = async (): Promise<string> => {
      const buckets = await ask(server!, 'GET', `/api/v2/buckets?orgID=${orgID}`)
      const names = (buckets.body.buckets as readonly { readonly name: string }[]).map((one) => one.name)
      return JSON.stringify([names, await takeServerPicture(server!, orgID)])
    }
    const before = await picture()
    await using connection = await platform.connect(target, never)
    const { about = {}, warnings = [] } = connection
    const isUnchanged = (await picture()) === before
    return { warnings: warnings.map(({ message }) => message), about, isUnchanged }
  }

  test('a token that only reads lacks what can be probed, and nothing is written', async () => {
    expect(await connect(() => ['read'])).toMatchObject({
      warnings: [
        'The token of target prod lacks permissions: write:buckets, write:checks, write:notificationEndpoints, ' +
          'write:notificationRules, write:tasks.',
      ],
      about: { permissions: expect.stringContaining('write:tasks') as string },
      isUnchanged: true,
    })
  })

  test.each(['buckets', 'checks', 'notificationEndpoints', 'notificationRules', 'tasks'])(
    'a token that may write all but %s lacks that, and nothing is written',
    async (lacked) => {
      const found = await connect((type) => (type === lacked ? ['read'] : ['read', 'write']))
      expect(found).toMatchObject({
        warnings: [`The token of target prod lacks permissions: write:${lacked}.`],
        isUnchanged: true,
      })
    },
  )

  test('a token that may not list secrets is named', async () => {
    const { warnings } = await connect((type) => (type === 'secrets' ? [] : ['read', 'write']))
    expect(warnings).toEqual(['The token of target prod lacks permissions: read:secrets.'])
  })

  const dashboard = (orgID: string): JsonObject => ({ orgID, name: 'ops' })
  const task = (orgID: string): JsonObject => ({ orgID, flux: 'option task = {name: "t", every: 1h}\nbuckets()' })
  const variable = (orgID: string): JsonObject => ({
    orgID,
    name: 'v',
    arguments: { type: 'constant', values: ['a'] },
  })

  test.each<[string, string, (orgID: string) => JsonObject]>([
    ['Dashboard', 'dashboards', dashboard],
    ['Task', 'tasks', task],
    ['Variable', 'variables', variable],
  ])('a %s that the token may not read is not missing, and a listing warns', async (family, type, body) => {
    const { platform, target, orgID } = await open((one) => (one === type ? ['write'] : ['read', 'write']))
    const made = await ask(server!, 'POST', `/api/v2/${type}`, body(orgID))
    await using connection = await platform.connect(target, never)
    const kind = platform.kinds.find((one) => one.family === family)!
    const lookup = { address: `${family}/one` as Address, identity: made.body.id as Identity }
    await expect(connection.driver(kind).read([lookup], never)).rejects.toMatchObject({
      code: 'influxdb/no-permission',
      message: expect.stringContaining(`read:`) as string,
    })
    expect(connection.warnings).toEqual([])
    await connection.list({ limit: 500 }, never)
    expect(connection.warnings!.map(({ message }) => message)).toEqual([expect.stringContaining(`read:${type}`)])
  })

  test('a token with all permissions has no warning, and nothing is written', async () => {
    expect(await connect(() => ['read', 'write'])).toMatchObject({ warnings: [], isUnchanged: true })
  })
})
