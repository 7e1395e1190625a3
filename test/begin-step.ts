import type { Journal, NewEntry } from '../src/engine/journal.js'
import type { Change } from '../src/model/resources/change.js'
import type { RunLease } from '../src/model/stacks/run.js'

/** Begins one step. Returns its entry. */
export async function beginStep(
  journal: Journal,
  lease: RunLease,
  change: Change,
  known: Omit<NewEntry, 'change'> = {},
): Promise<number> {
  const [entry] = await journal.begin(lease, [{ change, ...known }])
  return entry!
}
