// Finds the blockers of stacks, and wakes stacks when one that they depend on becomes ready.
import type { Clock } from '../../lib/clock.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { RunBlocker } from '../../model/stacks/blocker.js'
import { readDependencies } from '../../stacks/status/dependencies.js'
import type { Dependency } from '../../status/dependency.js'
import { awaitsDependencies, runBlockers } from '../../status/run-blockers.js'
import type { Store } from '../../store/store.js'
import type { Tasks } from '../schedule/tasks.js'
import type { Changes } from '../watch/changes.js'
import type { Live } from '../watch/live.js'

export interface BlockersDeps {
  readonly store: Store
  readonly clock: Clock
  readonly live: Live
  readonly tasks: Tasks
  readonly changes: Changes
  readonly wake: (stack: string) => void
}

export class Blockers {
  readonly #deps: BlockersDeps
  /** Stacks that wait for a stack, by its id, or by its name if it does not exist yet. */
  readonly #dependents = new Map<string, Set<string>>()

  constructor(deps: BlockersDeps) {
    this.#deps = deps
    deps.changes.subscribe((stack) => this.#changed(stack))
  }

  /** Of a run; without a run: of anything that the stack would do automatically. */
  async find(stack: Stack, run: Run | undefined, isHalfDone: boolean): Promise<readonly RunBlocker[]> {
    const isAwaiting = !isHalfDone && (run === undefined || awaitsDependencies(run))
    const dependencies = isAwaiting ? await this.#dependencies(stack) : []
    return runBlockers(stack, run, { dependencies, isHalfDone, now: this.#deps.clock.now() })
  }

  /** A stack with this name was created: wakes stacks that depend on it. */
  created(name: string): void {
    this.#wakeDependents(name)
  }

  remove(stack: string): void {
    for (const waiting of this.#dependents.values()) waiting.delete(stack)
  }

  #changed(stack: string): void {
    if (this.#dependents.has(stack)) void this.#deps.tasks.keep(this.#wakeIfReady(stack))
  }

  /** Read again after the stack was added as a dependent: a dependency that became ready meanwhile is not missed. */
  async #dependencies({ id, spec }: Stack): Promise<readonly Dependency[]> {
    if (spec.dependsOn.length === 0) return []
    const before = await this.#read(spec.dependsOn)
    const awaited = before.filter(({ ready }) => !ready)
    if (awaited.length === 0) return before
    for (const one of awaited) this.#addDependent(one.id ?? one.name, id)
    return this.#read(spec.dependsOn)
  }

  #addDependent(stack: string, dependent: string): void {
    const waiting = this.#dependents.get(stack) ?? new Set()
    this.#dependents.set(stack, waiting.add(dependent))
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
    const { store, live } = this.#deps
    return readDependencies(names, store, (stack, last) => ({
      stack,
      last,
      inProgress: undefined,
      pollFailure: live.pollFailure(stack.id),
      blockers: live.blockersOf(stack.id),
      blockedMoves: [], // a stack is ready at its released revision
      unreadableInputs: [], // what is applied stays as it is
    }))
  }
}
