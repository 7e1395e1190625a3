// Undo reads the target, and then does what is missing: no error decides its steps. See docs/design.md, "The journal".
import { familyOf, type Address, type Identity } from '../model/address.js'
import { LeaseLost, Rejected } from '../model/errors.js'
import type { KindNamed } from '../model/resources/kind.js'
import type { Problem } from '../model/problem.js'
import type { Observed } from '../model/resources/resource.js'
import type { RunLease } from '../model/stacks/run.js'
import type { IgnoreRule } from '../model/stacks/stack.js'
import { sameJson } from '../plan/diff.js'
import { ignoredFieldsByFamily } from '../plan/ignored.js'
import type { CallContext } from '../platform/call-driver.js'
import type { Connection } from '../platform/platform.js'
import { IdentityMap } from './identity-map.js'
import { undoFailed, undoSkipped } from './engine-problems.js'
import { EntryCalls } from './entry-calls.js'
import { GiveUp } from './give-up.js'
import { snapshotOf } from './snapshot.js'
import { undoneMark, type JournalEntry, type Journal, type Sealer } from './journal.js'

export interface UndoDeps {
  readonly lease: RunLease
  readonly journal: Journal
  readonly sealer: Sealer
  readonly connection: Connection
  readonly calling: CallContext
  readonly kindNamed: KindNamed
  /** Ignored fields: others may have changed them meanwhile. */
  readonly ignore?: readonly IgnoreRule[]
  /** The target refused an undo. Called before ownership is stored, so a crash does not hide the problem. */
  readonly onGivenUp: (problem: Problem) => Promise<void>
}

/**
 * Undoes the journal, newest entry first, except entries that depend on a failed one. Stops early only when `signal`
 * aborts, or with the error `LeaseLost`. False: something is left for later, because the target is unreachable.
 */
export async function undoEntries(
  entries: readonly JournalEntry[],
  deps: UndoDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const undo = new Undo(deps)
  for (const entry of [...entries].reverse()) {
    signal.throwIfAborted()
    await undo.tryEntry(entry)
  }
  return undo.isComplete
}

class Undo {
  readonly #lease: RunLease
  readonly #journal: Journal
  readonly #calls: EntryCalls
  readonly #identities: IdentityMap
  readonly #giveUp: GiveUp
  readonly #ignoredFields: ReturnType<typeof ignoredFieldsByFamily>
  /** Addresses that depend on an entry that could not be undone: their later entries are skipped. */
  readonly #blocked = new Map<Address, 'pending' | 'givenUp'>()
  isComplete = true

  constructor(deps: UndoDeps) {
    this.#lease = deps.lease
    this.#journal = deps.journal
    this.#calls = new EntryCalls(deps)
    this.#identities = new IdentityMap(deps.sealer)
    this.#ignoredFields = ignoredFieldsByFamily(deps.ignore)
    this.#giveUp = new GiveUp({ ...deps, calls: this.#calls, identities: this.#identities })
  }

  async tryEntry(entry: JournalEntry): Promise<void> {
    if (entry.state === 'undone') return this.#identities.add(entry, this.#identities.current(entry.identity))
    const blocked = this.#blockedBy(entry)
    if (blocked !== undefined) return this.#skip(entry, blocked)
    try {
      await this.#undo(entry)
    } catch (error) {
      if (error instanceof LeaseLost) throw error
      await this.#fail(entry, error)
    }
  }

  async #undo(entry: JournalEntry): Promise<void> {
    const { change } = entry
    const identity = this.#identities.current(entry.identity) ?? (await this.#calls.find(entry))
    const before = this.#identities.snapshotBefore(entry)
    if (before === undefined && entry.trace === undefined) return this.#recordUndone(entry, identity)
    if (identity !== undefined && (await this.#isTaken(entry, identity))) return this.#recordUndone(entry, identity)
    const there = identity === undefined ? undefined : await this.#calls.read(entry, identity)
    if (before === undefined) {
      if (there !== undefined)
        await this.#calls.call(`undo: remove ${change.address}`, entry, (driver, signal) =>
          driver.remove(there, signal),
        )
      return this.#recordUndone(entry, undefined)
    }
    if (there === undefined) return this.#recreate(entry, before)
    const { keepActual } = this.#ignoredFields(familyOf(change.address))
    const isUpdate = change.action === 'update'
    const now = snapshotOf(there, this.#calls.driver(entry))
    await this.#restore(entry, there, isUpdate ? { ...before, actual: keepActual(before.actual, now.actual) } : before)
  }

  /** What another stack owns by now is as that stack planned it. */
  #isTaken({ change }: JournalEntry, identity: Identity): Promise<boolean> {
    return this.#journal.isTaken(this.#lease.stack, { family: familyOf(change.address), identity })
  }

  /** Recreates a removed resource; the journal has its trace before it is created. */
  async #recreate(entry: JournalEntry, before: Observed): Promise<void> {
    const { address } = entry.change
    const trace = this.#calls.driver(entry).trace(before.actual)
    await this.#journal.recordProgress(this.#lease, entry.id, { state: 'undoing', trace, identity: null })
    const made = await this.#calls.call(`undo: create ${address}`, entry, (driver, signal) =>
      driver.create(before.actual, trace, signal),
    )
    const own = this.#identities.ownership(entry, made.identity)
    await this.#journal.recordProgress(this.#lease, entry.id, { identity: made.identity, own })
    await this.#restore(entry, made, before)
  }

  async #restore(entry: JournalEntry, there: Observed, before: Observed): Promise<void> {
    if (!sameJson(snapshotOf(there, this.#calls.driver(entry)).actual, before.actual))
      await this.#calls.call(`undo: update ${entry.change.address}`, entry, (driver, signal) =>
        driver.update(there, before.actual, signal),
      )
    await this.#recordUndone(entry, there.identity)
  }

  /** Records that an entry is undone: ownership as before, with the current identity. */
  async #recordUndone(entry: JournalEntry, identity: Identity | undefined): Promise<void> {
    const own = this.#identities.ownership(entry, identity)
    await this.#journal.recordProgress(this.#lease, entry.id, undoneMark(entry, identity, own))
    this.#identities.add(entry, identity)
  }

  async #fail(entry: JournalEntry, error: unknown): Promise<void> {
    const how = error instanceof Rejected ? 'givenUp' : 'pending'
    await this.#leave(entry, how, undoFailed(entry.change.address, error))
  }

  async #skip(entry: JournalEntry, how: 'pending' | 'givenUp'): Promise<void> {
    await this.#leave(entry, how, undoSkipped(entry.change.address))
  }

  async #leave(entry: JournalEntry, how: 'pending' | 'givenUp', problem: Problem): Promise<void> {
    this.#block(entry, how)
    if (how === 'pending' || !(await this.#giveUp.give(entry, problem))) this.isComplete = false
  }

  /** Blocks the changes that came before this entry, and earlier runs' changes of the same resource. */
  #block({ change: { address, from = address, after } }: JournalEntry, how: 'pending' | 'givenUp'): void {
    for (const one of [address, from, ...after]) this.#blocked.set(one, how)
  }

  #blockedBy({ change: { address, from = address } }: JournalEntry): 'pending' | 'givenUp' | undefined {
    return this.#blocked.get(address) ?? this.#blocked.get(from)
  }
}
