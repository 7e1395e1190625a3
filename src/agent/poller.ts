// One look at a remote serves every stack that follows it: one request for all refs, one fetch for each commit, one transaction for what came of it.
import type { Clock } from '../model/clock.js'
import { stateOf } from '../model/revision.js'
import type { Run } from '../model/run.js'
import { pathOf, refOf } from '../model/source-spec.js'
import type { Failure, Seen, Stack } from '../model/stack.js'
import type { OnRead, Resolved, Source } from '../source/source.js'
import type { Observation, Store } from '../store/store.js'
import { settingsOf } from '../stacks/sync.js'
import { failureOfError, problemsOf } from './failure-of.js'
import type { Log } from './log.js'
import type { LookResult, Meters } from './meters.js'
import type { RemoteHealth } from './remote-health.js'
import { moveOf, seenBy } from './see.js'

export interface PollerDeps {
  readonly source: Source
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly health: RemoteHealth
  readonly meters: Meters
  /** A newer run is there: what is in hand for the stack is superseded. */
  readonly onRun: (run: Run) => void
  readonly onChanged: (stack: string) => void
}

/** How long a look waits for commits, to see whether anything changed in them. */
const fetchMs = 2_000

export class Poller {
  readonly #deps: PollerDeps
  readonly #failures = new Map<string, { readonly failure: Failure; readonly error: unknown }>()
  /** Stacks whose last look saw their ref. */
  readonly #seen = new Set<string>()

  constructor(deps: PollerDeps) {
    this.#deps = deps
  }

  /** Why the last look did not see the stack's ref. */
  failureOf(stack: string): { readonly failure: Failure; readonly error: unknown } | undefined {
    return this.#failures.get(stack)
  }

