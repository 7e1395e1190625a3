// Packages of the corpus on a real server: applied, applied again without a write, and uninstalled with nothing left.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { corpusCases, corpusText, hasCorpus } from '../../corpus.js'
import { inMemory } from '../../e2e/hosting.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { never } from '../../source/git-world.js'
import { ask, newOrganisation, realServer, type TestServer } from './server.js'
import { serverUnderTest } from './server-under-test.js'

const server = realServer()

/** Everything in an organisation that a package could have made. */
async function left(from: TestServer, orgID: string): Promise<readonly string[]> {
  const lists = {
    buckets: 'buckets',
    labels: 'labels',
    dashboards: 'dashboards',
    variables: 'variables',
    tasks: 'tasks',
    telegrafs: 'configurations',
    checks: 'checks',
    notificationEndpoints: 'notificationEndpoints',
    notificationRules: 'notificationRules',
  }
  const found: string[] = []
  for (const [path, key] of Object.entries(lists)) {
    const { body } = await ask(from, 'GET', `/api/v2/${path}?orgID=${orgID}&limit=100`)
    found.push(...(body[key] as { name: string }[]).map(({ name }) => `${path}/${name}`))
  }
  const { body } = await ask(from, 'GET', `/api/v2/orgs/${orgID}/secrets`)
  found.push(...(body.secrets as string[]).map((key) => `secrets/${key}`))
  return found.filter((name) => !name.startsWith('buckets/_'))
}

describe.skipIf(!hasCorpus || server === undefined)('a package of the corpus on a real InfluxDB', () => {
  test.each(corpusCases('yaml', 'json').filter(([, { applies }]) => applies === 'yes'))(
    '%s is applied, applied again without a write, and uninstalled with nothing left',
    async (_, row) => {
      const organisation = await newOrganisation(server!)
      const on = serverUnderTest(server!, { main: organisation.name, other: organisation.name })
      const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-corpus-')))
      writeNewDataDirectory(root)
      const world = new World(root, on, await inMemory())
      try {
        await world.start({ targets: ['local'] })
        const name = row.format === 'json' ? 'package.json' : 'package.yml'
        await world.repository.commit({ files: { [name]: corpusText(row) }, tags: [] })
        const first = await world.create('boards')
        const errors = first.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
        expect([first.outcome, ...errors]).toEqual(['applied'])
        on.sent.length = 0
        expect((await world.sync('boards')).outcome).toBe('unchanged')
        expect(on.sent.filter(({ method }) => method !== 'GET')).toEqual([])
        const { digest } = await world.ask.previewPlan('boards', { uninstall: true }, never)
        await world.ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never)
        expect(await left(server!, organisation.id)).toEqual([])
      } finally {
        await world.close()
        await organisation.remove()
        rmSync(root, { recursive: true, force: true })
      }
    },
    60_000,
  )
})
