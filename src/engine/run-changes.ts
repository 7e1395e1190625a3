// When a change may begin: after those it waits for, at most `concurrency` at once, and no later group after a failure.
import type { Address } from '../model/address.js'
import type { Change } from '../model/resources/change.js'
import { changeStage } from '../plan/order.js'

export interface Pace {
  readonly concurrency: number
  readonly onFailure: 'undo' | 'continue'
  /** The group of the change's kind. Absent: its depth. */
  readonly groupOf?: (change: Change) => number | undefined
  /** Aborted: no change begins, and changes in progress end. */
  readonly signal: AbortSignal
}

/** Failures by address, and the number of changes that began. */
export interface ChangesResult {
  readonly failures: ReadonlyMap<Address, unknown>
  readonly begun: number
}

/**
 * Performs the changes in their order. After a failure, `undo` starts only changes that are not of a later group and
 * do not need the failed one: all failures of a group are reported together. `continue` skips only what
 * depends on it.
 */
export function runChanges(
  changes: readonly Change[],
  perform: (change: Change) => Promise<void>,
  pace: Pace,
): Promise<ChangesResult> {
  return new Runner(changes, perform, pace).run()
}

interface QueuedChange {
  readonly stage: Stage
  /** The longest chain of changes of the same stage before it. */
  readonly depth: number
  readonly group: number
  /** Changes that must end before. */
  waitsFor: number
}

/** Changes that begin after all earlier stages. Taking the first of 20,000 ready ones does not move the others. */
class Stage {
  /** Changes that have not ended, without those that were given up. */
  open = 0
  readonly #ready: Change[] = []
  #first = 0

  push(change: Change): void {
    this.#ready.push(change)
  }

  /** Takes the first change that may begin. */
  take(mayBegin: (change: Change) => boolean): Change | undefined {
    for (let at = this.#first; at < this.#ready.length; at++) {
      const change = this.#ready[at]!
      if (!mayBegin(change)) continue
      if (at === this.#first) this.#first++
      else this.#ready.splice(at, 1)
      return change
    }
    return undefined
  }
}

class Runner {
  readonly #perform: (change: Change) => Promise<void>
  readonly #pace: Pace
  /** Writes, removals, removals that lose data. */
  readonly #stages = [new Stage(), new Stage(), new Stage()] as const
  readonly #queued = new Map<Address, QueuedChange>()
  readonly #dependants = new Map<Address, Change[]>()
  readonly #failures = new Map<Address, unknown>()
  readonly #gone = new Set<Address>()
  #latest = Number.POSITIVE_INFINITY
  #running = 0
  #begun = 0
  #finish: () => void = () => {}

  constructor(changes: readonly Change[], perform: (change: Change) => Promise<void>, pace: Pace) {
    this.#perform = perform
    this.#pace = pace
    for (const change of changes) this.#add(change)
  }

  run(): Promise<ChangesResult> {
    return new Promise((resolve) => {
      this.#finish = (): void => resolve({ failures: this.#failures, begun: this.#begun })
      this.#pump()
    })
  }

  #add(change: Change): void {
    const stage = this.#stages[Math.max(0, changeStage(change) - 1) as 0 | 1 | 2]
    const depth = this.#depth(change, stage)
    const group = (stage === this.#stages[0] ? this.#pace.groupOf?.(change) : undefined) ?? depth
    this.#queued.set(change.address, { stage, depth, group, waitsFor: change.after.length })
    for (const address of change.after) this.#dependantsOf(address).push(change)
    stage.open++
    if (change.after.length === 0) stage.push(change)
  }

  #depth({ after }: Change, stage: Stage): number {
    let depth = 0
    for (const address of after) {
      const before = this.#queued.get(address)
      if (before?.stage === stage) depth = Math.max(depth, before.depth + 1)
    }
    return depth
  }

  #dependantsOf(address: Address): Change[] {
    const dependants = this.#dependants.get(address) ?? []
    this.#dependants.set(address, dependants)
    return dependants
  }

  #entry({ address }: Change): QueuedChange {
    return this.#queued.get(address)!
  }

  #pump(): void {
    while (this.#running < this.#pace.concurrency) {
      const next = this.#next()
      if (next === undefined) break
      this.#begin(next)
    }
    if (this.#running === 0) this.#finish()
  }

  #next(): Change | undefined {
    if (this.#pace.signal.aborted) return undefined
    const stage = this.#stages.find(({ open }) => open > 0)
    return stage?.take((change) => this.#entry(change).group <= this.#latest)
  }

  #begin(change: Change): void {
    this.#running++
    this.#begun++
    void this.#perform(change)
      .then(
        () => this.#release(change),
        (error: unknown) => this.#fail(change, error),
      )
      .finally(() => {
        this.#running--
        this.#pump()
      })
  }

  #release(change: Change): void {
    this.#entry(change).stage.open--
    for (const dependant of this.#dependantsOf(change.address)) {
      const entry = this.#entry(dependant)
      if (--entry.waitsFor === 0) entry.stage.push(dependant)
    }
  }

  #fail(change: Change, error: unknown): void {
    this.#failures.set(change.address, error)
    if (this.#pace.onFailure === 'undo') this.#latest = Math.min(this.#latest, this.#entry(change).group)
    else this.#giveUp(change)
  }

  /** Under `continue` dependants of a failed change never begin, and block nothing else. */
  #giveUp(change: Change): void {
    const gone = [change]
    for (let at = gone.pop(); at !== undefined; at = gone.pop()) {
      this.#entry(at).stage.open--
      for (const dependant of this.#dependantsOf(at.address)) {
        if (this.#gone.has(dependant.address)) continue
        this.#gone.add(dependant.address)
        gone.push(dependant)
      }
    }
  }
}
