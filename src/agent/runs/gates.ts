// What stacks wait for, as the last step of each found it; and who is woken when another stack becomes ready.
import type { Clock } from '../../model/clock.js'
import type { Run } from '../../model/run.js'
import type { Failure, Stack } from '../../model/stack.js'
import type { Wait } from '../../model/wait.js'
import { readDependencies, type Dependency } from '../../stacks/dependencies.js'
import { awaitsDependencies, waitsOf } from '../../stacks/gate.js'
import type { Store } from '../../store/store.js'

export interface GatesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly lookFailure: (stack: string) => Failure | undefined
  /** Something may be due for the stack. */
  readonly wake: (stack: string) => void
  /** Told of work that is under way. */
  readonly keep: (work: Promise<unknown>) => void
}

export class Gates {
  readonly #deps: GatesDeps
  readonly #waits = new Map<string, readonly Wait[]>()
  /** By the id of a stack, or by its name where there is none yet: who waits for it. */
  readonly #waiting = new Map<string, Set<string>>()

  constructor(deps: GatesDeps) {
    this.#deps = deps
  }

  /** Why what stacks have to do waits, by stack. */
  get waits(): ReadonlyMap<string, readonly Wait[]> {
    return this.#waits
  }

  /** What a run waits for; without a run: what anything would wait for that the stack does by itself. */
  async look(stack: Stack, run: Run | undefined, isHalfDone: boolean): Promise<readonly Wait[]> {
    const isAwaiting = !isHalfDone && (run === undefined || awaitsDependencies(run))
    const dependencies = isAwaiting ? await this.#dependencies(stack) : []
    return waitsOf(stack.spec, run, { dependencies, isHalfDone, now: this.#deps.clock.now() })
  }

  /** What a step found. */
  note(stack: string, waits: readonly Wait[]): void {
    if (waits.length === 0) this.#waits.delete(stack)
    else this.#waits.set(stack, waits)
  }

  /** There is a stack of that name: who waits for it, looks again. */
  came(name: string): void {
    this.#wakeWaiting(name)
  }

  /** Something about the stack changed. */
  changed(stack: string): void {
    if (this.#waiting.has(stack)) this.#deps.keep(this.#wakeIfReady(stack))
  }

  forget(stack: string): void {
    this.#waits.delete(stack)
    for (const waiting of this.#waiting.values()) waiting.delete(stack)
  }

  /** Who waits is noted before it is looked once more, so that what becomes ready meanwhile is not missed. */
  async #dependencies({ id, spec }: Stack): Promise<readonly Dependency[]> {
    if (spec.dependsOn.length === 0) return []
    const before = await this.#read(spec.dependsOn)
    const awaited = before.filter(({ ready }) => !ready)
    if (awaited.length === 0) return before
    for (const one of awaited) this.#waitFor(one.id ?? one.name, id)
    return this.#read(spec.dependsOn)
  }

  #waitFor(stack: string, who: string): void {
    const waiting = this.#waiting.get(stack) ?? new Set()
    this.#waiting.set(stack, waiting.add(who))
  }

  async #wakeIfReady(stack: string): Promise<void> {
    const there = await this.#deps.store.stacks.get(stack)
    const [dependency] = there === undefined ? [] : await this.#read([there.spec.name])
    if (dependency === undefined || dependency.ready) this.#wakeWaiting(stack)
  }

  #wakeWaiting(key: string): void {
    const waiting = this.#waiting.get(key) ?? []
    this.#waiting.delete(key)
    for (const one of waiting) this.#deps.wake(one)
  }

  #read(names: readonly string[]): ReturnType<typeof readDependencies> {
    const { store, lookFailure } = this.#deps
    return readDependencies(names, store, (stack, last) => ({
      stack,
      last,
      inHand: undefined,
      lookFailure: lookFailure(stack.id),
      waits: this.#waits.get(stack.id) ?? [],
      heldBack: [], // what is released is what it shall be at
    }))
  }
}
