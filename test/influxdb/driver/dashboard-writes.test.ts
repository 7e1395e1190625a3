// How many requests the charts of a dashboard take.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/model/json.js'
import { inMemory } from '../../e2e/hosting.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { useServingAgent } from '../influx-servers.js'
import { ask, newOrganisation, realServer, type TestServer } from './server.js'
import { serverUnderTest, type ServerUnderTest } from './server-under-test.js'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function openWorld(server: TestServer, organisation: string): Promise<Opened> {
  const on = serverUnderTest(server, { main: organisation, other: organisation })
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-dashboards-')))
  closing.push(async () => rmSync(root, { recursive: true, force: true }))
  writeNewDataDirectory(root)
  const world = new World(root, on, await inMemory())
  closing.push(() => world.close())
  await world.start({ targets: ['local'] })
  return { server, world, on }
}

interface Opened {
  readonly server: TestServer
  readonly world: World
  readonly on: ServerUnderTest
}

const chart = (at: number, note: string): JsonObject => ({
  kind: 'Markdown',
  name: `Chart ${at}`,
  note,
  xPos: at * 3,
  yPos: 0,
  width: 3,
  height: 2,
})
const dashboard = (...notes: readonly string[]): string =>
  JSON.stringify({
    apiVersion: 'influxdata.com/v2alpha1',
    kind: 'Dashboard',
    metadata: { name: 'ops' },
    spec: { name: 'Ops', description: 'the team', charts: notes.map((note, at) => chart(at, note)) },
  })

function define(open: () => Promise<Opened>): void {
  test('all charts are created with their dashboard, and a changed one is changed alone', async () => {
    const { server, world, on } = await open()
    const writes = (): readonly string[] =>
      on.sent.splice(0).flatMap(({ method, url }) => (method === 'GET' ? [] : `${method} ${formOf(url)}`))
    await world.push(dashboard('one', 'two', 'three'))
    expect((await world.create('boards')).outcome).toBe('applied')
    const id = /[0-9a-f]{16}/.exec(on.sent.find(({ method }) => method === 'PATCH')!.url)![0]
    expect(writes()).toEqual(['POST dashboards', 'PATCH dashboards/ID'])
    const read = await ask(server, 'GET', `/api/v2/dashboards/${id}?include=properties`)
    expect(read.body).toMatchObject({
      description: 'the team',
      cells: [
        { name: 'Chart 0', x: 0, w: 3, properties: { type: 'markdown', note: 'one' } },
        { name: 'Chart 1', x: 3, w: 3, properties: { type: 'markdown', note: 'two' } },
        { name: 'Chart 2', x: 6, w: 3, properties: { type: 'markdown', note: 'three' } },
      ],
    })
    await world.push(dashboard('one', 'changed', 'three'))
    expect((await world.sync('boards')).outcome).toBe('applied')
    expect(writes()).toEqual(['PATCH dashboards/ID/cells/ID/view'])
  })
}

/** Its path after `/api/v2/`, without ids. */
function formOf(url: string): string {
  return new URL(url).pathname.replace('/api/v2/', '').replaceAll(/[0-9a-f]{16}/g, 'ID')
}

describe('another agent', () => {
  const server = useServingAgent()
  define(() => openWorld(server(), 'main'))
})

const real = realServer()
describe.skipIf(real === undefined)('a real InfluxDB', () => {
  define(async () => {
    const organisation = await newOrganisation(real!)
    closing.push(() => organisation.remove())
    return openWorld(real!, organisation.name)
  })
})
