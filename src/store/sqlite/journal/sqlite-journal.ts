import { sql } from 'kysely'
import type { Change } from '../../../model/resources/change.js'
import type { Clock } from '../../../lib/clock.js'
import { revisionHashes } from '../../../model/sources/revision.js'
import type { LastChange, Owned, ResourceIdentity } from '../../../model/resources/resource.js'
import type { Cause, Lease, RunLease } from '../../../model/stacks/run.js'
import { uninstalled, type Suspension } from '../../../model/stacks/stack.js'
import type { JournalEntry, Journal, NewEntry, Progress, Settlement, UndoCause } from '../../../engine/journal.js'
import { familyOf, type Identity } from '../../../model/address.js'
import { countChanges } from '../../../plan/counts.js'
import { eventAfterRun, eventResourceList, type EventResourceList } from '../runs/ownership-event.js'
import { readEntries, completedChanges } from './journal-entries.js'
import { journalQueries } from './journal-queries.js'
import { WrittenOwnership } from './written-ownership.js'
import type { Leases } from '../runs/leases.js'
import { updateRun } from '../runs/run-rows.js'
import { replaceDrift } from '../stacks/drift-rows.js'
import { updateStack, driftColumns, healthColumns } from '../stacks/stack-rows.js'
import type { OwnedRows } from '../ownership/owned-rows.js'
import { toEntry, jsonText, type JournalRow } from '../tables/rows.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** Of the steps that one transaction begins. */
const transactionLength = 1024 * 1024

interface JournalRows {
  readonly owned: OwnedRows
  readonly leases: Leases
}

export class SqliteJournal implements Journal {
  readonly #file: SqliteFile
  readonly #owned: OwnedRows
  readonly #leases: Leases
  readonly #clock: Clock
  readonly #written: WrittenOwnership
  /** Of entries that this process began and has not finished: reading a large change again takes long. */
  readonly #begun = new Map<number, Omit<LastChange, 'at'>>()

  constructor(file: SqliteFile, { owned, leases }: JournalRows, clock: Clock) {
    this.#file = file
    this.#owned = owned
    this.#leases = leases
    this.#clock = clock
    this.#written = new WrittenOwnership(file, owned)
  }

  takeLease(stack: string): Promise<Lease> {
    return this.#file.read(() => this.#leases.take(stack))
  }

