// The changes of an ended run whose answers were lost: the target that was read since shows which of them it made.
import { familyOf, type Address } from '../model/address.js'
import type { KindNamed } from '../model/resources/kind.js'
import { Rejected } from '../model/errors.js'
import type { Observed, Owned } from '../model/resources/resource.js'
import type { RunLease } from '../model/stacks/run.js'
import type { IgnoreRule } from '../model/stacks/stack.js'
import { writesTarget } from '../plan/counts.js'
import { sameJson } from '../plan/diff.js'
import { ignoredFieldsByFamily } from '../plan/ignored.js'
import type { Connection } from '../platform/platform.js'
import type { JournalEntry, Journal, Sealer } from './journal.js'
import { openSnapshot, snapshotOf } from './snapshot.js'

/** What a plan read. */
export interface ReadTarget {
  readonly owned: ReadonlyMap<Address, Owned>
  readonly observed: ReadonlyMap<Address, Observed>
}

export interface ConfirmDeps {
  /** Of the run in progress. */
  readonly lease: RunLease
  readonly journal: Journal
  readonly sealer: Sealer
  readonly connection: Pick<Connection, 'driver'>
  readonly kindNamed: KindNamed
  readonly ignore?: readonly IgnoreRule[]
}

/** Records updates and removals of earlier runs that the target made, so these runs count them. */
export async function confirmChanges(
  open: readonly JournalEntry[],
  read: ReadTarget,
  deps: ConfirmDeps,
): Promise<void> {
  // An earlier change of the same resource was decided before the later one began.
  const latest = new Map(open.map((entry) => [entry.change.address, entry]))
  for (const entry of latest.values())
    if (isUnconfirmed(entry, deps.lease.run) && isMade(entry, read, deps))
      await deps.journal.recordProgress(deps.lease, entry.id, { state: 'done', found: true })
}

function isUnconfirmed({ run, state, change: { action }, before }: JournalEntry, current: string): boolean {
  return run !== current && state === 'doing' && action !== 'create' && before !== undefined
}

function isMade({ change, identity, before }: JournalEntry, { owned, observed }: ReadTarget, deps: ConfirmDeps) {
  const { address, from = address } = change
  const there = observed.get(address) ?? observed.get(from)
  if (change.action === 'remove') return owned.has(address) && there?.identity !== identity
  const kind = deps.kindNamed(change.kind, address)
  if (!writesTarget(change) || kind === undefined || there?.identity !== identity) return false
  const { strip } = ignoredFieldsByFamily(deps.ignore)(familyOf(address))
  const was = readableSnapshot(before!, deps.sealer)
  const now = snapshotOf(there!, deps.connection.driver(kind))
  return was !== undefined && !sameJson(strip(kind.normalise(was.actual)), strip(kind.normalise(now.actual)))
}

/** undefined: it was sealed with a key that was lost. */
function readableSnapshot(before: NonNullable<JournalEntry['before']>, sealer: Sealer): Observed | undefined {
  try {
    return openSnapshot(before, sealer)
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    return undefined
  }
}
