// What stacks wait for, as the last step of each found it; and who is woken when another stack becomes ready.
import type { Clock } from '../../lib/clock.js'
import type { Run } from '../../model/run.js'
import type { Failure, Stack } from '../../model/stack.js'
import type { Blocker } from '../../model/blocker.js'
import { readDependencies, type Dependency } from '../../stacks/status/dependencies.js'
import { awaitsDependencies, runBlockers } from '../../stacks/status/run-blockers.js'
import type { Store } from '../../store/store.js'

export interface BlockersDeps {
  readonly store: Store
  readonly clock: Clock
  readonly pollFailure: (stack: string) => Failure | undefined
  /** Something may be due for the stack. */
  readonly wake: (stack: string) => void
  /** Told of work that is under way. */
  readonly keep: (work: Promise<unknown>) => void
}

export class Blockers {
  readonly #deps: BlockersDeps
  readonly #blockers = new Map<string, readonly Blocker[]>()
  /** By the id of a stack, or by its name where there is none yet: who waits for it. */
  readonly #dependents = new Map<string, Set<string>>()

  constructor(deps: BlockersDeps) {
    this.#deps = deps
  }

  /** Why what stacks have to do waits, by stack. */
  get byStack(): ReadonlyMap<string, readonly Blocker[]> {
    return this.#blockers
  }

  /** What a run waits for; without a run: what anything would wait for that the stack does by itself. */
  async find(stack: Stack, run: Run | undefined, isHalfDone: boolean): Promise<readonly Blocker[]> {
    const isAwaiting = !isHalfDone && (run === undefined || awaitsDependencies(run))
    const dependencies = isAwaiting ? await this.#dependencies(stack) : []
    return runBlockers(stack.spec, run, { dependencies, isHalfDone, now: this.#deps.clock.now() })
  }

  /** What a step found. */
  set(stack: string, waits: readonly Blocker[]): void {
    if (waits.length === 0) this.#blockers.delete(stack)
    else this.#blockers.set(stack, waits)
  }

  /** There is a stack of that name: who waits for it, looks again. */
  created(name: string): void {
    this.#wakeDependents(name)
  }

  /** Something about the stack changed. */
  changed(stack: string): void {
    if (this.#dependents.has(stack)) this.#deps.keep(this.#wakeIfReady(stack))
  }

  remove(stack: string): void {
    this.#blockers.delete(stack)
    for (const waiting of this.#dependents.values()) waiting.delete(stack)
  }

  /** Who waits is noted before it is looked once more, so that what becomes ready meanwhile is not missed. */
  async #dependencies({ id, spec }: Stack): Promise<readonly Dependency[]> {
    if (spec.dependsOn.length === 0) return []
    const before = await this.#read(spec.dependsOn)
    const awaited = before.filter(({ ready }) => !ready)
    if (awaited.length === 0) return before
    for (const one of awaited) this.#addDependent(one.id ?? one.name, id)
    return this.#read(spec.dependsOn)
  }

  #addDependent(stack: string, who: string): void {
    const waiting = this.#dependents.get(stack) ?? new Set()
    this.#dependents.set(stack, waiting.add(who))
  }

  async #wakeIfReady(stack: string): Promise<void> {
    const there = await this.#deps.store.stacks.get(stack)
    const [dependency] = there === undefined ? [] : await this.#read([there.spec.name])
    if (dependency === undefined || dependency.ready) this.#wakeDependents(stack)
  }

  #wakeDependents(key: string): void {
    const waiting = this.#dependents.get(key) ?? []
    this.#dependents.delete(key)
    for (const one of waiting) this.#deps.wake(one)
  }

  #read(names: readonly string[]): ReturnType<typeof readDependencies> {
    const { store, pollFailure } = this.#deps
    return readDependencies(names, store, (stack, last) => ({
      stack,
      last,
      inProgress: undefined,
      pollFailure: pollFailure(stack.id),
      blockers: this.#blockers.get(stack.id) ?? [],
      blockedMoves: [], // what is released is what it shall be at
    }))
  }
}
