// When a change may begin: after those it waits for, at most `concurrency` at once, and no later group after a failure.
import type { Address } from '../model/address.js'
import type { Change } from '../model/change.js'
import { changeStage } from '../plan/order.js'

export interface Pace {
  readonly concurrency: number
  readonly onFailure: 'undo' | 'continue'
  /** The group of the change's kind. Absent: its depth. */
  readonly groupOf?: (change: Change) => number | undefined
  /** Aborted: no change begins, and changes in progress end. */
  readonly signal: AbortSignal
}

/** Failures by address, and the number of changes that never began. */
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
  depth: number
  group: number
  /** Changes that must end before. */
  waitsFor: number
  readonly dependants: Change[]
}

/** A queue of changes. Taking the first one of 20,000 does not move the others. */
class ReadyChanges {
  readonly #changes: Change[] = []
  #first = 0

  push(change: Change): void {
    this.#changes.push(change)
  }

  /** Takes the first change that may begin. */
  take(mayBegin: (change: Change) => boolean): Change | undefined {
    for (let at = this.#first; at < this.#changes.length; at++) {
      const change = this.#changes[at]!
      if (!mayBegin(change)) continue
      if (at === this.#first) this.#first++
      else this.#changes.splice(at, 1)
      return change
    }
    return undefined
  }
}

class Runner {
  readonly #perform: (change: Change) => Promise<void>
  readonly #pace: Pace
  readonly #queued = new Map<Address, QueuedChange>()
  /** Changes that may begin now, by barrier: writes, removals, removals that lose data. */
  readonly #ready = [new ReadyChanges(), new ReadyChanges(), new ReadyChanges()] as const
  readonly #open: [number, number, number] = [0, 0, 0]
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
    const barrier = changeBarrier(change)
    const queued = this.#entry(change.address)
    queued.depth = barrier * 1000
    for (const address of change.after) {
      const before = this.#entry(address)
      queued.depth = Math.max(queued.depth, before.depth + 1)
      before.dependants.push(change)
    }
    queued.group = (barrier === 0 ? this.#pace.groupOf?.(change) : undefined) ?? queued.depth
    queued.waitsFor = change.after.length
    this.#open[barrier]++
    if (change.after.length === 0) this.#ready[barrier].push(change)
  }

  #entry(address: Address): QueuedChange {
    const known = this.#queued.get(address)
    if (known !== undefined) return known
    const queued = { depth: 0, group: 0, waitsFor: 0, dependants: [] }
    this.#queued.set(address, queued)
    return queued
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
    for (const barrier of [0, 1, 2] as const) {
      const next = this.#ready[barrier].take((change) => this.#entry(change.address).group <= this.#latest)
      if (next !== undefined) return next
      if (this.#open[barrier] > 0) return undefined
    }
    return undefined
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
    this.#open[changeBarrier(change)]--
    for (const dependant of this.#entry(change.address).dependants) {
      if (--this.#entry(dependant.address).waitsFor === 0) this.#ready[changeBarrier(dependant)].push(dependant)
    }
  }

  #fail(change: Change, error: unknown): void {
    this.#failures.set(change.address, error)
    if (this.#pace.onFailure === 'undo') this.#latest = Math.min(this.#latest, this.#entry(change.address).group)
    else this.#giveUp(change)
  }

  /** Under `continue` dependants of a failed change never begin, and block nothing else. */
  #giveUp(change: Change): void {
    const gone = [change]
    this.#gone.add(change.address)
    for (let at = gone.pop(); at !== undefined; at = gone.pop()) {
      this.#open[changeBarrier(at)]--
      for (const dependant of this.#entry(at.address).dependants) {
        if (this.#gone.has(dependant.address)) continue
        this.#gone.add(dependant.address)
        gone.push(dependant)
      }
    }
  }
}

function changeBarrier(change: Change): 0 | 1 | 2 {
  return Math.max(0, changeStage(change) - 1) as 0 | 1 | 2
}
