import { Rejected } from '../model/errors.js'
import type { Kind } from '../model/kind.js'
import type { Connection } from '../platform/platform.js'
import { callDriver, type Calling } from '../platform/call-driver.js'
import type { Identity } from '../model/address.js'
import type { Owned } from '../model/resource.js'
import { identityBefore } from './became.js'
import { foundRecord } from './found-record.js'
import type { Entry, Journal, Sealer } from './journal.js'

/**
 * Looks for the resources of unconfirmed creations. If one exists, its identity and ownership are recorded; else its
 * entry is deleted. Returns the open entries.
 */
export async function resolveTraces(
  stack: string,
  {
    journal,
    sealer,
    connection,
    calling,
    kindNamed,
  }: {
    readonly journal: Journal
    readonly sealer: Sealer
    readonly connection: Connection
    readonly calling: Calling
    readonly kindNamed: (kind: string) => Kind | undefined
  },
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const open = await journal.open(stack)
  const doubtful = open.filter(
    (entry) =>
      entry.trace !== undefined && entry.identity === undefined && entry.state !== 'undone' && entry.state !== 'done',
  )
  if (doubtful.length === 0) return open
  for (const entry of doubtful) {
    const { change } = entry
    const kind = kindNamed(change.kind)
    if (kind === undefined) continue
    const driver = connection.driver(kind)
    const found = await callDriver(
      `find ${change.address}`,
      calling,
      (inner) => driver.find(entry.trace!, inner),
      signal,
    )
    if (found === undefined && entry.state === 'doing') await journal.drop(stack, entry.id)
    if (found === undefined) continue
    const own = entry.state === 'doing' ? [foundRecord(change, found, kind)] : recordsAt(entry, found.identity, sealer)
    await journal
      .mark(stack, entry.id, { identity: found.identity, own })
      .catch((error: unknown) => dropTaken(error, entry))
  }
  return journal.open(stack)

  /** Another stack took over the resource meanwhile: for this stack it was never created. */
  async function dropTaken(error: unknown, { id }: Entry): Promise<void> {
    if (!(error instanceof Rejected) || error.code !== 'store/owned') throw error
    await journal.drop(stack, id)
  }
}

/** Ownership from before the step, for a resource that was recreated. */
function recordsAt(entry: Entry, identity: Identity, sealer: Sealer): readonly Owned[] {
  const was = identityBefore(entry, sealer)
  return entry.ownedBefore.map((record) => (record.identity === was ? { ...record, identity } : record))
}
