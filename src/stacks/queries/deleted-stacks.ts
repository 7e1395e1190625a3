// The history of stacks that were deleted.
import { isoTime } from '../../lib/text/time-text.js'
import { isOlderId } from '../../model/id.js'
import type { DeletedStack } from '../../model/stacks/deleted-stack.js'
import type { Store } from '../../store/store.js'
import type { RunPage, RunView } from '../../views/run.js'
import { nextCursor, type Paging } from '../paging.js'
import { viewRunRow } from './view-stack.js'

export function runsOfDeleted(
  { id, by, at, runs: all }: DeletedStack,
  { limit, after }: Paging & { readonly limit: number },
): RunPage {
  const runs = all.filter((run) => after === undefined || isOlderId(run.id, after)).slice(0, limit)
  const items = runs.map((run) => viewRunRow(run))
  return { items, next: nextCursor(items, limit, (run) => run.id), deleted: { id, by, at: isoTime(at) } }
}

/** undefined: the stack exists, or it has no such run. */
export async function findDeletedRun(
  { stacks }: Pick<Store, 'stacks'>,
  name: string,
  id: string,
): Promise<RunView | undefined> {
  if ((await stacks.get(name)) !== undefined) return undefined
  const run = (await stacks.deleted(name))?.runs.find((one) => one.id === id)
  if (run === undefined) return undefined
  const unknown = { blockers: [], phases: [], plan: null }
  return { ...viewRunRow(run), stack: name, intent: run.intent, ...unknown, problems: [...run.problems] }
}
