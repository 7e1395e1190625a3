// When the target is looked at without anybody asking, and what comes of it.
import { abortAfter } from '../../model/abort-after.js'
import type { Clock } from '../../model/clock.js'
import type { Failure, Stack } from '../../model/stack.js'
import { checkDrift, isDesired } from '../../stacks/check-drift.js'
import type { SyncDeps } from '../../stacks/sync.js'
import { jittered } from '../backoff.js'
import { isCorrectable } from './due.js'
import { Corrections } from './corrections.js'
import { claimedOf, failureOfError } from '../failure-of.js'
import type { RunEnd } from './run-end.js'
import type { Semaphore } from '../../model/semaphore.js'

export interface DriftWatchDeps {
  readonly sync: SyncDeps
  readonly clock: Clock
  readonly random: () => number
  readonly runMs: number
  readonly places: Semaphore
}

export class DriftWatch {
  readonly #deps: DriftWatchDeps
  readonly #ends: RunEnd
  readonly #corrections = new Corrections()
  #onlyTold = true
  /** The run that applied what a whole look of this process found to be right. */
  #rightSince: string | undefined

  constructor(deps: DriftWatchDeps, ends: RunEnd) {
    this.#deps = deps
    this.#ends = ends
  }

  /** What the last look found was only told, since the stack had to wait; after a start, that is not known. */
  isHeldBack(stack: Stack): boolean {
    return this.#onlyTold && isCorrectable(stack)
  }

  /** True: a run was queued that puts right what was found. `mayCorrect`: the stack need not wait. */
  async look(stack: Stack, mayCorrect: boolean): Promise<boolean> {
    const { sync, clock } = this.#deps
    try {
      const known = this.#rightSince === stack.applied?.run
      const fields = await this.#deps.places.run(() =>
        checkDrift(stack, { ...sync, clock, known }, abortAfter(this.#deps.runMs)),
      )
      this.#onlyTold = !mayCorrect
      this.#rightSince = fields?.length === 0 ? stack.applied?.run : undefined
      if (fields === undefined || fields.length === 0) return false
      return mayCorrect && stack.spec.drift === 'correct' && isDesired(stack) && (await this.#correct(stack, fields))
    } catch (error) {
      const drifted = claimedOf(error)
      const failure = failureOfError(error)
      await sync.store.stacks.change(stack.id, { triedAt: clock.now(), failure, ...(drifted === 0 ? {} : { drifted }) })
      await this.#ends.tryLater(stack)
      return false
    }
  }

  /** A run that puts it right, unless somebody keeps putting it wrong again. */
  async #correct(stack: Stack, fields: readonly string[]): Promise<boolean> {
    const { sync, clock, random } = this.#deps
    const fought = this.#corrections.note(fields, clock.elapsed())
    if (fought !== undefined) {
      const message = `${fought} was corrected 5 times in 10 minutes: something else keeps changing it.`
      const hint = `Find out what writes it, or take it out of the package; \`gitmoor stack set ${stack.spec.name} --drift report\` stops the corrections.`
      const failure: Failure = { reason: 'Fighting', code: 'agent/fighting', message, hint, retry: 'soon' }
      await sync.store.stacks.change(stack.id, { failure, retryAt: clock.now() + jittered(600_000, random()) })
      return false
    }
    const note = `${fields.length} ${fields.length === 1 ? 'field differs' : 'fields differ'} from what ${stack.applied!.revision} declares`
    await sync.store.runs.add({ stack: stack.id, revision: stack.applied!.revision, cause: { kind: 'drift', note } })
    return true
  }
}
