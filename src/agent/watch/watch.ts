// Publishes events: after a change, reads from the store what changed, and publishes it once, no matter what stored it.
import { setMaxListeners } from 'node:events'
import { hash } from 'node:crypto'
import type { Clock } from '../../lib/clock.js'
import { describeError } from '../../model/errors.js'
import { isOlderId } from '../../model/id.js'
import { lockNames, withLock, type Locks } from '../../lib/async/locks.js'
import type { ChannelMove } from '../../model/sources/channel.js'
import type { NumberedEvent, RunEvent, TargetEvent } from '../../model/stacks/event.js'
import type { Phase, Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { Events, Subscription } from '../../stacks/scheduler.js'
import { blockedMoves, type ChannelsContext } from '../../stacks/status/status-input.js'
import { specDigest } from '../../stacks/settings-digest.js'
import type { Store } from '../../store/store.js'
import type { Changes } from './changes.js'
import type { Live } from './live.js'
import type { Log } from './log.js'
import type { Meters } from './meters.js'
import { EventLog } from './event-log.js'

export interface WatchDeps extends ChannelsContext {
  readonly store: Pick<Store, 'stacks' | 'runs' | 'feed'>
  readonly clock: Clock
  readonly locks: Locks
  readonly log: Log
  readonly meters: Meters
  readonly changes: Changes
  readonly live: Live
  /** The agent stops. */
  readonly stop: AbortSignal
}

/** Changes within this time are read together. */
const gatherMs = 20
const page = 500
const never = new AbortController().signal
setMaxListeners(0, never) // every run that changes its phase may wait

export class Watch implements Events {
  readonly #deps: WatchDeps
  readonly #events: EventLog
  readonly #stacks = new Map<string, { readonly name: string; readonly digest: string }>()
  readonly #unfinished = new Map<string, Run>()
  #touched = new Set<string>()
  #newest = '0'
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(deps: WatchDeps) {
    this.#deps = deps
    deps.changes.subscribe((stack) => this.#touch(stack))
    this.#events = new EventLog(deps.clock)
  }

  /** Reads what exists before the first event. */
  async start(): Promise<void> {
    const { feed, runs } = this.#deps.store
    this.#startedAt = this.#deps.clock.now()
    this.#newest = await feed.newest()
    for (const run of await runs.unfinished()) this.#unfinished.set(run.id, run)
  }

  /** A stack that existed before the start. */
  add(stack: Stack): void {
    this.#stacks.set(stack.id, { name: stack.spec.name, digest: this.#digest(stack) })
  }

  /** Published after earlier events, such as the run itself. */
  phase(run: Run, phase: Phase): void {
    if (this.#stopped) return
    void this.#inOrder(async () => {
      if (this.#isUnread(run.id)) await this.#read()
      if (this.#unfinished.has(run.id)) this.#publishRun('run.phase', run, phase)
    })
  }

  moved(move: ChannelMove): void {
    this.#events.publish({ type: 'channel.moved', move })
  }

  targetChanged(event: TargetEvent): void {
    this.#events.publish(event)
  }

  stackChanged(stack: string): void {
    this.#touch(stack)
  }

  /** A run that deletes its stack is read before its row is deleted with the stack. */
  ended(stack: string, run: string): Promise<void> {
    this.#touched.add(stack)
    return this.#inOrder(async () => {
      const intent = this.#unfinished.get(run)?.intent
      if (this.#isUnread(run) || (intent !== undefined && intent !== 'sync')) await this.#read()
    })
  }

  get lastId(): string {
    return this.#events.lastId
  }

  subscribe(after: string | undefined, listener: (event: NumberedEvent) => void): Subscription {
    return this.#events.subscribe(after, listener)
  }

  nextChange(stack: string, signal: AbortSignal): Promise<void> {
    const { changes, stop } = this.#deps
    return changes.next(stack, AbortSignal.any([signal, stop]))
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** Something about the stack may have changed. */
  #touch(stack: string): void {
    if (this.#stopped) return
    this.#touched.add(stack)
    this.#timer ??= setTimeout(() => void this.#readTouched(), gatherMs).unref()
  }

  /** False: it is unfinished, or its end was published. */
  #isUnread(run: string): boolean {
    return isOlderId(this.#newest, run)
  }

  /** Reads and publishes after earlier changes. */
  #inOrder(read: () => Promise<void>): Promise<void> {
    return withLock(this.#deps.locks, lockNames.events, never, read)
  }

  #readTouched(): Promise<void> {
    this.#timer = undefined
    return this.#inOrder(() => this.#read())
  }

  async #read(): Promise<void> {
    const touched = this.#touched
    this.#touched = new Set()
    try {
      const fresh = await this.#newRuns()
      const stacks = new Set([...touched, ...fresh.map(({ stack }) => stack)])
      const there = await this.#deps.store.stacks.many([...stacks])
      this.#publishStacks(there)
      await this.#publishRuns(fresh, stacks)
      this.#publishDeleted(stacks, there)
    } catch (error) {
      if (this.#stopped) return
      this.#deps.log.debug('changes not read', { error: describeError(error) })
      for (const stack of touched) this.#touch(stack)
    }
  }

  async #newRuns(): Promise<readonly Run[]> {
    const fresh: Run[] = []
    for (;;) {
      const runs = await this.#deps.store.feed.after(fresh.at(-1)?.id ?? this.#newest, page)
      fresh.push(...runs)
      if (runs.length < page) return fresh
    }
  }

  #publishStacks(there: readonly Stack[]): void {
    for (const stack of there) {
      const before = this.#stacks.get(stack.id)
      const now = { name: stack.spec.name, digest: this.#digest(stack) }
      if (before?.digest === now.digest) continue
      this.#stacks.set(stack.id, now)
      this.#events.publish({
        type: before === undefined && stack.createdAt >= this.#startedAt ? 'stack.created' : 'stack.changed',
        stack: stack.id,
        name: now.name,
      })
    }
  }

  async #publishRuns(fresh: readonly Run[], stacks: ReadonlySet<string>): Promise<void> {
    const known = [...this.#unfinished.values()].filter(({ stack }) => stacks.has(stack)).map(({ id }) => id)
    const again = await this.#deps.store.feed.many(known)
    for (const run of fresh) {
      this.#newest = run.id
      this.#unfinished.set(run.id, run)
      if (run.intent !== 'ownership') this.#publishRun('run.queued', run, 'queued')
    }
    for (const run of [...again, ...fresh]) {
      if (run.outcome === null) continue
      this.#unfinished.delete(run.id)
      this.#publishRun('run.ended', run, run.phase)
      this.#deps.meters.runEnded(run)
    }
  }

  #publishDeleted(stacks: ReadonlySet<string>, there: readonly Stack[]): void {
    const found = new Set(there.map(({ id }) => id))
    for (const stack of stacks) {
      const known = this.#stacks.get(stack)
      if (known === undefined || found.has(stack)) continue
      this.#stacks.delete(stack)
      for (const run of this.#unfinished.values()) if (run.stack === stack) this.#unfinished.delete(run.id)
      this.#events.publish({ type: 'stack.deleted', stack, name: known.name })
    }
  }

  #publishRun(type: RunEvent['type'], run: Run, phase: Phase): void {
    const name = this.#stacks.get(run.stack)?.name ?? ''
    this.#events.publish({ type, stack: run.stack, name, run: { ...run, plan: null, problems: [] }, phase })
  }

  /** A digest of what is visible to people; the time of the last drift check is not. */
  #digest(stack: Stack): string {
    const { live } = this.#deps
    const visible = {
      ...stack,
      spec: specDigest(stack.spec),
      checkedAt: stack.checkedAt !== null,
      pollFailure: live.pollFailure(stack.id),
      isCorrecting: stack.drifted > 0 && live.isCorrecting(stack.id),
      blockers: live.blockersOf(stack.id),
      blockedMoves: blockedMoves(this.#deps, stack),
      unreadableInputs: live.unreadableInputsOf(stack.id),
    }
    return hash('sha1', JSON.stringify(visible), 'base64')
  }
}
