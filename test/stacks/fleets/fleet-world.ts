// A world with a fleet of the configuration file.
import type { Fleet, FleetSpec } from '../../../src/model/stacks/fleet.js'
import { fleetDocument, toFleetSpec, type FleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { label } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import type { World } from '../../e2e/world.js'

/** A part of the interval of a fleet. */
const stepMs = 20_000

export function fleetSpec(
  url: string,
  directories: Partial<FleetDocument['directories']> = {},
  more: Partial<FleetDocument> = {},
): FleetSpec {
  const from = { repo: url, ref: 'main', include: ['teams/*'], name: '{path.basename}', ...directories }
  return toFleetSpec(fleetDocument.parse({ name: 'boards', directories: from, ...more }))
}

/** Declares these fleets in the configuration file of a world, or none. */
export async function declareFleets(world: World, ...fleets: readonly FleetSpec[]): Promise<void> {
  await world.reload({ changed: { fleets } })
}

/** Commits a package for each of these teams, which declares a label of this name. Removes the others. */
export async function pushTeams(world: World, ...teams: readonly string[]): Promise<string> {
  const files = Object.fromEntries(teams.map((team) => [`teams/${team}/labels.yml`, label(team)]))
  return world.repository.commit({ removed: ['teams'], files: { ...files, 'README.md': 'x' } })
}

/** Lets time pass and polls happen until the listing of the fleet is as `isWanted` says. */
export async function listedFleet(world: World, isWanted: (fleet: Fleet) => boolean, name = 'boards'): Promise<Fleet> {
  return until(`fleet ${name} is listed`, async () => {
    const fleet = await world.store.fleets.get(name)
    if (fleet?.listing != null && isWanted(fleet)) return fleet
    world.clock.advance(stepMs)
    return undefined
  })
}

/** Names of stacks, and why they are suspended. */
export async function stacksIn(world: World): Promise<Readonly<Record<string, string | null>>> {
  const { items } = await world.ask.listStacks({})
  return Object.fromEntries(items.map(({ name, suspended }) => [name, suspended?.why ?? null]))
}
