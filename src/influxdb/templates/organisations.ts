// Organisations: the live systems of the InfluxDB API.
import { Refused } from '../../model/errors.js'
import { quoted } from '../../lib/text/printable.js'
import type { Caller } from '../../platform/platform.js'
import type { OrganisationView } from './template-stack.js'
import type { Context } from '../../stacks/context.js'
import type { Targets } from '../../stacks/targets.js'

/** Platforms whose live systems are organisations. */
const platforms: readonly string[] = ['embedded']

/** The organisations of all targets. */
export async function listOrganisations({ sync }: Context): Promise<readonly OrganisationView[]> {
  return organisations(sync.targets)
}

/** By its id. Errors: `Refused` conflict. */
export function findOrganisation(targets: Targets, id: string): OrganisationView {
  const all = organisations(targets)
  const found = all.find((one) => one.id === id)
  if (found !== undefined) return found
  throw new Refused('conflict', `There is no organization ${quoted(id)}.`, {
    code: 'stacks/organisation-unknown',
    hint: `Organizations: ${all.map((one) => `${one.name} (${one.id})`).join(', ')}.`,
  })
}

/** The id of the organisation that a target is; undefined: it is none. Errors: `TargetMissing`. */
export function organisationId(targets: Targets, target: string, caller?: Caller): string | undefined {
  const system = targets.liveSystem(target, caller)
  return organisations(targets).find((one) => targets.liveSystem(one.target) === system)?.id
}

function organisations(targets: Targets): readonly OrganisationView[] {
  return targets
    .systems()
    .filter(({ platform }) => platforms.includes(platform))
    .map(({ id, name, target }) => ({ id, name, target }))
}
