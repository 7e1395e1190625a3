// A token that somebody replaces on a real server: what the former one failed is retried without a person.
import { mkdtempSync, realpathSync, rmSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { inMemory } from '../../e2e/hosting.js'
import { bucket, yaml } from '../packages.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { ask, newOrganisation, realServer } from './server.js'
import { serverUnderTest } from './server-under-test.js'

const server = realServer()

describe.skipIf(server === undefined)('on a real InfluxDB', () => {
  let organisation: Awaited<ReturnType<typeof newOrganisation>>
  let world: World
  const writeToken = (token: string): void => writeFileSync(join(world.root, 'token'), token)
  const stack = async () => (await world.store.stacks.get('boards'))!

  beforeEach(async () => {
    organisation = await newOrganisation(server!)
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-token-')))
    writeNewDataDirectory(root)
    const names = { main: organisation.name, other: organisation.name }
    const token = (): string => readFileSync(join(root, 'token'), 'utf8')
    world = new World(root, serverUnderTest(server!, names, { reference: '${file:token}', token }), await inMemory())
    writeToken('nobody-knows-it')
    await world.start({ targets: ['local'] })
    await world.push(yaml(bucket('raw')))
    return async () => {
      await world.close()
      await organisation.remove()
      rmSync(root, { recursive: true, force: true })
    }
  })

  async function tokenThatReads(): Promise<string> {
    const orgID = organisation.id
    const permissions = [
      { action: 'read', resource: { type: 'orgs', id: orgID } },
      { action: 'read', resource: { type: 'buckets', orgID } },
    ]
    return (await ask(server!, 'POST', '/api/v2/authorizations', { orgID, permissions })).body.token as string
  }

  test('an unknown token, then one that may not write, then one that may', async () => {
    const first = await world.create('boards')
    expect((await stack()).failure).toMatchObject({
      reason: 'TargetRefused',
      code: 'influxdb/token-refused',
      retry: 'soon',
    })
    writeToken(await tokenThatReads())
    world.clock.advance(60_000)
    const second = await world.runAfter('boards', first.id)
    expect(second.problems.map(({ code, message }) => [code, message])).toContainEqual([
      'influxdb/no-permission',
      'Bucket/raw: The token of target local lacks the permission write:buckets.',
    ])
    expect((await stack()).failure).toMatchObject({ reason: 'Undone', retry: 'change' })
    writeToken(server!.token)
    world.clock.advance(60_000)
    expect(await world.runAfter('boards', second.id)).toMatchObject({ outcome: 'applied' })
  })

  test('an organisation that does not exist is a refusal, too', async () => {
    writeToken(server!.token)
    await organisation.remove()
    await world.create('boards')
    expect((await stack()).failure).toMatchObject({
      reason: 'TargetRefused',
      code: 'influxdb/no-organisation',
      retry: 'soon',
    })
  })
})
