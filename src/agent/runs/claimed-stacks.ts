// Stacks whose run failed because another stack owns a resource and declares it differently. They are retried when a
// run on the same live system changed what stacks own.
import type { Clock } from '../../lib/clock.js'
import type { Failure, Stack } from '../../model/stacks/stack.js'
import type { Targets } from '../../stacks/targets.js'
import type { Store } from '../../store/store.js'

export interface ClaimedStacksDeps {
  readonly sync: { readonly store: Pick<Store, 'stacks'>; readonly targets: Pick<Targets, 'has' | 'liveSystem'> }
  readonly clock: Pick<Clock, 'elapsed'>
  readonly wake: (stack: string) => void
}

export class ClaimedStacks {
  readonly #deps: ClaimedStacksDeps
  /** Stack → live system. */
  readonly #claimed = new Map<string, string>()
  /** Live system → when the last run changed it, by `Clock.elapsed`. */
  readonly #changedAt = new Map<string, number>()

  constructor(deps: ClaimedStacksDeps) {
    this.#deps = deps
  }

  /** A run or drift check that began at `began` failed. Ownership may have changed since. */
  async failed(stack: Stack, { reason }: Failure, began: number): Promise<void> {
    const system = reason === 'Claimed' ? this.#systemOf(stack) : undefined
    if (system === undefined) return
    this.#claimed.set(stack.id, system)
    if ((this.#changedAt.get(system) ?? -Infinity) > began) await this.#retry(stack.id)
  }

  /** A run of the stack, or a request, changed what it owns, or deleted it. */
  async changed(stack: Stack): Promise<void> {
    const system = this.#systemOf(stack)
    if (system === undefined) return
    this.#changedAt.set(system, this.#deps.clock.elapsed())
    const waiting = [...this.#claimed].filter(([id, at]) => at === system && id !== stack.id)
    for (const [id] of waiting) await this.#retry(id)
  }

  /** After a start: ownership may have changed just before the last process ended. */
  async resume(stack: Stack): Promise<void> {
    if (stack.failure?.reason === 'Claimed') await this.#retry(stack.id)
  }

  /** The stack was deleted. */
  remove(stack: string): void {
    this.#claimed.delete(stack)
  }

  async #retry(id: string): Promise<void> {
    const { store } = this.#deps.sync
    this.#claimed.delete(id)
    const failure = (await store.stacks.get(id))?.failure
    if (failure?.reason !== 'Claimed') return
    await store.stacks.change(id, { failure: { ...failure, retry: 'soon' }, retryAt: null })
    this.#deps.wake(id)
  }

  #systemOf({ spec: { name, target } }: Stack): string | undefined {
    const { targets } = this.#deps.sync
    return targets.has(target) ? targets.liveSystem(target, { stack: name }) : undefined
  }
}
