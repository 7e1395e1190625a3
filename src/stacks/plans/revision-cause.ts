import { sameRevision } from '../../model/revision.js'
import { sourceLocations } from '../../model/source-spec.js'
import type { Stack } from '../../model/stack.js'
import type { Store } from '../../store/store.js'
import type { DesiredState } from './plan-stack.js'

/** The most runs that are searched for a decision. */
const runsSearched = 20

/**
 * What moves a stack from its applied revision to this one: a person's decision, recorded with the runs since the last
 * applied one; or nothing, if the revision is applied.
 */
export async function revisionCause(
  { id, applied, spec }: Stack,
  revision: string,
  { runs }: Pick<Store, 'runs'>,
): Promise<Pick<DesiredState, 'decision' | 'isApplied'>> {
  if (applied === null) return {}
  if (applied.revision === revision) return { isApplied: applied.place === sourceLocations(spec) }
  for (const { intent, outcome, cause, revision: at } of await runs.list(id, { limit: runsSearched })) {
    const isSettled = outcome === 'applied' || outcome === 'unchanged'
    if (intent === 'sync' && isSettled) return {}
    if (cause.decision !== undefined && sameRevision(at, revision)) return { decision: cause.decision }
  }
  return {}
}
