// Drift checks of a stack, and the runs that correct the drift.
import { abortAfter } from '../../lib/async/abort-after.js'
import type { Clock } from '../../lib/clock.js'
import { shortRevision } from '../../model/sources/revision.js'
import type { Cause, Run } from '../../model/stacks/run.js'
import type { Failure, Stack } from '../../model/stacks/stack.js'
import { checkAwaiting } from '../../stacks/plans/check-awaiting.js'
import { checkDrift, type DriftFound } from '../../stacks/plans/check-drift.js'
import { needsApproval } from '../../status/axes.js'
import { isDesired } from '../../status/dependency.js'
import { missingSecretBlockers } from '../../status/run-warnings.js'
import type { SyncDeps } from '../../stacks/sync.js'
import { jittered } from '../schedule/backoff.js'
import { isCorrectable } from './due.js'
import { claimedCount, toFailure } from '../failure.js'
import type { Changes } from '../watch/changes.js'
import type { Live } from '../watch/live.js'
import type { ClaimedStacks } from './claimed-stacks.js'
import { runBefore } from './run-before.js'
import type { RunEnd } from './run-end.js'
import type { Semaphore } from '../../lib/async/semaphore.js'

export interface DriftChecksDeps {
  readonly sync: SyncDeps
  readonly clock: Clock
  readonly random: () => number
  readonly runMs: number
  readonly slots: Semaphore
  readonly claimed: ClaimedStacks
  readonly live: Live
  readonly changes: Changes
}

interface KnownBefore {
  readonly last: Run | undefined
  readonly mayCorrect: boolean
}

export class DriftChecks {
  readonly #deps: DriftChecksDeps
  readonly #ends: RunEnd
  readonly #corrections = new Corrections()
  #onlyReported = true
  /** The run whose applied state a complete check of this process found correct. */
  #correctSince: string | undefined

  constructor(deps: DriftChecksDeps, ends: RunEnd) {
    this.#deps = deps
    this.#ends = ends
  }

  /** The last check only reported drift, since the stack was blocked. Unknown after a start: true. */
  isCorrectionPending(stack: Stack): boolean {
    return this.#onlyReported && isCorrectable(stack)
  }

  /**
   * True: a run was queued that corrects the drift, or that no longer lacks a secret. `last`: the newest run;
   * `mayCorrect`: nothing blocks the stack.
   */
  async check(stack: Stack, known: KnownBefore): Promise<boolean> {
    const { live, changes } = this.#deps
    if (known.mayCorrect && isDesired(stack) && stack.spec.drift === 'correct') live.correcting.add(stack.id)
    try {
      return await this.#check(stack, known)
    } finally {
      if (live.correcting.delete(stack.id)) changes.notify(stack.id)
    }
  }

  async #check(stack: Stack, { last, mayCorrect }: KnownBefore): Promise<boolean> {
    const { sync, clock, claimed } = this.#deps
    const began = clock.elapsed()
    try {
      if (last !== undefined && needsApproval({ stack, last }))
        return await this.#checkAwaiting(stack, last, mayCorrect)
      const known = this.#correctSince === stack.applied?.run
      const lacked = missingSecretBlockers(last).length
      const found = await this.#deps.slots.run(() =>
        checkDrift(stack, { ...sync, clock, known, lacked }, abortAfter(this.#deps.runMs)),
      )
      await found?.stored // without the slot: others may check meanwhile
      const fields = found?.fields ?? []
      this.#onlyReported = !mayCorrect
      this.#correctSince = found !== undefined && fields.length === 0 ? stack.applied?.run : undefined
      if (!mayCorrect || !isDesired(stack) || (fields.length > 0 && stack.spec.drift !== 'correct')) return false
      if (found !== undefined && fields.length > 0) return await this.#correct(stack, found)
      return found?.hasSecretsBack === true && (await this.#add(stack, { kind: 'retry', note: secretsBack }))
    } catch (error) {
      const drifted = claimedCount(error)
      const failure = toFailure(error)
      await sync.store.stacks.change(stack.id, { triedAt: clock.now(), failure, ...(drifted === 0 ? {} : { drifted }) })
      await this.#ends.scheduleRetry(stack.id)
      await claimed.failed(stack, failure, began)
      return false
    }
  }

  /** The newest plan needs approval: drift is corrected to the applied revision, and a stale plan is made again. */
  async #checkAwaiting(stack: Stack, awaiting: Run, mayRun: boolean): Promise<boolean> {
    const { sync, clock, slots, runMs } = this.#deps
    const found = await slots.run(() =>
      checkAwaiting(stack, { awaiting, mayRun }, { ...sync, clock }, abortAfter(runMs)),
    )
    await found.stored
    this.#onlyReported = !mayRun
    this.#correctSince = undefined
    if (found.mayCorrect) return this.#correct(stack, found)
    if (!found.isStale) return false
    const { revision } = awaiting
    await sync.store.runs.add({ stack: stack.id, revision, orNewer: true, cause: { kind: 'retry', note: staleNote } })
    return true
  }