  /** The same of all stacks. */
  get failures(): ReadonlyMap<string, Failure> {
    return new Map([...this.#failures].map(([stack, { failure }]) => [stack, failure]))
  }

  forget(stack: string): void {
    this.#failures.delete(stack)
    this.#seen.delete(stack)
  }

  /** Looks once for all these stacks, which follow the same remote. Never rejects for what a remote does; gives the error where nothing at all could be seen. */
  async look(remote: string, stacks: readonly Stack[], signal: AbortSignal): Promise<unknown> {
    const { source, clock, health } = this.#deps
    const refs = [...new Set(stacks.map((stack) => refOf(stack.spec.sources[0]!)))]
    const at = clock.now()
    const read = { method: 'none', bytes: 0 }
    const onRead: OnRead = ({ method, bytes }) => Object.assign(read, { method, bytes: read.bytes + bytes })
    let seen: ReadonlyMap<string, Resolved | Error>
    try {
      seen = await source.look(remote, refs, signal, onRead)
      health.note({ remote, at, ms: clock.now() - at, failure: null })
    } catch (error) {
      if (signal.aborted) throw error
      health.note({ remote, at, ms: clock.now() - at, failure: failureOfError(error) })
      this.#looked(remote, 'failed', { ...read, ms: clock.now() - at })
      for (const stack of stacks) await this.#unseen(stack, error)
      return error
    }
    const ms = clock.now() - at
    const moved = await this.#record(remote, stacks, seen, signal)
    this.#looked(remote, moved ? 'moved' : 'unchanged', { ...read, ms })
    return undefined
  }

  #looked(remote: string, result: LookResult, cost: { readonly method: string; readonly bytes: number; readonly ms: number }): void {
    this.#deps.meters.looked({ result, ...cost })
    this.#deps.log.debug('looked', { remote, result, ...cost })
  }

  /** True: something moved. */
  async #record(
    remote: string,
    stacks: readonly Stack[],
    seen: ReadonlyMap<string, Resolved | Error>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store, clock } = this.#deps
    const channels = await store.channels.of(remote)
    const now = clock.now()
    const moves = [...seen].flatMap(([ref, what]) => moveOf({ remote, ref, before: channels.get(ref) }, what, now) ?? [])
    const [waiting, cutOff] = await Promise.all([this.#waiting(stacks), this.#cutOff(stacks)])
    const observations: Observation[] = []
    for (const stack of stacks) {
      const what = seen.get(refOf(stack.spec.sources[0]!))
      if (what === undefined || what instanceof Error) await this.#unseen(stack, what)
      else observations.push(...(await this.#observe(stack, what, { waiting: waiting.get(stack.id), cutOff: cutOff.has(stack.id) })))
    }
    if (observations.length === 0 && moves.length === 0) return false
    const runs = await store.runs.observe(observations, moves)
    const queued = await this.#settleUnchanged(remote, runs, new Map(stacks.map((stack) => [stack.id, stack])), signal)
    for (const { stack } of observations) this.#deps.onChanged(stack)
    for (const run of queued) this.#deps.onRun(run)
    return true
  }

  async #observe(
    stack: Stack,
    resolved: Resolved,
    before: { readonly waiting: Run | undefined; readonly cutOff: boolean },
  ): Promise<readonly Observation[]> {
    this.#seen.add(stack.id)
    if (this.#failures.delete(stack.id)) {
      this.#deps.log.info('source seen again', { stack: stack.spec.name })
      this.#deps.onChanged(stack.id)
    }
    const attempted = stack.pinned !== null && (await this.#deps.store.runs.wasAttempted(stack.id, resolved.state))
    const observation = seenBy(stack, resolved, { ...before, attempted })
    return observation === undefined ? [] : [observation]
  }

  /** Runs that wait for a look, by stack. */
  async #waiting(stacks: readonly Stack[]): Promise<ReadonlyMap<string, Run>> {
    const { runs } = this.#deps.store
    const unfinished = stacks.length === 1 ? await runs.unfinished(stacks[0]!.id) : await runs.unfinished()
    return new Map(unfinished.filter((run) => run.revision === '').map((run) => [run.stack, run]))
  }

  /** Stacks not seen since the agent started or the source failed, whose last run ended for want of it. */
  async #cutOff(stacks: readonly Stack[]): Promise<ReadonlySet<string>> {
    const unseen = stacks.filter(({ id }) => !this.#seen.has(id)).map(({ id }) => id)
    const last = await this.#deps.store.runs.last(unseen)
    return new Set([...last.values()].filter(({ revision, outcome }) => revision === '' && outcome === 'failed').map(({ stack }) => stack))
  }

  /** A commit in which nothing below a stack's path changed is decided here, for all such stacks at once. Gives the runs that are not. */
  async #settleUnchanged(
    remote: string,
    runs: readonly Run[],
    stacks: ReadonlyMap<string, Stack>,
    signal: AbortSignal,
  ): Promise<readonly Run[]> {
    const { store } = this.#deps
    const unsettled = new Set(await store.stacks.unsettled())
    const candidates = runs.filter((run) => mayBeUnchanged(stacks.get(run.stack)!, run) && !unsettled.has(run.stack))
    const fetched = await this.#fetched(remote, new Set(candidates.map((run) => stateOf(run.revision))), signal)
    const settled: { readonly run: string; readonly stack: string; readonly seen: Seen }[] = []
    for (const run of candidates) {
      const state = stateOf(run.revision)
      const stack = stacks.get(run.stack)!
      const content = fetched.has(state) ? await this.#deps.source.content(remote, state, pathOf(stack.spec.sources[0]!)) : undefined
      if (content !== undefined && content === stack.applied?.content)
        settled.push({ run: run.id, stack: stack.id, seen: { revision: run.revision, content } })
    }
    if (settled.length > 0) {
      await store.runs.settleUnchanged(settled)
      this.#deps.log.info('new revisions change nothing', { remote, stacks: settled.length })
    }
    const done = new Set(settled.map(({ run }) => run))
    return runs.filter((run) => !done.has(run.id))
  }

  /** Those of the states that could be fetched soon; of the others the runs themselves wait, or say why, and the next look is not held up. */
  async #fetched(remote: string, states: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const fetched = new Set<string>()
    const soon = AbortSignal.any([signal, AbortSignal.timeout(fetchMs)])
    for (const state of states) {
      try {
        await this.#deps.source.fetch(remote, state, soon)
        fetched.add(state)
      } catch {
        signal.throwIfAborted()
      }
    }
    return fetched
  }

  async #unseen(stack: Stack, error: unknown): Promise<void> {
    const failure = failureOfError(error ?? new Error('the remote did not answer for this ref'))
    const known = this.#failures.get(stack.id)?.failure.message === failure.message
    this.#failures.set(stack.id, { failure, error })
    this.#seen.delete(stack.id)
    const [waiting] = (await this.#deps.store.runs.unfinished(stack.id)).filter((run) => run.revision === '')
    if (waiting !== undefined) await this.#deps.store.runs.finish(waiting.id, { outcome: 'failed', problems: problemsOf(error) })
    if (!known) this.#deps.log.warn('source not seen', { stack: stack.spec.name, code: failure.code, error: failure.message })
    if (!known || waiting !== undefined) this.#deps.onChanged(stack.id)
  }
}

/** Only what was applied, settled and not changed in its settings can be left alone without a look at the target. */
function mayBeUnchanged(stack: Stack, run: Run): boolean {
  if (run.intent !== 'sync' || run.expects !== null || run.cause.kind === 'person') return false
  const { applied, failure, suspended, pinned, attempted } = stack
  return (
    applied !== null &&
    applied.content !== '' &&
    failure === null &&
    suspended === null &&
    pinned === null &&
    attempted?.settings === settingsOf(stack)
  )
}
