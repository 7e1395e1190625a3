// What every verb begins with: finding the stack, refusing what may not be, queueing a run and waiting for it.
import type { Channel } from '../model/channel.js'
import type { Clock } from '../lib/clock.js'
import { Refused } from '../model/errors.js'
import { Lock } from '../lib/lock.js'
import type { Cause, Run } from '../model/run.js'
import { sourceLocation, type SourceSpec } from '../model/source-spec.js'
import type { Failure, Stack, StackSpec } from '../model/stack.js'
import type { Source } from '../source/source.js'
import type { Store } from '../store/store.js'
import type { RunBlocker } from '../model/blocker.js'
import { readDependencies } from './status/dependencies.js'
import type { Dependency } from '../status/dependency.js'
import type { ChannelPolicy } from '../channel/channel-policy.js'
import { channelBlocker, channelBlockers, type BlockedMove } from '../channel/blocked-move.js'
import type { Scheduler } from './scheduler.js'
import { closedWindow, refuseClosed, runBlockers, type WindowOverrideOptions } from '../status/run-blockers.js'
import type { StatusInput } from '../status/axes.js'
import { isUninstalled, refuseSuspended, suspendedRefusal } from './runs/suspended.js'
import type { SyncDeps } from './sync.js'
import { TargetMissing } from './targets.js'

export interface DeskDeps {
  readonly sync: SyncDeps
  readonly dispatch: Scheduler
  readonly clock: Clock
}

export class Desk {
  readonly sync: SyncDeps
  readonly store: Store
  readonly dispatch: Scheduler
  readonly clock: Clock
  /** By organisation. */
  readonly #turns = new Map<string, Lock>()

  constructor({ sync, dispatch, clock }: DeskDeps) {
    this.sync = sync
    this.store = sync.store
    this.dispatch = dispatch
    this.clock = clock
  }

  async stack(name: string): Promise<Stack> {
    const stack = await this.store.stacks.get(name)
    if (stack === undefined)
      throw new Refused('not-found', `There is no stack named ${name}.`, {
        hint: 'See which there are: gitmoor stack list',
      })
    return stack
  }

  /** By its id alone. */
  async stackWithId(id: string): Promise<Stack> {
    const [stack] = await this.store.stacks.many([id])
    if (stack === undefined) throw new Refused('not-found', `There is no stack with the id ${id}.`)
    return stack
  }

  async changeable(name: string): Promise<Stack> {
    const stack = await this.stack(name)
    if (stack.managedBy === 'file' && stack.suspended?.by !== 'file')
      throw new Refused(
        'conflict',
        `${name} is declared in the configuration file (managedBy: file) and is changed there.`,
        {
          code: 'stacks/managed-by-file',
          hint: 'Change the file, then send the agent the signal HUP. Here it can be synced, suspended, resumed, approved, cancelled and rolled back.',
        },
      )
    return stack
  }

  /** Throws what is refused of a stack's sources. */
  refuseSources({ name, sources }: StackSpec): void {
    for (const one of sources) this.sync.source.remoteOf(one, name)
  }

  /** The remote of a source; where it is refused by now, what was declared. */
  remoteOf(source: SourceSpec, stack: string): string {
    try {
      return this.sync.source.remoteOf(source, stack)
    } catch {
      return sourceLocation(source)
    }
  }

  /** Looks at remotes as the stacks do: of what is there, what is released. */
  get released(): Pick<Source, 'remoteOf' | 'poll'> {
    const { source } = this.sync
    return {
      remoteOf: (one, stack) => source.remoteOf(one, stack),
      poll: (remote, refs, signal) => this.dispatch.polls.releasedTips(remote, refs, signal),
    }
  }

