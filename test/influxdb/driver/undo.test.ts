// An apply of 100 objects that fails in the middle, on a real server: 50 are there before and change, 49 are new, and
// the server refuses the last one. gitmoor leaves what was there. What InfluxDB's own service leaves is printed.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/model/json.js'
import { inMemory } from '../../e2e/hosting.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { ask, newOrganisation, realServer } from './server.js'
import { newIds, pictureDifferences, takeServerPicture, type ServerPicture } from './server-picture.js'
import { serverUnderTest } from './server-under-test.js'

const server = realServer()

const apiVersion = 'influxdata.com/v2alpha1'
const query = 'from(bucket: "raw") |> range(start: -1h)'

/** Specs by kind, in turn; `at`: of the object. */
const kinds: readonly ((at: number) => readonly [kind: string, spec: JsonObject])[] = [
  (at) => ['Bucket', { name: `bucket ${at}`, retentionRules: [{ type: 'expire', everySeconds: 86_400 * 2 }] }],
  (at) => ['Label', { name: `label ${at}`, color: '#326BBA' }],
  (at) => ['Variable', { name: `variable ${at}`, type: 'constant', values: ['a', 'b'] }],
  (at) => ['Task', { name: `task ${at}`, every: '1h', query }],
  (at) => ['Dashboard', { name: `dashboard ${at}`, charts: [chart('left', 0), chart('right', 4)] }],
]

function chart(name: string, xPos: number): JsonObject {
  return { kind: 'Markdown', name, note: 'see the runbook', xPos, yPos: 0, width: 4, height: 2 }
}

function objects(count: number, changes: JsonObject = {}): readonly JsonObject[] {
  return Array.from({ length: count }, (_, at) => {
    const [kind, spec] = kinds[at % kinds.length]!(at)
    return { apiVersion, kind, metadata: { name: `object-${at}` }, spec: { ...spec, ...changes } }
  })
}

/** Its query has no field, so the server refuses it. */
const refused: JsonObject = {
  apiVersion,
  kind: 'CheckThreshold',
  metadata: { name: 'refused' },
  spec: {
    name: 'refused',
    every: '1m',
    query,
    statusMessageTemplate: 'high',
    thresholds: [{ type: 'greater', level: 'CRIT', value: 1 }],
  },
}

const first = objects(50)
const second = [...objects(99, { description: 'changed' }), refused]

describe.skipIf(server === undefined)('an apply of 100 objects of which a real InfluxDB refuses one', () => {
  test('leaves what was there, with its ids, and nothing new', async () => {
    const organisation = await newOrganisation(server!)
    const on = serverUnderTest(server!, { main: organisation.name, other: organisation.name })
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-undo-')))
    writeNewDataDirectory(root)
    const world = new World(root, on, await inMemory())
    try {
      await world.start({ targets: ['local'] })
      await world.push(JSON.stringify(first))
      expect((await world.create('boards', { dataLoss: 'allow' })).outcome).toBe('applied')
      const before = await takeServerPicture(server!, organisation.id)
      expect(before.resources).toHaveLength(first.length)
      on.sent.length = 0
      await world.push(JSON.stringify(second))
      const run = await world.sync('boards')
      expect(run.outcome).toBe('undone')
      expect(run.plan!.changes).toHaveLength(second.length)
      expect(on.sent.filter(({ method }) => method !== 'GET').length).toBeGreaterThan(2 * first.length)
      const after = await takeServerPicture(server!, organisation.id)
      expect(pictureDifferences(before, after)).toEqual([])
      expect(newIds(before, after)).toEqual([])
    } finally {
      await world.close()
      await organisation.remove()
      rmSync(root, { recursive: true, force: true })
    }
  }, 120_000)

  test('by InfluxDB itself leaves what is printed', async () => {
    const organisation = await newOrganisation(server!)
    try {
      const apply = (contents: readonly JsonObject[], stackID?: string) =>
        ask(server!, 'POST', '/api/v2/templates/apply', {
          orgID: organisation.id,
          template: { contents },
          ...(stackID === undefined ? {} : { stackID }),
        })
      const { status, body } = await apply(first)
      expect(status).toBe(201)
      const before = await takeServerPicture(server!, organisation.id)
      expect((await apply(second, body.stackID)).status).toBeGreaterThanOrEqual(400)
      console.log(left(before, await takeServerPicture(server!, organisation.id)))
    } finally {
      await organisation.remove()
    }
  }, 120_000)
})

function left(before: ServerPicture, after: ServerPicture): string {
  const differences = pictureDifferences(before, after).filter((one) => one.startsWith('has '))
  const names = differences.map((one) => /^has (\w+) .*?"name":"([^"]*)"/.exec(one)!.slice(1).join('/'))
  return `InfluxDB left ${differences.length} of ${before.resources.length} changed: ${names.join(', ')}`
}
