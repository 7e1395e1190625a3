// What the doctor reports about fleets: why their listings change nothing, and fleets that no file declares any more.
import { timeText } from '../../lib/text/time-text.js'
import { ok, problem, warning, type Check } from '../../model/agent/check.js'
import type { Fleet } from '../../model/stacks/fleet.js'
import { placedMessage } from '../../model/problem.js'
import type { Context } from '../context.js'
import { everyFleet } from '../fleets/every-fleet.js'

/** The most fleets with problems, and problems of one, in one diagnosis. */
const fleetsShown = 50
const problemsShown = 5

/** None without fleets. */
export async function fleetChecks({ store }: Pick<Context, 'store'>): Promise<readonly Check[]> {
  const checks: Check[] = []
  let count = 0
  let troubled = 0
  for await (const fleet of everyFleet(store)) {
    count++
    const found = problemChecks(fleet)
    if (found.length > 0 && ++troubled <= fleetsShown) checks.push(...found)
  }
  if (troubled > fleetsShown) checks.push(warning('fleets', moreFleets(troubled - fleetsShown), 'gitmoor fleet list'))
  return count > 0 && troubled === 0 ? [ok('fleets', `${count}, none needs attention`)] : checks
}

function problemChecks({ spec, declared, listing }: Fleet): readonly Check[] {
  const name = `fleet ${spec.name}`
  if (!declared)
    return [
      warning(
        name,
        'The configuration file no longer declares it, and its stacks are suspended.',
        `Declare it again.\nOr delete it and keep its stacks: gitmoor fleet delete ${spec.name}`,
      ),
    ]
  if (listing === null) return []
  const since = `The listing of ${timeText(listing.at)} changed nothing`
  return listing.problems
    .slice(0, problemsShown)
    .map((one) =>
      problem(name, `${since}: ${placedMessage(one)}`, one.hint ?? `See it: gitmoor fleet get ${spec.name}`),
    )
}

function moreFleets(rest: number): string {
  return rest === 1 ? '1 more fleet needs attention.' : `${rest} more fleets need attention.`
}
