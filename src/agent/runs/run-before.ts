import { isOlderId } from '../../model/id.js'
import type { Run } from '../../model/stacks/run.js'
import type { Store } from '../../store/store.js'

const runsSearched = 100

/** The newest run of the stack before this one, of those that are more than a change of the stack itself. */
export async function runBefore(
  { runs }: Pick<Store, 'runs'>,
  { stack, id: run }: Pick<Run, 'stack' | 'id'>,
): Promise<Run | undefined> {
  const listed = await runs.list(stack, { limit: runsSearched })
  return listed.find(({ id, intent }) => isOlderId(id, run) && intent !== 'ownership')
}
