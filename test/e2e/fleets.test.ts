// A fleet over a real git server: a repository with one package for each team.
import { expect, test } from 'vitest'
import { fleetDocument, toFleetSpec } from '../../src/settings/documents/fleet-document.js'
import { label } from './packages.js'
import { until } from './until.js'
import { never, useServedWorld } from './world.js'

const world = useServedWorld()

/** Commits a package for each team, which declares a label of its name. Removes those of others. */
async function pushTeams(removed: readonly string[], ...teams: readonly string[]): Promise<void> {
  const files = Object.fromEntries(teams.map((team) => [`teams/${team}/labels.yml`, label(team)]))
  await world().repository.commit({ files, removed, tags: ['stable'] })
}

/** Lets time pass until the stacks are these, and all that are not suspended are synced. */
async function settled(stacks: Readonly<Record<string, boolean>>): Promise<void> {
  await until('the stacks follow the directories', async () => {
    world().clock.advance(10_000)
    const { items } = await world().ask.listStacks({})
    const now = Object.fromEntries(items.map(({ name, suspended }) => [name, suspended !== null]))
    const isSynced = items.every(({ sync, suspended }) => suspended !== null || sync === 'Synced')
    return isSynced && JSON.stringify(now) === JSON.stringify(stacks)
  })
}

test('a stack for each directory comes and goes with the repository, and nothing is deleted by itself', async () => {
  await pushTeams([], 'web', 'api')
  const directories = { repo: world().url, ref: 'stable', include: ['teams/*'], name: 'team-{path.basename}' }
  const spec = toFleetSpec(fleetDocument.parse({ name: 'teams', directories }))
  await world().ask.applyFleet(spec, { name: 'teams' }, never)
  await settled({ 'team-api': false, 'team-web': false })
  expect(await world().names()).toEqual(['Label/api', 'Label/web'])

  await pushTeams(['teams/web'], 'api', 'edge')
  await settled({ 'team-api': false, 'team-edge': false, 'team-web': true })
  expect(await world().names()).toEqual(['Label/api', 'Label/edge', 'Label/web'])

  await world().restart()
  const { digest } = await world().ask.previewPlan('team-web', { uninstall: true }, never)
  await world().ask.deleteStack('team-web', { uninstall: digest, by: 'ann' }, never)
  expect(await world().names()).toEqual(['Label/api', 'Label/edge'])
  expect(await world().ask.getFleet('teams')).toMatchObject({ stacks: 2, undeclared: 0 })
})
