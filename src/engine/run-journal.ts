// The journal of a run in progress. Steps that begin in the same round of the event loop are stored together, and with
// them the marks of the steps that are done by then.
import type { Address } from '../model/address.js'
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
  /** Marks that are not durable yet. */
  readonly #marks = new Set<Promise<void>>()
  /** Since the last flush. */
  #failures = new Map<Address, unknown>()

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

  /**
   * A step is done. Its mark is stored before the next write of the run, which fails if the mark cannot be stored. If
   * the process ends before that, the next run reads from the target what the step did.
   */
  done(address: Address, entry: number, mark: Omit<Progress, 'state'> = {}): void {
    const stored = this.#journal
      .recordLater(this.#lease, entry, { ...mark, state: 'done' })
      .catch((error: unknown) => void this.#failures.set(address, error))
      .finally(() => this.#marks.delete(stored))
    this.#marks.add(stored)
  }

  /** Stores the marks that wait. Returns why marks could not be stored, by the address of their step. */
  async flush(): Promise<ReadonlyMap<Address, unknown>> {
    const isNeeded = this.#marks.size > 0 || this.#failures.size > 0
    if (isNeeded) await this.#journal.flush(this.#lease).catch(() => {}) // its errors are those of the marks
    await Promise.all(this.#marks)
    const failures = this.#failures
    this.#failures = new Map()
    return failures
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
