// The journal of a run in progress. Steps that wait for the journal are stored together, and with them the marks of the
// steps that are done by then.
import type { Address } from '../model/address.js'
import type { RunLease } from '../model/stacks/run.js'
import type { Journal, NewEntry, Progress } from './journal.js'

interface BeginningStep {
  readonly step: NewEntry
  readonly resolve: (entry: number) => void
  readonly reject: (error: unknown) => void
}

interface RecordedStep {
  readonly entry: number
  readonly mark: Progress
  readonly resolve: (stored: Promise<void>) => void
}

export interface RunJournalOptions {
  /**
   * How long a step waits at most, while others are in progress on the target, for more of them to share its commit.
   * Default 20.
   */
  readonly mostWaitMs?: number
}

export class RunJournal {
  readonly #journal: Journal
  readonly #lease: RunLease
  readonly #mostWaitMs: number
  #running = 0
  #beginning: BeginningStep[] = []
  #recorded: RecordedStep[] = []
  #isStoring = false
  #timer: NodeJS.Timeout | undefined
  /** Marks that are not durable yet. */
  readonly #marks = new Set<Promise<void>>()
  /** Since the last flush. */
  #failures = new Map<Address, unknown>()

  constructor(journal: Journal, lease: RunLease, { mostWaitMs = 20 }: RunJournalOptions = {}) {
    this.#journal = journal
    this.#lease = lease
    this.#mostWaitMs = mostWaitMs
  }

  /** Carries out a step, which calls `begin`, `record` and `done`. */
  async during(step: () => Promise<void>): Promise<void> {
    this.#running++
    try {
      await step()
    } finally {
      this.#running--
      this.#store()
    }
  }

  /** Stores a step before it is done; durable when it resolves. */
  begin(step: NewEntry): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#beginning.push({ step, resolve, reject })
      this.#store()
    })
  }

  /** Progress of a step; durable when it resolves. */
  record(entry: number, mark: Progress): Promise<void> {
    return new Promise((resolve) => {
      this.#recorded.push({ entry, mark, resolve })
      this.#store()
    })
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

  /** At once if at least half of the steps wait: the others keep the target busy meanwhile. */
  #store(): void {
    const waiting = this.#beginning.length + this.#recorded.length
    if (waiting === 0 || this.#isStoring) return
    if (waiting * 2 < this.#running) {
      this.#timer ??= setTimeout(() => this.#storeWaiting(), this.#mostWaitMs)
      return
    }
    this.#isStoring = true
    setImmediate(() => this.#storeWaiting())
  }

  #storeWaiting(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isStoring = false
    const recorded = this.#recorded
    this.#recorded = []
    for (const { entry, mark, resolve } of recorded) resolve(this.#journal.recordProgress(this.#lease, entry, mark))
    void this.#storeBeginning()
  }

  async #storeBeginning(): Promise<void> {
    const steps = this.#beginning
    this.#beginning = []
    if (steps.length === 0) return
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
