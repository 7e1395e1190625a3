// Converts rows of the database to nouns of the model.
import type { Selectable } from 'kysely'
import type { Address, Identity } from '../../../model/address.js'
import { edgeTargets, type Edge } from '../../../model/resources/edge.js'
import type { Json, Sealed } from '../../../model/json.js'
import type { LastChange, Owned } from '../../../model/resources/resource.js'
import type { Cause, Run } from '../../../model/stacks/run.js'
import type { Stack, StackSpec } from '../../../model/stacks/stack.js'
import { stackDefaults } from '../../../settings/stack-settings.js'
import type { JournalEntry } from '../../../engine/journal.js'
import { memoize } from '../../../lib/memoize.js'
import type { Tables } from './tables.js'

/** `pushed`: the digest of its newest push. */
export type StoredStack = Selectable<Tables['stacks']> & { readonly pushed: string | null }
export type StoredRun = Selectable<Tables['runs']>
export type OwnedRow = Selectable<Tables['owned']>
export type JournalRow = Selectable<Tables['journal']>

/** The parsed JSON, whose type the column implies. */
export function parsed(text: string | null): any {
  return text === null ? null : JSON.parse(text)
}

/** Settings that an older version did not store have their default. */
function parseSpec(text: string): StackSpec {
  return { ...stackDefaults, ...(JSON.parse(text) as StackSpec) }
}

/** Settings are read more often than all else, and seldom change. */
const rememberedSpec = memoize(2_000, parseSpec)

/** The most characters of settings that are remembered. */
const mostRemembered = 4_096

/** The settings of a stored stack. */
export function specOf(text: string): StackSpec {
  return text.length > mostRemembered ? parseSpec(text) : rememberedSpec(text)
}

export function toStack(row: StoredStack): Stack {
  return {
    id: row.id,
    spec: specOf(row.spec),
    managedBy: row.managed_by,
    createdAt: row.created_at,
    suspended: parsed(row.suspended),
    pinned: parsed(row.pinned),
    pushed: row.pushed,
    observed: parsed(row.observed),
    attempted: parsed(row.attempted),
    applied: parsed(row.applied),
    consent: parsed(row.consent),
    checkedAt: row.checked_at,
    drifted: row.drifted,
    driftedSince: row.drifted_since,
    unhealthy: parsed(row.unhealthy),
    unhealthySince: row.unhealthy_since,
    failure: parsed(row.failure),
    retries: row.retries,
    retryAt: row.retry_at,
  }
}

/** Columns of a run without its plan. */
export const runColumns = [
  'id',
  'stack',
  'revision',
  'cause',
  'intent',
  'expects',
  'phase',
  'outcome',
  'changes',
  'problems',
  'files',
  'created_at',
  'started_at',
  'finished_at',
] as const

/** Without its plan, which is unpacked only when requested. */
export function toRun(row: Pick<StoredRun, (typeof runColumns)[number]>): Run {
  return {
    id: String(row.id),
    stack: row.stack,
    revision: row.revision,
    cause: JSON.parse(row.cause) as Cause,
    phase: row.phase as Run['phase'],
    outcome: row.outcome as Run['outcome'],
    plan: null,
    changes: parsed(row.changes),
    problems: JSON.parse(row.problems) as Run['problems'],
    files: row.files,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    intent: row.intent,
    expects: row.expects,
  }
}

/** Ownership without declarations. */
export type OwnedSummary = Pick<Owned, 'address' | 'identity' | 'needs' | 'edges' | 'partOf' | 'shared'>

/** Columns of ownership without the last change, which only `explain` and undo need. */
export const ownedColumns = [
  'seq',
  'address',
  'kind',
  'identity',
  'applied',
  'needs',
  'part_of',
  'adopted',
  'shared',
] as const

export function toOwned(
  row: Pick<OwnedRow, (typeof ownedColumns)[number]> & { readonly changed?: string | null },
): Owned {
  return {
    ...toOwnedSummary(row),
    kind: row.kind,
    applied: JSON.parse(row.applied) as Owned['applied'],
    adopted: row.adopted === 1,
    ...(typeof row.changed === 'string' ? { changed: JSON.parse(row.changed) as LastChange } : {}),
  }
}

export function toOwnedSummary(
  row: Pick<OwnedRow, 'address' | 'identity' | 'needs' | 'part_of' | 'shared'>,
): OwnedSummary {
  return {
    address: row.address as Address,
    identity: row.identity as Identity,
    ...toNeeds(row.needs),
    ...(row.part_of === null ? {} : { partOf: row.part_of as Address }),
    ...(row.shared === 1 ? { shared: true as const } : {}),
  }
}

/** Addresses, or edges: parts and older versions have no reasons. */
function toNeeds(text: string): Pick<Owned, 'needs' | 'edges'> {
  if (text === '[]') return { needs: [] }
  const stored = JSON.parse(text) as readonly Address[] | readonly Edge[]
  return isAddresses(stored) ? { needs: stored } : { needs: edgeTargets(stored), edges: stored }
}

function isAddresses(stored: readonly Address[] | readonly Edge[]): stored is readonly Address[] {
  return typeof stored[0] === 'string'
}

export function toEntry(row: JournalRow): JournalEntry {
  return {
    id: row.id,
    run: String(row.run),
    change: JSON.parse(row.change) as JournalEntry['change'],
    state: row.state,
    ...(row.before === null ? {} : { before: row.before as Sealed }),
    ...(row.trace === null ? {} : { trace: JSON.parse(row.trace) as Json }),
    ...(row.identity === null ? {} : { identity: row.identity as Identity }),
    ownedBefore: JSON.parse(row.owned_before) as Owned[],
  }
}

/** The approximate memory of a row with these JSON texts, parsed. */
export function parsedBytes(...texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + 3 * length, 300)
}

/** JSON text, or null. */
export function jsonText(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}
