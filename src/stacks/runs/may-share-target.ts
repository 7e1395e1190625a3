import type { Graph } from '../../graph/graph.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import { declaresOwned } from '../../plan/own-updates.js'
import type { Store } from '../../store/store.js'
import type { Targets } from '../targets.js'

/** A larger stack gains nothing: its own changes share commits already. And a plan that is in vain costs more. */
const fewResources = 100

/** True if the plan of the run probably only updates what its stack alone owns. */
export async function mayShareTarget(
  { id, spec }: Stack,
  run: Run,
  { resources }: Pick<Graph, 'resources'>,
  { targets, store }: { readonly targets: Targets; readonly store: Pick<Store, 'ownership' | 'journal'> },
): Promise<boolean> {
  if (run.intent !== 'sync' || run.expects !== null || resources.length > fewResources) return false
  if (!targets.permitsSharing(spec.target)) return false
  return declaresOwned(resources, await store.ownership.of(id)) && !(await store.journal.isOpen(id))
}
