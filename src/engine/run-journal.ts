// The journal of a run in progress. Steps that begin in the same round of the event loop are stored together.
import type { RunLease } from '../model/stacks/run.js'
import type { Journal, NewEntry, Progress } from './journal.js'

interface BeginningStep {
  readonly step: NewEntry
  readonly resolve: (entry: number) => void
  readonly reject: (error: unknown) => void
}

export class RunJournal {
  readonly #journal: Journal
  readonly #lease: RunLease
  #beginning: BeginningStep[] = []

  constructor(journal: Journal, lease: RunLease) {
    this.#journal = journal
    this.#lease = lease
  }

  /** Stores a step before it is done; durable when it resolves. */
  begin(step: NewEntry): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#beginning.push({ step, resolve, reject }) === 1) setImmediate(() => void this.#storeBeginning())
    })
  }

  /** Progress of a step; durable when it resolves. */
  record(entry: number, mark: Progress): Promise<void> {
    return this.#journal.recordProgress(this.#lease, entry, mark)
  }

  async #storeBeginning(): Promise<void> {
    const steps = this.#beginning
    this.#beginning = []
    try {
      const entries = await this.#journal.begin(
        this.#lease,
        steps.map(({ step }) => step),
      )
      for (const [at, { resolve }] of steps.entries()) resolve(entries[at]!)
    } catch (error) {
      for (const { reject } of steps) reject(error)
    }
  }
}
