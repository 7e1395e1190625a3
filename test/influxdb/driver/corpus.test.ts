// Packages of the corpus on a real server: applied, applied again without a write, damaged by hand and repaired, and
// uninstalled with nothing left.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { corpusCases, corpusText, hasCorpus } from '../../corpus.js'
import { inMemory } from '../../e2e/hosting.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { never } from '../../source/git-world.js'
import { callsTo, damages } from './damages.js'
import { ask, newOrganisation, realServer, type TestServer } from './server.js'
import { pictureDifferences, takeServerPicture } from './server-picture.js'
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

/** Damages the first resource of each type in every way that it permits. After each, a sync restores all. */
async function repair(world: World, on: TestServer, orgID: string): Promise<void> {
  const call = callsTo(on)
  for (const { what, to, make } of damages) {
    const before = await takeServerPicture(on, orgID)
    const [, id] = Object.entries(before.ids).find(([name]) => name.startsWith(`${to}/`)) ?? []
    if (id === undefined || !(await make(call, id))) continue
    expect(pictureDifferences(before, await takeServerPicture(on, orgID)), what).not.toEqual([])
    expect([what, (await world.sync('boards')).outcome]).toEqual([what, 'applied'])
    expect([what, ...pictureDifferences(before, await takeServerPicture(on, orgID))]).toEqual([what])
    repaired.add(what)
  }
}

const repaired = new Set<string>()

describe.skipIf(!hasCorpus || server === undefined)('a package of the corpus on a real InfluxDB', () => {
  test.each(corpusCases('yaml', 'json').filter(([, { applies }]) => applies === 'yes'))(
    '%s is applied, applied again without a write, repaired after each damage, and uninstalled with nothing left',
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
        const first = await world.create('boards', { dataLoss: 'allow' })
        const errors = first.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
        expect([first.outcome, ...errors]).toEqual(['applied'])
        on.sent.length = 0
        expect((await world.sync('boards')).outcome).toBe('unchanged')
        expect(on.sent.filter(({ method }) => method !== 'GET')).toEqual([])
        await repair(world, server!, organisation.id)
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
  test('each way of damage was tried', () => {
    expect([...repaired].toSorted()).toEqual(damages.map(({ what }) => what).toSorted())
  })
})
