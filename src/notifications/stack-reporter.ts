// Compares stacks with what was last reported of them, and stores the messages that report the difference. Nothing
// waits for it: it reads what transactions of runs, polls and drift checks stored before.
import { isDeepStrictEqual } from 'node:util'
import { setImmediate as turn } from 'node:timers/promises'
import { chunks } from '../lib/chunks.js'
import type { StackReport } from '../model/agent/message.js'
import type { Run } from '../model/stacks/run.js'
import type { Stack } from '../model/stacks/stack.js'
import type { StatusInput } from '../status/axes.js'
import type { ReportedChanges } from '../store/message-table.js'
import type { Context } from '../stacks/context.js'
import { remoteOf } from '../stacks/load-package/remotes.js'
import { pagesOfStacks } from '../stacks/stacks.js'
import { statusInput } from '../stacks/status/status-input.js'
import { endedStatuses } from './commit-statuses.js'
import type { Receivers } from './receiver.js'
import { firstReport, reportChanges, type ReportChanges } from './report-changes.js'
import { statusReceiver, takesTransition } from './select-receivers.js'

export interface StackReporterDeps {
  readonly context: Context
  readonly receivers: () => Receivers
  /** Messages were stored, and some pending ones dropped. */
  readonly onMessages: (dropped: ReadonlyMap<string, number>) => void
}

export class StackReporter {
  readonly #deps: StackReporterDeps

  constructor(deps: StackReporterDeps) {
    this.#deps = deps
  }

  /** Compares all stacks. The first time, runs that ended before are not reported. */
  async reportAll(): Promise<void> {
    const { store } = this.#deps.context
    const { notifications, statuses } = this.#deps.receivers()
    if (notifications.length + statuses.length === 0) return store.messages.stopWatching()
    const compare = (await store.messages.isWatching()) ? reportChanges : firstReport
    await this.#record([], [])
    for await (const stacks of pagesOfStacks(store)) {
      await this.#report(
        stacks.map(({ id }) => id),
        compare,
      )
      await turn() // lets other work run between pages
    }
    for (let gone = await store.messages.deletedStacks(); gone.length > 0; gone = await store.messages.deletedStacks())
      await this.#record([], gone)
  }

  /** Compares the stacks with these ids. */
  async report(ids: readonly string[]): Promise<void> {
    for (const some of chunks(ids)) await this.#report(some, reportChanges)
  }

  async #report(ids: readonly string[], compare: typeof reportChanges): Promise<void> {
    const { store, clock, scheduler } = this.#deps.context
    const { live } = scheduler
    const correcting = new Set(ids.filter((id) => live.isCorrecting(id))) // before the run that may end it is read
    const reports = await store.messages.reports(ids)
    const last = await store.runs.last(ids)
    const former = [...reports.values()].flatMap(({ statuses }) => statuses.map(({ run }) => run))
    const runs = new Map((await store.feed.many([...new Set(former)])).map((run) => [run.id, run]))
    const stacks = await store.stacks.many(ids) // after the runs: a failure belongs to the run that was read
    const found = stacks.map((stack) => {
      const input = {
        status: this.#status(stack, last.get(stack.id)),
        isPolled: this.#isPolled(stack),
        isCorrecting: correcting.has(stack.id) || live.isCorrecting(stack.id),
        now: clock.now(),
        runs,
      }
      return { before: reports.get(stack.id), ...compare(reports.get(stack.id), input) }
    })
    const there = new Set(stacks.map(({ id }) => id))
    const gone = [...reports.values()].filter(({ stack }) => !there.has(stack))
    const changed = found.filter((one) => one.transitions.length > 0 || !isDeepStrictEqual(one.before, one.report))
    if (changed.length > 0 || gone.length > 0) await this.#record(changed, gone)
  }

  async #record(changed: readonly ReportChanges[], gone: readonly StackReport[]): Promise<void> {
    const dropped = await this.#deps.context.store.messages.record(this.#changes(changed, gone))
    if (dropped.size > 0) this.#deps.onMessages(dropped)
  }

  #changes(changed: readonly ReportChanges[], gone: readonly StackReport[]): ReportedChanges {
    const { notifications, statuses } = this.#deps.receivers()
    const transitions = changed.flatMap((one) => one.transitions)
    const all = [
      ...changed.flatMap((one) => one.statuses),
      ...gone.flatMap((one) => endedStatuses(one.statuses, [], { last: undefined, runs: new Map() })),
    ]
    return {
      reports: changed.map(({ report }) => report),
      removed: gone.map(({ stack }) => stack),
      transitions: notifications.flatMap((receiver) => {
        const { name, digestMs, everyMs } = receiver
        const taken = transitions.filter((one) => takesTransition(receiver, one))
        return taken.length === 0 ? [] : [{ receiver: name, transitions: taken, digestMs, everyMs }]
      }),
      statuses: all.flatMap((status) => {
        const receiver = statusReceiver(statuses, status)
        return receiver === undefined ? [] : [{ receiver: receiver.name, status }]
      }),
    }
  }

  /** During the start only what is stored counts: the stacks of the configuration are not declared yet. */
  #status(stack: Stack, last: Run | undefined): StatusInput {
    const { context } = this.#deps
    if (context.scheduler.started) return statusInput(context, stack, last)
    const unknown = { inProgress: undefined, pollFailure: undefined, blockers: [], blockedMoves: [] }
    return { stack, last, ...unknown, unreadableInputs: [] }
  }

  #isPolled({ spec }: Stack): boolean {
    const { context } = this.#deps
    const { polls } = context.scheduler
    return spec.sources.every(
      (source) => source.kind === 'inline' || polls.last(remoteOf(context, source, spec.name)) !== undefined,
    )
  }
}
