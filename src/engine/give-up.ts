// Steps that the target refuses to undo: the resource stays as it is, and ownership records its state.
import type { Address } from '../model/address.js'
import { LeaseLost } from '../model/errors.js'
import type { Problem } from '../model/problem.js'
import type { Observed, Owned } from '../model/resources/resource.js'
import type { RunLease } from '../model/stacks/run.js'
import type { IdentityMap } from './identity-map.js'
import type { EntryCalls } from './entry-calls.js'
import { ownedFromEntry } from './resolve-traces.js'
import type { JournalEntry, Journal } from './journal.js'

export interface GiveUpDeps {
  readonly lease: RunLease
  readonly journal: Journal
  readonly calls: EntryCalls
  readonly identities: IdentityMap
  readonly onGivenUp: (problem: Problem) => Promise<void>
}

/** Gives up entries, and reports each resource once. */
export class GiveUp {
  readonly #deps: GiveUpDeps
  /** Reported resources: earlier steps on them are not reported again. */
  readonly #reported = new Set<Address>()

  constructor(deps: GiveUpDeps) {
    this.#deps = deps
  }

  /** False: the resource could not be read, so the entry is tried again later. */
  async give(entry: JournalEntry, problem: Problem): Promise<boolean> {
    try {
      await this.#report(entry, problem)
      const there = await this.#readAgain(entry)
      const { lease, journal, identities } = this.#deps
      await journal.recordProgress(lease, entry.id, {
        state: 'undone',
        identity: there?.identity ?? null,
        ...this.#ownership(entry, there),
      })
      identities.add(entry, there?.identity)
      return true
    } catch (error) {
      if (error instanceof LeaseLost) throw error
      return false
    }
  }

  async #report({ change: { address } }: JournalEntry, problem: Problem): Promise<void> {
    if (!this.#reported.has(address)) await this.#deps.onGivenUp(problem)
    this.#reported.add(address)
  }

  /** The failed undo may have created a resource: the journal has its trace. */
  async #readAgain(entry: JournalEntry): Promise<Observed | undefined> {
    const { lease, journal, calls, identities } = this.#deps
    const now = (await journal.openEntries(lease.stack)).find(({ id }) => id === entry.id)!
    const identity = identities.current(now.identity) ?? (await calls.find(now))
    return identity === undefined ? undefined : calls.read(entry, identity)
  }

  #ownership(
    entry: JournalEntry,
    there: Observed | undefined,
  ): { own?: readonly Owned[]; disown?: readonly Address[] } {
    const { change } = entry
    if (there === undefined) return { disown: [change.address] }
    if (change.action === 'remove') return { own: this.#deps.identities.ownership(entry, there.identity) }
    if (change.action !== 'create') return {}
    return { own: [ownedFromEntry(change, there, this.#deps.calls.kind(entry))] }
  }
}
