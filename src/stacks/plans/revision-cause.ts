import { sameRevision } from '../../model/sources/revision.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { PackageFileRow } from '../../store/file-table.js'
import type { Store } from '../../store/store.js'
import { sourcePathOf } from '../load-package/sources-at-revision.js'
import type { DesiredState } from './plan-stack.js'

/** Why the declarations of a package differ from the applied ones. See `PlanInput`. */
export type RevisionCause = Pick<DesiredState, 'decision' | 'unchangedFiles'>

/** Runs that are read at once: usually the run itself, and the one before it, which was applied. */
const runsAtOnce = 3
/** The most runs that are searched for a decision. */
const mostSearched = 21

/**
 * What moves a stack from its applied package to this one: a person's decision, recorded with the runs since the last
 * applied one; else its source, except for the files that did not change.
 */
export async function revisionCause(
  stack: Stack,
  { revision, files }: { readonly revision: string; readonly files: readonly Pick<PackageFileRow, 'path' | 'id'>[] },
  store: Pick<Store, 'runs' | 'files'>,
): Promise<RevisionCause> {
  const { applied, spec } = stack
  if (applied === null) return {}
  const decision = applied.revision === revision ? undefined : await revisionDecision(stack, revision, store)
  if (decision !== undefined) return { decision }
  const former = await store.files.ids(applied.files)
  const pathOf = sourcePathOf(spec.sources)
  const unchanged = files.filter(({ path, id }) => former.get(path) === id)
  return { unchangedFiles: new Set(unchanged.map(({ path }) => pathOf(path))) }
}

async function revisionDecision(
  { id }: Stack,
  revision: string,
  { runs }: Pick<Store, 'runs'>,
): Promise<RevisionCause['decision']> {
  for (let searched = 0, after: string | undefined; searched < mostSearched; searched += runsAtOnce) {
    const found = await runs.list(id, { limit: runsAtOnce, after })
    for (const { intent, outcome, cause, revision: at } of found) {
      const isSettled = outcome === 'applied' || outcome === 'unchanged'
      if (intent === 'sync' && isSettled) return undefined
      if (cause.decision !== undefined && sameRevision(at, revision)) return cause.decision
    }
    if (found.length < runsAtOnce) return undefined
    after = found.at(-1)!.id
  }
  return undefined
}
