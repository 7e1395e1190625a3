// The credentials of endpoints on a real server, which keeps those of endpoints that somebody deletes.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inMemory } from '../../e2e/hosting.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { ask, newOrganisation, realServer } from './server.js'
import { serverUnderTest } from './server-under-test.js'

const server = realServer()
const slack = (name: string): string => `apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointSlack
metadata: {name: ${name}}
spec: {url: 'https://hooks.example.test/x', token: secret-of-${name}}
`

test.skipIf(server === undefined)(
  'an endpoint that was deleted by hand and is made again leaves no secret behind, and takes none of others',
  async () => {
    const organisation = await newOrganisation(server!)
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-endpoints-')))
    writeNewDataDirectory(root)
    const on = serverUnderTest(server!, { main: organisation.name, other: organisation.name })
    const world = new World(root, on, await inMemory())
    const endpoints = async (): Promise<readonly { readonly id: string; readonly name: string }[]> =>
      (await ask(server!, 'GET', `/api/v2/notificationEndpoints?orgID=${organisation.id}`)).body.notificationEndpoints
    const secretsPath = `/api/v2/orgs/${organisation.id}/secrets`
    const secrets = async (): Promise<readonly string[]> =>
      ((await ask(server!, 'GET', secretsPath)).body.secrets as string[]).sort()
    try {
      await world.start({ targets: ['local'] })
      await world.push([slack('chat'), slack('pager')].join('---\n'))
      await world.create('alerts')
      const before = await endpoints()
      expect(await secrets()).toEqual(before.map(({ id }) => `${id}-token`).sort())
      await ask(server!, 'PATCH', secretsPath, { 'of-somebody-token': 'x' })
      const { id } = before.find(({ name }) => name === 'chat')!
      await ask(server!, 'DELETE', `/api/v2/notificationEndpoints/${id}`)
      await world.sync('alerts')
      const after = await endpoints()
      expect(after.map((one) => one.id)).not.toContain(id)
      expect(await secrets()).toEqual([...after.map((one) => `${one.id}-token`), 'of-somebody-token'].sort())
    } finally {
      await world.close()
      await organisation.remove()
      rmSync(root, { recursive: true, force: true })
    }
  },
)