  /** Of channels whose newest move the stack does not follow. */
  #heldBack({ spec }: Stack): readonly BlockedMove[] {
    return spec.sources.flatMap((one) => {
      const channel =
        one.kind === 'git' ? this.dispatch.channels.blockedMove(this.remoteOf(one, spec.name), one.ref) : undefined
      const hold = channel && channelBlocker(channel, this.policyOf(channel))
      return hold === undefined ? [] : [{ ...hold, commit: channel?.move?.to?.commit ?? null }]
    })
  }

  /** What may become of the moves of a channel. */
  policyOf({ remote, ref, move }: Channel): ChannelPolicy {
    return this.dispatch.channels.policyOf({ remote, ref, name: move?.name ?? '' })
  }

  refuseSuspended(stack: Stack): void {
    if (stack.suspended !== null) throw suspendedRefusal(stack)
  }

  /** Pushes and deletions of stacks of one organisation run one after the other. */
  turn<T>(target: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { targets } = this.sync
    const organisation = targets.names.includes(target) ? targets.organisationOf(target).id : target
    let turn = this.#turns.get(organisation)
    if (turn === undefined) this.#turns.set(organisation, (turn = new Lock()))
    return turn.run(signal, work)
  }

  /** What was uninstalled comes back with what is handed over now. Throws where a person suspended it. */
  async revive(stack: Stack): Promise<void> {
    refuseSuspended(stack)
    if (stack.suspended !== null) await this.store.stacks.change(stack.id, { suspended: null })
  }

  situation(stack: Stack, last: Run | undefined): StatusInput {
    const inProgress = last === undefined ? undefined : this.dispatch.live.phaseOf(last)
    const { id } = stack
    return {
      stack,
      last,
      inProgress,
      pollFailure: this.#targetFailure(stack) ?? this.dispatch.live.pollFailure(id),
      blockers: this.dispatch.live.blockersOf(id),
      blockedMoves: this.#heldBack(stack),
    }
  }

  #targetFailure({ spec: { target } }: Stack): Failure | undefined {
    if (this.sync.targets.has(target)) return undefined
    const { code, message, hint } = new TargetMissing(target)
    return { reason: 'TargetMissing', code, message, hint: hint!, retry: 'change' }
  }

  async situationOf(stack: Stack): Promise<StatusInput> {
    return this.situation(stack, await this.lastRun(stack))
  }

  /** Its last run comes with its plan. */
  async situationWithPlan(stack: Stack): Promise<StatusInput> {
    const situation = await this.situationOf(stack)
    const { last } = situation
    return { ...situation, last: last && (await this.store.runs.get(last.id)) }
  }

  dependencies({ spec }: Stack): Promise<readonly Dependency[]> {
    return readDependencies(spec.dependsOn, this.store, (stack, last) => this.situation(stack, last))
  }

  /** Why a run of it that is queued does not begin. */
  runWaits(stack: Stack): readonly RunBlocker[] {
    return [...this.dispatch.live.blockersOf(stack.id), ...channelBlockers(stack, this.#heldBack(stack))]
  }

  /** What a run waits for; without a run: what anything would wait for that the stack does by itself. */
  async waits(stack: Stack, run?: Run): Promise<readonly RunBlocker[]> {
    return runBlockers(stack.spec, run, {
      dependencies: await this.dependencies(stack),
      isHalfDone: false,
      now: this.clock.now(),
    })
  }

  /**
   * Of a run that a person asks for by name: every one begins here. It records what it goes past. `mayWait`: it is kept
   * where a window closes the stack. Errors: `Refused` held, where a window does and that is neither overridden nor
   * waited for.
   */
  async asked(stack: Stack, by: string, { note, overrideWindow, mayWait = false }: AskedFor = {}): Promise<Cause> {
    const { spec } = stack
    const now = this.clock.now()
    if (!mayWait || overrideWindow !== undefined) refuseClosed(spec, now, overrideWindow)
    const waiting = overrideWindow === undefined && closedWindow(spec, now, true) !== undefined
    const all = await this.waits(stack)
    const past = all.filter(({ reason }) => !waiting || reason !== 'Window').map(({ message }) => message)
    return {
      kind: 'person',
      by,
      requested: true,
      ...(note === undefined ? {} : { note }),
      ...(past.length === 0 ? {} : { overrode: past.join(' ') }),
      ...(overrideWindow === undefined ? {} : { overrideWindow }),
      ...(waiting ? { unattended: true } : {}),
    }
  }

  /** Throws where a window closes the stack for what a person asks for by name. */
  refuseClosed({ spec }: Pick<Stack, 'spec'>, { overrideWindow }: WindowOverrideOptions): void {
    refuseClosed(spec, this.clock.now(), overrideWindow)
  }

  async lastRun(stack: Stack): Promise<Run | undefined> {
    return (await this.store.runs.last([stack.id])).get(stack.id)
  }

  async queue(
    stack: Stack,
    run: {
      readonly revision: string
      readonly cause: Cause
      readonly intent?: Run['intent']
      readonly expects?: string
    },
  ): Promise<Run> {
    const queued = await this.store.runs.add({ stack: stack.id, ...run })
    this.dispatch.runs.wake(stack.id)
    return queued
  }

  /** After an uninstall that took everything away, the stack itself goes. False: it did not. */
  async forgetUninstalled(stack: Stack, { intent, outcome }: Run): Promise<boolean> {
    if (intent !== 'delete' || (outcome !== 'applied' && outcome !== 'unchanged')) return false
    await this.store.stacks.delete(stack.id)
    this.dispatch.unfollow(stack.id)
    return true
  }

  /** A run with its plan, once it is as `ended` says. */
  async finished(stack: Stack, run: Run, signal: AbortSignal): Promise<Run> {
    const ended = await this.ended(stack, run, signal)
    return (await this.store.runs.get(ended.id)) ?? ended
  }

  /**
   * A run without its plan, which may be large, once it has ended or is an undo that goes on later, since its target
   * does not answer. One that is kept until a window opens is given as it is. Errors: `Refused` locked, where a person
   * suspended the stack meanwhile; conflict, where it was deleted; held, where a window closed before it began.
   */
  async ended(stack: Stack, { id }: Run, signal: AbortSignal): Promise<Run> {
    for (;;) {
      const changed = this.dispatch.events.nextChange(stack.id, signal)
      changed.catch(() => {})
      const run = await this.#runNow(stack, id)
      if (run.outcome !== null && run.outcome !== 'cancelled') return run
      const now = await this.stack(stack.id)
      if (run.outcome === 'cancelled') return (refuseSuspended(now), run)
      if (run.phase === 'undoing' && now.retryAt !== null) return run
      if (this.dispatch.live.phaseOf(run) === undefined && closes(now.spec, run, this.clock.now())) {
        if (run.cause.unattended === true) return run
        await this.#closeDenied(now, id, signal)
      }
      if (now.suspended === null) await changed
      else await this.#closeSuspended(now, id, signal)
    }
  }

  /**
   * Of a suspended stack no run begins, and only an undo goes on when it is resumed. Throws where a person suspended
   * it.
   */
  #closeSuspended(stack: Stack, id: string, signal: AbortSignal): Promise<void> {
    return this.dispatch.runs.exclusively(stack.id, signal, async () => {
      const now = await this.stack(stack.id)
      const run = await this.#runNow(stack, id)
      if (now.suspended === null || run.outcome !== null) return
      const outcome = isUninstalled(now) ? 'superseded' : 'cancelled'
      if (run.phase !== 'undoing' || isUninstalled(now)) await this.store.runs.finish(id, { outcome })
      refuseSuspended(now)
    })
  }

  /** A window closed while it waited for its turn: what asked for it is refused, as if it had asked then. */
  #closeDenied(stack: Stack, id: string, signal: AbortSignal): Promise<void> {
    return this.dispatch.runs.exclusively(stack.id, signal, async () => {
      const run = await this.#runNow(stack, id)
      if (run.outcome !== null || run.phase !== 'queued' || !closes(stack.spec, run, this.clock.now())) return
      await this.store.runs.finish(id, { outcome: 'cancelled' })
      this.refuseClosed(stack, {})
    })
  }

  async #runNow({ id: stack, spec }: Stack, id: string): Promise<Run> {
    const [found] = await this.store.runs.list(stack, { limit: 1, after: String(Number(id) + 1) })
    if (found?.id === id) return found
    throw new Refused('conflict', `${spec.name} was deleted before run ${id} ended.`, {
      code: 'stacks/deleted-meanwhile',
    })
  }
}

/** What a person asks for, beside a stack. */
interface AskedFor extends WindowOverrideOptions {
  readonly note?: string
  readonly mayWait?: boolean
}

/** Whether a window keeps a queued run from beginning. */
function closes(spec: StackSpec, run: Run, now: number): boolean {
  return run.phase === 'queued' && runBlockers(spec, run, { dependencies: [], isHalfDone: false, now }).length > 0
}

/** The error for a person, of a run that did not do what was asked. */
export function refusalOf(run: Run, { spec }: Stack): Refused {
  const first = run.problems[0]
  return new Refused(statusOf(run), first?.message ?? `Run ${run.id} ended ${run.outcome ?? run.phase}.`, {
    ...(first === undefined ? {} : { code: first.code }),
    hint: first?.hint ?? `See what happened: gitmoor history ${spec.name} ${run.id}`,
    problems: run.problems,
  })
}

function statusOf({ outcome, problems }: Run): 'stale' | 'conflict' | 'failed' {
  if (problems[0]?.code === 'plan/stale') return 'stale'
  return outcome === 'superseded' || outcome === 'cancelled' ? 'conflict' : 'failed'
}
