// When a change may begin: after those it waits for, at most `concurrency` at once, and no later group after a failure.
import type { Address } from '../model/address.js'
import type { Change } from '../model/resources/change.js'
import { changeStage } from '../plan/order.js'
import { Pacer, type Policy, type Work } from './pacer.js'

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
export async function runChanges(
  changes: readonly Change[],
  perform: (change: Change) => Promise<void>,
  pace: Pace,
): Promise<ChangesResult> {
  const order = new ChangeOrder(changes, pace)
  const { concurrency } = pace
  await new Pacer({ work: order, policy: order, concurrency, perform: (at) => ended(perform(changes[at]!)) }).run()
  return { failures: order.failures, begun: order.begun }
}

/** How a change ended; `error`: it failed. */
type End = { readonly error?: unknown }

function ended(performed: Promise<void>): Promise<End> {
  return performed.then(
    () => ({}),
    (error: unknown) => ({ error }),
  )
}

interface QueuedChange {
  readonly stage: Stage
  /** The longest chain of changes of the same stage before it. */
  readonly depth: number
  readonly group: number
}

/** Changes that begin after all earlier stages. Taking the first of 20,000 ready ones does not move the others. */
class Stage {
  readonly at: 0 | 1 | 2 | 3
  /** Changes that have not ended, without those that were given up. */
  open = 0
  readonly #ready: number[] = []
  #first = 0

  constructor(at: Stage['at']) {
    this.at = at
  }

  push(change: number): void {
    this.#ready.push(change)
  }

  /** Takes the first change that may begin. */
  take(mayBegin: (change: number) => boolean): number | undefined {
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

/** The order of the changes, by their place in the plan. */
class ChangeOrder implements Work, Policy<End> {
  readonly failures = new Map<Address, unknown>()
  begun = 0
  readonly #changes: readonly Change[]
  readonly #pace: Pace
  /** Writes, writes that no undo can restore, removals, removals that lose data. */
  readonly #stages = [new Stage(0), new Stage(1), new Stage(2), new Stage(3)] as const
  readonly #queued: QueuedChange[] = []
  readonly #places: ReadonlyMap<Address, number>
  readonly #dependants = new Map<Address, number[]>()
  readonly #gone = new Set<number>()
  #latest = Number.POSITIVE_INFINITY

  constructor(changes: readonly Change[], pace: Pace) {
    this.#changes = changes
    this.#pace = pace
    this.#places = new Map(changes.map(({ address }, at) => [address, at]))
    for (const [at, change] of changes.entries()) this.#add(at, change)
  }

  get count(): number {
    return this.#changes.length
  }

  waits(at: number): number {
    return this.#changes[at]!.after.length
  }

  dependants(at: number): readonly number[] {
    return this.#dependants.get(this.#changes[at]!.address) ?? []
  }

  ready(at: number): boolean {
    this.#queued[at]!.stage.push(at)
    return false
  }

  next(): number | undefined {
    if (this.#pace.signal.aborted) return undefined
    const stage = this.#stages.find(({ open }) => open > 0)
    const at = stage?.take((one) => this.#queued[one]!.group <= this.#latest)
    if (at !== undefined) this.begun++
    return at
  }

  ended(at: number, end: End): readonly number[] {
    if ('error' in end) {
      this.#fail(at, end.error)
      return []
    }
    this.#queued[at]!.stage.open--
    return [at]
  }

  #add(at: number, change: Change): void {
    const stage = this.#stage(change)
    const depth = this.#depth(change, stage)
    const group = (stage === this.#stages[0] ? this.#pace.groupOf?.(change) : undefined) ?? depth
    this.#queued.push({ stage, depth, group })
    for (const address of change.after) {
      const dependants = this.#dependants.get(address)
      if (dependants === undefined) this.#dependants.set(address, [at])
      else dependants.push(at)
    }
    stage.open++
  }

  /** What waits for a change of a later stage is of that stage, too: untracking a secret that an endpoint uses. */
  #stage(change: Change): Stage {
    let at = Math.max(0, changeStage(change) - 1) as Stage['at']
    for (const address of change.after) {
      const before = this.#queued[this.#places.get(address) ?? -1]?.stage
      if (before !== undefined && before.at > at) at = before.at
    }
    return this.#stages[at]
  }

  /** Of changes that come earlier in the plan. */
  #depth({ after }: Change, stage: Stage): number {
    let depth = 0
    for (const address of after) {
      const before = this.#queued[this.#places.get(address) ?? -1]
      if (before?.stage === stage) depth = Math.max(depth, before.depth + 1)
    }
    return depth
  }

  #fail(at: number, error: unknown): void {
    this.failures.set(this.#changes[at]!.address, error)
    if (this.#pace.onFailure === 'undo') this.#latest = Math.min(this.#latest, this.#queued[at]!.group)
    else this.#giveUp(at)
  }

  /** Under `continue` dependants of a failed change never begin, and block nothing else. */
  #giveUp(failed: number): void {
    const gone = [failed]
    for (let at = gone.pop(); at !== undefined; at = gone.pop()) {
      this.#queued[at]!.stage.open--
      for (const dependant of this.dependants(at)) {
        if (this.#gone.has(dependant)) continue
        this.#gone.add(dependant)
        gone.push(dependant)
      }
    }
  }
}
