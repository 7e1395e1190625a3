// What people change by hand on a real server: gitmoor finds it and corrects it.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inMemory } from '../../e2e/hosting.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { callsTo, damages } from './damages.js'
import { packageTurns } from './package-turns.js'
import { newOrganisation, realServer } from './server.js'
import { newIds, pictureDifferences, takeServerPicture, type ServerPicture } from './server-picture.js'
import { serverUnderTest } from './server-under-test.js'

const server = realServer()

/** Which resource of the package is changed. */
const names: Readonly<Record<string, string>> = {
  dashboards: 'ops',
  buckets: 'raw',
  labels: 'red',
  tasks: 'rollup',
  variables: 'hosts',
  telegrafs: 'agent',
  notificationEndpoints: 'chat',
  checks: 'silent',
}

describe.skipIf(server === undefined)('on a real InfluxDB,', () => {
  let world: World
  let organisation: Awaited<ReturnType<typeof newOrganisation>>
  const picture = (): Promise<ServerPicture> => takeServerPicture(server!, organisation.id)
  const call = callsTo(server!)

  beforeAll(async () => {
    organisation = await newOrganisation(server!)
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-damage-')))
    writeNewDataDirectory(root)
    const on = serverUnderTest(server!, { main: organisation.name, other: organisation.name })
    world = new World(root, on, await inMemory())
    world.environment.set('ROUTING', 'the routing key').set('CHAT', 'the token')
    await world.start({ targets: ['local'], secrets: { environment: ['ROUTING', 'CHAT'], files: [] } })
    await world.push(packageTurns['a first apply'])
    const secrets = { routing: '${env:ROUTING}', 'chat-token': '${env:CHAT}' }
    const day = 86_400_000
    const run = await world.create('boards', { dataLoss: 'allow', intervalMs: day, driftIntervalMs: day, secrets })
    expect(run.outcome).toBe('applied')
  })
  afterAll(async () => {
    await world.close()
    await organisation.remove()
    rmSync(world.root, { recursive: true, force: true })
  })

  test.each(damages)(
    '$what: it is found as drift, and corrected, and what is left keeps its id',
    async ({ to, make, isMadeAgain = false }) => {
      const before = await picture()
      const name = `${to}/${names[to]}`
      expect(await make(call, before.ids[name]!)).toBe(true)
      expect(pictureDifferences(before, await picture())).not.toEqual([])
      const run = await world.sync('boards')
      const errors = run.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
      expect([run.outcome, ...errors]).toEqual(['applied'])
      expect(run.plan!.changes.some(({ reason }) => reason === 'drifted' || reason === 'gone')).toBe(true)
      const after = await picture()
      expect(pictureDifferences(before, after).filter((one) => !/secrets/.test(one))).toEqual([])
      expect(newIds(before, after)).toEqual(isMadeAgain ? [`${name} has a new id`] : [])
    },
  )
})
