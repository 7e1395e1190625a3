// Claims: ownership of existing resources that is stored before they are written.
import type { Address } from '../model/address.js'
import type { Change } from '../model/resources/change.js'
import type { RunLease } from '../model/stacks/run.js'
import { undoneMark, type JournalEntry, type Journal } from './journal.js'

/** True if the stack owns the resource from the beginning of the step. */
export function isClaim({ adopts, takesFrom }: Pick<Change, 'adopts' | 'takesFrom'>): boolean {
  return adopts === true || takesFrom !== undefined
}

/** Gives back what steps claimed and none is known to have written, before a run ends that keeps what it completed. */
export async function dropUnwrittenClaims(
  open: readonly JournalEntry[],
  { lease, journal }: { readonly lease: RunLease; readonly journal: Journal },
): Promise<void> {
  for (const entry of unwrittenClaims(open))
    await journal.recordProgress(lease, entry.id, undoneMark(entry, entry.identity, entry.ownedBefore))
}

function unwrittenClaims(open: readonly JournalEntry[]): readonly JournalEntry[] {
  const written = new Set<Address>()
  for (const { state, change } of open) if (state === 'done') written.add(change.address)
  return open.filter(({ state, change }) => state === 'doing' && isClaim(change) && !written.has(change.address))
}
