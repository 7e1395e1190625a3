// Declares the fleets of the configuration file. The stacks of a fleet that is no longer declared are suspended.
import type { FleetSpec } from '../../model/stacks/fleet.js'
import type { Problem } from '../../model/problem.js'
import type { MemberDeps } from '../members/members.js'
import { everyFleet } from './every-fleet.js'
import { endFleet } from './keep-fleet.js'

/**
 * Declares all fleets whose names are free. Gives the problems of the others. Those of directories are listed after the
 * next poll; those of targets at once, also the fleets of requests, because the targets may have changed.
 * Fleets that were no longer declared before end again: the agent may have crashed before it suspended all stacks.
 */
export async function declareFleets(specs: readonly FleetSpec[], deps: MemberDeps): Promise<readonly Problem[]> {
  const { sync, scheduler } = deps
  const names = new Set(specs.map(({ name }) => name))
  const problems: Problem[] = []
  for await (const fleet of everyFleet(sync.store)) {
    const { spec, managedBy, declared } = fleet
    if (managedBy === 'api' && 'targets' in spec) scheduler.fleets.follow(fleet)
    if (managedBy === 'api' || names.has(spec.name)) continue
    scheduler.fleets.unfollow(spec.name)
    const end = async (): Promise<void> => {
      if (declared) await sync.store.fleets.put({ spec, managedBy, declared: false })
      problems.push(...(await endFleet(spec, deps)))
    }
    await scheduler.fleets.exclusively(spec.name, new AbortController().signal, end)
  }
  for (const spec of specs) {
    const before = await sync.store.fleets.get(spec.name)
    if (before?.managedBy === 'api') problems.push(takenName(spec))
    else scheduler.fleets.follow(await sync.store.fleets.put({ spec, managedBy: 'file', declared: true }))
  }
  return problems
}

function takenName({ name }: FleetSpec): Problem {
  return {
    severity: 'error',
    code: 'config/fleet',
    message: `Fleet ${name} of the configuration file is not declared: a fleet of this name was created with the API.`,
    hint: `Choose another name in the file, or delete the existing fleet: gitmoor fleet delete ${name}`,
  }
}
