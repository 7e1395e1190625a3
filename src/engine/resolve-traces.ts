import { Rejected } from '../model/errors.js'
import type { Kind, KindNamed } from '../model/resources/kind.js'
import type { Connection } from '../platform/platform.js'
import { callDriver, type CallContext } from '../platform/call-driver.js'
import type { Identity } from '../model/address.js'
import type { Owned, Observed } from '../model/resources/resource.js'
import type { Lease } from '../model/stacks/run.js'
import { identityBefore } from './identity-map.js'
import type { JournalEntry, Journal, Sealer } from './journal.js'

/**
 * Finds the resources of unconfirmed creations. If one exists, its identity and ownership are recorded; else its
 * entry is deleted. Returns the open entries.
 */
export async function resolveTraces(
  {
    lease,
    journal,
    sealer,
    connection,
    calling,
    kindNamed,
  }: {
    readonly lease: Lease
    readonly journal: Journal
    readonly sealer: Sealer
    readonly connection: Connection
    readonly calling: CallContext
    readonly kindNamed: KindNamed
  },
  signal: AbortSignal,
): Promise<readonly JournalEntry[]> {
  const open = await journal.openEntries(lease.stack)
  const unconfirmed = open.filter(
    ({ trace, identity, state }) =>
      trace !== undefined && identity === undefined && (state === 'doing' || state === 'undoing'),
  )
  if (unconfirmed.length === 0) return open
  for (const entry of unconfirmed) {
    const { change } = entry
    const kind = kindNamed(change.kind, change.address)
    if (kind === undefined) continue
    const driver = connection.driver(kind)
    const found = await callDriver(
      `find ${change.address}`,
      calling,
      (inner) => driver.find(entry.trace!, inner),
      signal,
    )
    if (found === undefined && entry.state === 'doing') await journal.drop(lease, entry.id)
    if (found === undefined) continue
    const progress =
      entry.state === 'doing'
        ? ({ own: [ownedFromEntry(change, found, kind)], found: true } as const)
        : { own: ownedAt(entry, found.identity, sealer) }
    await journal
      .recordProgress(lease, entry.id, { identity: found.identity, ...progress })
      .catch((error: unknown) => dropTaken(error, entry))
  }
  return journal.openEntries(lease.stack)

  /** Another stack took over the resource meanwhile: for this stack it was never created. */
  async function dropTaken(error: unknown, { id }: JournalEntry): Promise<void> {
    if (!(error instanceof Rejected) || error.code !== 'store/owned') throw error
    await journal.drop(lease, id)
  }
}

/** Ownership from before the step, for a resource that was recreated. */
function ownedAt(entry: JournalEntry, identity: Identity, sealer: Sealer): readonly Owned[] {
  const was = identityBefore(entry, sealer)
  return entry.ownedBefore.map((owned) => (owned.identity === was ? { ...owned, identity } : owned))
}

/** Ownership of a created resource of which only the journal entry is known. */
export function ownedFromEntry(change: JournalEntry['change'], there: Observed, kind: Kind): Owned {
  return {
    address: change.address,
    kind: change.kind,
    identity: there.identity,
    applied: kind.normalise(there.actual),
    needs: change.needs,
    ...(change.edges === undefined ? {} : { edges: change.edges }),
    ...(change.partOf === undefined ? {} : { partOf: change.partOf }),
    adopted: false,
  }
}