  async begin(lease: RunLease, steps: readonly NewEntry[]): Promise<readonly number[]> {
    const ids: number[] = []
    while (ids.length < steps.length) {
      const rest = steps.slice(ids.length)
      ids.push(...(await this.#leases.write(lease, () => this.#beginFirst(lease, rest))))
    }
    for (const [at, { change }] of steps.entries()) this.#begun.set(ids[at]!, lastChange(lease.run, change))
    return ids
  }

  /** Inside a transaction: as many of the steps as it may write. Returns their ids. */
  #beginFirst(lease: RunLease, steps: readonly NewEntry[]): readonly number[] {
    const ids: number[] = []
    let length = 0
    for (const step of steps) {
      const row = this.#newRow(lease, step)
      ids.push(this.#file.run(journalQueries.begin(row)).id)
      this.#claim(lease, step)
      length += row.change.length + (row.before?.length ?? 0) + row.owned_before.length
      if (length > transactionLength) break
    }
    return ids
  }

  #newRow({ stack, run }: RunLease, { change, before, trace, identity }: NewEntry): Omit<JournalRow, 'id'> {
    const { takesFrom, address } = change
    if (takesFrom !== undefined && change.identity !== undefined)
      this.#owned.uncheckOthers(stack, { address, identity: change.identity })
    return {
      stack,
      run: Number(run),
      change: JSON.stringify(change),
      state: 'doing',
      before: before ?? null,
      trace: jsonText(trace),
      identity: identity ?? null,
      owned_before: JSON.stringify(this.#owned.before(stack, change)),
    }
  }

  /** After the row of its step, which has the ownership from before it. */
  #claim({ stack, run }: RunLease, { change, claim }: NewEntry): void {
    if (claim === undefined) return
    if (change.takesFrom !== undefined) this.#owned.takeOver(stack, claim)
    this.#owned.own(stack, { ...claim, changed: { ...lastChange(run, change), at: this.#clock.now() } }, false)
  }

  recordProgress(lease: Lease, entry: number, mark: Progress): Promise<void> {
    return this.#leases.write(lease, () => this.#record(lease.stack, entry, mark))
  }

  async recordLater(lease: Lease, entry: number, mark: Progress): Promise<void> {
    await this.#leases.writeLater(lease, () => this.#record(lease.stack, entry, mark))
  }

  flush(lease: Lease): Promise<void> {
    return this.#leases.flush(lease)
  }

  async drop(lease: Lease, entry: number): Promise<void> {
    const { stack } = lease
    await this.#leases.write(lease, () => {
      this.#file.run(this.#file.build.deleteFrom('journal').where('id', '=', entry).where('stack', '=', stack))
    })
    this.#begun.delete(entry)
  }

  startUndo(lease: RunLease, { problems, failure }: UndoCause): Promise<void> {
    const { stack, run } = lease
    return this.#leases.write(lease, () => {
      updateRun(this.#file, run, {
        phase: 'undoing',
        problems: JSON.stringify(problems),
        undoing_at: this.#clock.now(),
      })
      updateStack(this.#file, stack, { failure: jsonText(failure) })
    })
  }

  openEntries(stack: string): Promise<readonly JournalEntry[]> {
    return readEntries(this.#file, (after) => journalQueries.entries({ stack, after }), toEntry)
  }

  isTaken(stack: string, resource: ResourceIdentity): Promise<boolean> {
    return this.#file.read(() => this.#owned.isTaken(stack, resource))
  }

  isOpen(stack: string): Promise<boolean> {
    return this.#file.read(() => this.#file.get(journalQueries.first({ stack })) !== undefined)
  }

  /** Reads a long journal before the transaction, page by page. Only the run itself changes it. */
  async settle(lease: RunLease, settlement: Settlement): Promise<void> {
    const { stack, run } = lease
    const { outcome, problems, partial = false } = settlement
    const counts = await this.#counts(lease, outcome)
    const isLong = await this.#written.isLong(stack)
    if (isLong) await this.#leases.settled(stack) // what is read includes every mark
    const read = isLong ? await this.#written.read(stack) : undefined
    await this.#leases.write(lease, () => {
      const written = read ?? this.#written.now(stack)
      if (written !== undefined) this.#passOn(stack, written.dropped)
      const resources = (): EventResourceList =>
        written?.resources ?? eventResourceList(this.#owned.summaries(stack), this.#owned.eventFamilies(stack))
      this.#file.run(journalQueries.empty({ stack }))
      const now = this.#clock.now()
      if (!partial) this.#settleStack(lease, settlement, now)
      const listsSame = written !== undefined && written.resources === undefined
      const wrote = written !== undefined && !(partial && listsSame)
      updateRun(this.#file, run, {
        outcome,
        phase: 'done',
        problems: JSON.stringify(problems),
        finished_at: now,
        ...counts,
        ...eventAfterRun(this.#file, resources, { stack, run, outcome, wrote, listsSame }),
      })
    })
    for (const [entry, begun] of this.#begun) if (begun.run === run) this.#begun.delete(entry)
  }

  /** Inside a transaction. */
  #settleStack({ stack, run }: RunLease, { failure, applied, drifted = 0, unhealthy }: Settlement, now: number): void {
    const stored = applied && { ...applied, states: revisionHashes(applied.revision), run }
    updateStack(this.#file, stack, {
      consent: null,
      failure: jsonText(failure),
      ...(failure === null ? { retries: 0, retry_at: null, ...driftColumns(drifted, now), checked_at: now } : {}),
      ...(unhealthy === undefined ? {} : healthColumns(unhealthy, now)),
      ...(applied === null ? this.#rests(run) : {}),
      ...(stored === undefined ? {} : { applied: jsonText(stored) }),
    })
    if (failure === null) replaceDrift(this.#file, stack, undefined, now)
  }

  #record(stack: string, entry: number, mark: Progress): void {
    const { state = null, trace, identity } = mark
    if (state !== null || trace !== undefined || identity !== undefined) {
      const given = { trace: trace === undefined ? null : JSON.stringify(trace), identity: identity ?? null }
      this.#file.run(journalQueries.mark({ stack, entry, state, ...given, isNamed: Number(identity !== undefined) }))
    }
    this.#owned.disown(stack, mark.disown ?? [])
    for (const owned of this.#explained(entry, mark)) this.#owned.own(stack, owned, mark.state === 'undone')
    if (mark.state === 'undone') this.#giveBack(stack, entry)
    if (mark.found === true) this.#countFound(entry)
    if (mark.state !== undefined) this.#begun.delete(entry)
  }

  /** Of a run that did not complete its plan. */
  async #counts({ stack, run }: RunLease, outcome: Settlement['outcome']): Promise<{ readonly changes?: string }> {
    if (outcome !== 'undone' && outcome !== 'failed') return {}
    await this.#leases.settled(stack)
    return completedChanges(this.#file, Number(run))
  }

  /** Ownership with its last change. Ownership that an undo restores keeps its former one. */
  #explained(id: number, { own = [], state }: Progress): readonly Owned[] {
    if (own.length === 0) return own
    const at = this.#clock.now()
    const begun = state === undefined || state === 'done' ? this.#begun.get(id) : undefined
    if (begun !== undefined) return own.map((owned) => ({ ...owned, changed: { ...begun, at } }))
    const row = this.#file.get(journalQueries.entry({ id }))
    if (row === undefined) return own
    const entry = toEntry(row)
    const undoes = state === 'undone' || entry.state === 'undoing'
    const before = new Set(undoes ? entry.ownedBefore.map(({ address }) => address) : [])
    const changed = { ...lastChange(entry.run, entry.change), at }
    return own.map((owned) => (before.has(owned.address) ? owned : { ...owned, changed }))
  }

  /** A run that has not ended counts its changes when it ends. */
  #countFound(entry: number): void {
    const row = this.#file.get(journalQueries.entry({ id: entry }))
    if (row === undefined) return
    const { create, update, remove } = countChanges({ changes: [toEntry(row).change], unchanged: 0 })
    const changes = sql<string>`json_set(
      changes,
      '$.create', json_extract(changes, '$.create') + ${create},
      '$.update', json_extract(changes, '$.update') + ${update},
      '$.remove', json_extract(changes, '$.remove') + ${remove}
    )`
    const ended = this.#file.build.updateTable('runs').set({ changes }).where('id', '=', row.run)
    this.#file.run(ended.where('outcome', 'is not', null).where('changes', 'is not', null))
  }

  /** Returns a resource that was taken over to its former owner. */
  #giveBack(stack: string, entry: number): void {
    const row = this.#file.get(
      this.#file.build.selectFrom('journal').select(['change', 'identity']).where('id', '=', entry),
    )
    const { takesFrom, address } = row === undefined ? {} : (JSON.parse(row.change) as Partial<Change>)
    if (takesFrom === undefined || address === undefined || row?.identity == null) return
    const resource = { family: familyOf(address), identity: row.identity as Identity }
    this.#owned.giveBack(resource, { to: takesFrom, target: this.#target(stack) })
  }

  #passOn(stack: string, dropped: readonly ResourceIdentity[]): void {
    if (dropped.length === 0) return
    this.#owned.passOn(this.#target(stack), dropped)
  }

  #target(stack: string): string {
    return this.#file.get(this.#file.build.selectFrom('stacks').select('target').where('id', '=', stack))!.target
  }

  /** Suspends a stack after an uninstall, so that the next commit does not install it again. */
  #rests(run: string): { readonly suspended?: string } {
    const { intent, cause } = this.#file.get(
      this.#file.build.selectFrom('runs').select(['intent', 'cause']).where('id', '=', Number(run)),
    )!
    if (intent !== 'uninstall') return {}
    const { by = 'the agent' } = JSON.parse(cause) as Cause
    return {
      suspended: JSON.stringify({ reason: uninstalled, by, until: null, at: this.#clock.now() } satisfies Suspension),
    }
  }
}

const pathsKept = 20

function lastChange(
  run: string,
  { action, reason, adopts, from, fields, shown = fields }: Change,
): Omit<LastChange, 'at'> {
  const paths = action === 'update' ? shown.slice(0, pathsKept).map(({ path }) => path) : []
  return {
    run,
    action,
    reason,
    ...(adopts === undefined ? {} : { adopts }),
    ...(from === undefined ? {} : { from }),
    paths,
    fields: shown.length,
  }
}
