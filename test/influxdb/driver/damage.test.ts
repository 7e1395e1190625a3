// What people change by hand on a real server: gitmoor finds it and corrects it.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inMemory } from '../../e2e/hosting.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { packageTurns } from './package-turns.js'
import { ask, newOrganisation, realServer } from './server.js'
import { newIds, pictureDifferences, takeServerPicture, type ServerPicture } from './server-picture.js'
import { serverUnderTest } from './server-under-test.js'

const server = realServer()

type Call = (method: string, path: string, body?: object) => Promise<any>
/** Changes the server. `id`: of a resource by type and name. Gives the names of what is made again. */
type Damage = (call: Call, id: (name: string) => string) => Promise<readonly string[]>

const cellsOf = async (call: Call, id: (name: string) => string): Promise<readonly { readonly id: string }[]> =>
  (await call('GET', `/dashboards/${id('dashboards/ops')}`)).cells

const damages: Readonly<Record<string, Damage>> = {
  'a dashboard is deleted': async (call, id) => {
    await call('DELETE', `/dashboards/${id('dashboards/ops')}`)
    return ['dashboards/ops']
  },
  'a cell is deleted': async (call, id) => {
    const [cell] = await cellsOf(call, id)
    await call('DELETE', `/dashboards/${id('dashboards/ops')}/cells/${cell!.id}`)
    return []
  },
  'a cell is moved': async (call, id) => {
    const [, cell] = await cellsOf(call, id)
    await call('PATCH', `/dashboards/${id('dashboards/ops')}/cells/${cell!.id}`, { x: 9, y: 5, w: 2, h: 2 })
    return []
  },
  'a bucket is renamed': async (call, id) => {
    await call('PATCH', `/buckets/${id('buckets/raw')}`, { name: 'cooked' })
    return []
  },
  'a retention is changed': async (call, id) => {
    const retentionRules = [{ type: 'expire', everySeconds: 864_000, shardGroupDurationSeconds: 86_400 }]
    await call('PATCH', `/buckets/${id('buckets/raw')}`, { retentionRules })
    return []
  },
  'a label has another color': async (call, id) => {
    await call('PATCH', `/labels/${id('labels/red')}`, { properties: { color: '#123456' } })
    return []
  },
  'a label is taken from a resource': async (call, id) => {
    const { labels } = await call('GET', `/dashboards/${id('dashboards/ops')}`)
    const [label] = labels as { id: string }[]
    await call('DELETE', `/dashboards/${id('dashboards/ops')}/labels/${label!.id}`)
    return []
  },
  'a task is switched off': async (call, id) => {
    const { status } = await call('GET', `/tasks/${id('tasks/rollup')}`)
    await call('PATCH', `/tasks/${id('tasks/rollup')}`, { status: status === 'active' ? 'inactive' : 'active' })
    return []
  },
  'the values of a variable change': async (call, id) => {
    await call('PATCH', `/variables/${id('variables/hosts')}`, { arguments: { type: 'constant', values: ['other'] } })
    return []
  },
  'a Telegraf configuration changes': async (call, id) => {
    const path = `/telegrafs/${id('telegrafs/agent')}`
    const { orgID } = await call('GET', `/buckets/${id('buckets/raw')}`)
    await call('PUT', path, {
      orgID,
      name: 'agent',
      metadata: { buckets: [] },
      config: '[agent]\n  interval = "99s"\n',
    })
    return []
  },
  'an endpoint is deleted': async (call, id) => {
    await call('DELETE', `/notificationEndpoints/${id('notificationEndpoints/chat')}`)
    return ['notificationEndpoints/chat']
  },
  'a check is deleted': async (call, id) => {
    await call('DELETE', `/checks/${id('checks/silent')}`)
    return ['checks/silent']
  },
}

describe.skipIf(server === undefined)('on a real InfluxDB,', () => {
  let world: World
  let organisation: Awaited<ReturnType<typeof newOrganisation>>
  /** The server forgets a property of a label that is set to ''. */
  const picture = async (): Promise<ServerPicture> => {
    const { resources, ids } = await takeServerPicture(server!, organisation.id)
    return { ids, resources: resources.map((one) => one.replaceAll(/,?"description":""/g, '')) }
  }
  const call: Call = async (method, path, body) => {
    const { status, body: answer } = await ask(server!, method, `/api/v2${path}`, body as never)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer as unknown
  }

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

  test.each(Object.entries(damages))(
    '%s: it is found as drift, and corrected, and what is left keeps its id',
    async (_, damage) => {
      const before = await picture()
      const made = await damage(call, (name) => {
        const id = before.ids[name]
        if (id === undefined) throw new Error(`There is no ${name}: ${Object.keys(before.ids).join(', ')}.`)
        return id
      })
      expect(pictureDifferences(before, await picture())).not.toEqual([])
      const run = await world.sync('boards')
      const errors = run.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
      expect([run.outcome, ...errors]).toEqual(['applied'])
      expect(run.plan!.changes.some(({ reason }) => reason === 'drifted' || reason === 'gone')).toBe(true)
      const after = await picture()
      expect(pictureDifferences(before, after).filter((one) => !/secrets/.test(one))).toEqual([])
      expect(newIds(before, after)).toEqual(made.map((name) => `${name} has a new id`))
    },
  )
})