  /** Queues a run that corrects the drift, unless the same field was corrected too often. */
  async #correct(stack: Stack, found: DriftFound): Promise<boolean> {
    const { sync, clock, random } = this.#deps
    const fightingField = this.#corrections.add(found.fields, clock.elapsed())
    if (fightingField !== undefined) {
      const message = `${fightingField} was corrected 5 times in 10 minutes: something else keeps changing it.`
      const hint =
        'Find out what writes it, or take it out of the package; ' +
        `\`gitmoor stack set ${stack.spec.name} --drift report\` stops the corrections.`
      const failure: Failure = { reason: 'Fighting', code: 'agent/fighting', message, hint, retry: 'soon' }
      await sync.store.stacks.change(stack.id, { failure, retryAt: clock.now() + jittered(600_000, random()) })
      return false
    }
    return this.#add(stack, { kind: 'drift', note: driftNote(found, shortRevision(stack.applied!.revision)) })
  }

  async #add({ id, applied }: Stack, cause: Cause): Promise<true> {
    await this.#deps.sync.store.runs.add({ stack: id, revision: applied!.revision, cause })
    return true
  }

  /** Ends a queued correction if drift is no longer corrected. True: it did. */
  async drop({ id, spec }: Stack, { id: run, phase, cause }: Run): Promise<boolean> {
    const { store } = this.#deps.sync
    if (cause.kind !== 'drift' || spec.drift === 'correct' || phase !== 'queued') return false
    if (await store.journal.isOpen(id)) return false
    const before = await runBefore(store, { stack: id, id: run })
    // What the run before warned of, such as a missing secret, still holds.
    await store.runs.endQueued(run, { outcome: 'cancelled', problems: before?.problems ?? [] })
    return true
  }
}

/** `1 resource is missing, 2 fields differ from what v1@1f0c2ab declares`. */
function driftNote({ missing, differing }: DriftFound, revision: string): string {
  const differ = differing === 1 ? '1 field differs' : `${differing} fields differ`
  return [
    ...(missing === 0 ? [] : [missing === 1 ? '1 resource is missing' : `${missing} resources are missing`]),
    ...(differing === 0 ? [] : [`${differ} from what ${revision} declares`]),
  ].join(', ')
}

const staleNote = 'the target changed since the plan that needs approval was made'

const secretsBack = 'a secret that was missing is on the target'

const windowMs = 600_000
const most = 5

/** Recent corrections, by field: a field that needs many has another writer. */
class Corrections {
  readonly #times = new Map<string, readonly number[]>()

  /** Adds a correction. Returns a field that was corrected 5 times in the last 10 minutes. */
  add(fields: readonly string[], now: number): string | undefined {
    for (const field of fields) {
      const lately = (this.#times.get(field) ?? []).filter((at) => at > now - windowMs)
      if (lately.length >= most) return field
      this.#times.set(field, [...lately, now])
    }
    for (const [field, times] of this.#times) if (times.every((at) => at <= now - windowMs)) this.#times.delete(field)
    return undefined
  }
}
