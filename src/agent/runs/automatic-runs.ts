// Runs that nobody requested, and no poll: what the worker of a stack queues by itself.
import type { Clock } from '../../lib/clock.js'
import type { Cause, Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { Store } from '../../store/store.js'
import type { Timers } from '../schedule/schedule.js'

export interface AutomaticRunsDeps {
  readonly sync: { readonly store: Store }
  readonly clock: Clock
  readonly timers: Timers
}

/** Each returns true if a run was queued. */
export class AutomaticRuns {
  readonly #deps: AutomaticRunsDeps

  constructor(deps: AutomaticRunsDeps) {
    this.#deps = deps
  }

  /** `last`: the newest run, which was for another revision. */
  catchUp(stack: Stack, last: Run): Promise<boolean> {
    if (last.cause.kind === 'drift')
      return this.#add(stack, { kind: 'retry', note: 'drift was corrected at the applied revision first' })
    return this.#add(stack, { kind: 'schedule', note: 'a newer revision was seen before the last run' })
  }

  /** False also if the run gets its revision from a poll, which begins now. */
  async schedule(stack: Stack): Promise<boolean> {
    const { sync, timers, clock } = this.#deps
    const cause = { kind: 'schedule', note: stack.spec.schedule } as const
    if (stack.pinned !== null) return this.#add(stack, cause)
    await sync.store.runs.add({ stack: stack.id, revision: '', cause })
    timers.atLatest(`poll ${stack.id}`, clock.now())
    return false
  }

  async retry(stack: Stack): Promise<boolean> {
    const { store } = this.#deps.sync
    const open = await store.journal.isOpen(stack.id)
    await store.stacks.change(stack.id, { retryAt: null })
    const note = stack.failure === null ? undefined : stack.failure.message
    return this.#add(stack, { kind: open ? 'recovery' : 'retry', ...(note === undefined ? {} : { note }) })
  }

  /** True if the suspension ended, also without a revision to run. */
  async endSuspension(stack: Stack): Promise<boolean> {
    const { sync, clock } = this.#deps
    const { until } = stack.suspended!
    if (until === null || until > clock.now()) return false
    await sync.store.stacks.change(stack.id, { suspended: null })
    await this.#add(stack, { kind: 'schedule', note: 'the suspension ended' })
    return true
  }

  async #add(stack: Stack, cause: Cause): Promise<boolean> {
    const revision = stack.pinned?.revision ?? stack.observed?.revision
    if (revision === undefined) return false
    await this.#deps.sync.store.runs.add({ stack: stack.id, revision, orNewer: true, cause })
    return true
  }
}
