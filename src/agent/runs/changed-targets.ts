// Targets with other settings or another credential than before: that may end a failure, and connections that are open
// have the former ones.
import type { Clock } from '../../lib/clock.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { ValueLookup } from '../../secrets/resolve-value.js'
import { everyStack } from '../../stacks/stacks.js'
import type { Targets } from '../../stacks/targets.js'
import type { Store } from '../../store/store.js'
import type { Tasks } from '../schedule/tasks.js'
import type { Log } from '../watch/log.js'
import { credentialDigests } from './credential-digests.js'

export interface ChangedTargetsDeps {
  readonly store: Pick<Store, 'stacks'>
  readonly targets: Targets
  /** Where credentials are read. undefined: their changes are not noticed. */
  readonly lookup: ValueLookup | undefined
  readonly tasks: Pick<Tasks, 'keep'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly watches: { reconnect(stack: string): void }
  readonly wake: (stack: string) => void
}

/** Reasons of failures that other settings of the target may end. `TargetMissing` has its own retry. */
const reasons: readonly string[] = ['TargetUnreachable', 'TargetRefused', 'ApplyFailed', 'Undone', 'UndoIncomplete']

export class ChangedTargets {
  readonly #deps: ChangedTargetsDeps
  /** By target. */
  #digests: ReadonlyMap<string, string>

  constructor(deps: ChangedTargetsDeps) {
    this.#deps = deps
    this.#digests = this.#read()
  }

  /** Reads the credentials of all targets again. */
  async check(): Promise<void> {
    const before = this.#digests
    this.#digests = this.#read()
    const isChanged = (name: string): boolean => before.has(name) && before.get(name) !== this.#digests.get(name)
    const names = [...this.#digests.keys()].filter(isChanged)
    for (const target of names) this.#deps.log.info('credential of target changed', { target })
    void this.#deps.tasks.keep(this.#retryAll(new Set(names)))
  }

  /** Targets with other settings: retries the stacks that failed on them, and watches resources by new connections. */
  changed(names: ReadonlySet<string>): void {
    const known = [...this.#read()].filter(([name]) => names.has(name))
    this.#digests = new Map([...this.#digests, ...known])
    void this.#deps.tasks.keep(this.#retryAll(names))
  }

  /** A target that is refused for its stacks is used again once the last of them is deleted. */
  stackDeleted(): void {
    const { targets, tasks } = this.#deps
    if (targets.declared.some(({ name }) => targets.refusal(name) !== undefined)) void tasks.keep(this.#bindAgain())
  }

  async #retryAll(names: ReadonlySet<string>): Promise<void> {
    if (names.size === 0) return
    const { store, watches } = this.#deps
    for await (const stack of everyStack(store)) {
      if (!names.has(stack.spec.target)) continue
      watches.reconnect(stack.id)
      await this.#retry(stack)
    }
  }

  async #bindAgain(): Promise<void> {
    const { targets, store } = this.#deps
    targets.bind(await store.stacks.boundSystems())
  }

  async #retry({ id, failure }: Stack): Promise<void> {
    const { store, clock, wake } = this.#deps
    if (failure === null || !reasons.includes(failure.reason)) return
    await store.stacks.change(id, { failure: { ...failure, retry: 'soon' }, retryAt: clock.now() })
    wake(id)
  }

  #read(): ReadonlyMap<string, string> {
    const { targets, lookup } = this.#deps
    return lookup === undefined ? new Map() : credentialDigests(targets.declared, lookup)
  }
}
