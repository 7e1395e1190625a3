// Verbs that only look.
import { abortAfter } from '../../lib/abort-after.js'
import { hashDigits, revisionMatches } from '../../model/revision.js'
import type { Stack } from '../../model/stack.js'
import { Refused } from '../../model/errors.js'
import { waitRefusal, blockedMoveRefusal } from '../../status/wait-refusal.js'
import type { Desk } from '../desk.js'
import { kindsByName } from '../plans/plan-stack.js'
import type { Paging, StackListing, Verbs } from '../verbs.js'
import { apiVersions, resourceRows, viewEvents, viewRow, viewRun, viewRunRow, viewSources } from './view-stack.js'
import type { Page } from '../../views/page.js'
import type { RunRow, RunView } from '../../views/run.js'
import type { StackRow, StackView, SourceView } from '../../views/stack.js'

const eventsShown = 100

export class LookVerbs implements Pick<Verbs, 'list' | 'get' | 'history' | 'run' | 'wait' | 'ready'> {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async list({ limit = 100, after, sort, ...filter }: StackListing): Promise<Page<StackRow>> {
    const { store, dispatch } = this.#desk
    const place = { limit, ...(after === undefined ? {} : { after }), ...(sort === undefined ? {} : { sort }) }
    const { found, next } = await store.stacks.select({ ...place, filter, liveStatus: dispatch.live })
    const items = found.map(({ stack, last }) =>
      viewRow(this.#desk.situation(stack, last), dispatch.polls.nextAt(stack)),
    )
    return { items, next }
  }

  async get(name: string): Promise<StackView> {
    const stack = await this.#desk.stack(name)
    const situation = await this.#desk.situationOf(stack)
    const platform = this.#desk.sync.targets.known(stack.spec.target)
    const owned = await this.#desk.store.ownership.byAddress(stack.id)
    const events = await this.#desk.store.runs.events(stack.id, eventsShown)
    return {
      ...viewRow(situation, this.#desk.dispatch.polls.nextAt(stack)),
      sources: await taggedSources(this.#desk, stack),
      resources: resourceRows(owned, kindsByName(platform)),
      spec: stack.spec,
      events: viewEvents(stack, events, apiVersions(platform)),
    }
  }

  async history(name: string, { limit = 100, after }: Paging): Promise<Page<RunRow>> {
    const stack = await this.#desk.stack(name)
    if (after !== undefined && !/^\d{1,15}$/.test(after))
      throw new Refused('usage', `${after} is no place in the history.`)
    const runs = await this.#desk.store.runs.list(stack.id, { limit, ...(after === undefined ? {} : { after }) })
    const items = runs.map((run) => viewRunRow(run, this.#desk.dispatch.live.phaseOf(run)))
    return { items, next: runs.length < limit ? null : (runs.at(-1)?.id ?? null) }
  }

  async run(
    name: string,
    id: string,
    wait?: { readonly waitMs: number; readonly phase?: string; readonly signal: AbortSignal },
  ): Promise<RunView> {
    const stack = await this.#desk.stack(name)
    const until = wait && abortAfter(wait.waitMs, wait.signal)
    const waitsBefore = this.#waitsInWords(stack)
    for (;;) {
      const changed = until && this.#desk.dispatch.events.nextChange(stack.id, until)
      changed?.catch(() => {})
      const run = await this.#desk.store.runs.get(id)
      if (run === undefined || run.stack !== stack.id)
        throw new Refused('not-found', `${name} has no run ${id}.`, { hint: `See its runs: gitmoor history ${name}` })
      const inHand = this.#desk.dispatch.live.phaseOf(run)
      const now = { inHand, waits: this.#desk.runWaits(stack) }
      const phase = run.outcome === null ? (inHand ?? run.phase) : run.phase
      const isOther = phase !== wait?.phase || this.#waitsInWords(stack) !== waitsBefore
      if (run.outcome !== null || changed === undefined || (wait?.phase !== undefined && isOther))
        return viewRun(run, stack, now)
      if (!(await settledOr(changed))) return viewRun(run, stack, now)
    }
  }

  #waitsInWords(stack: Stack): string {
    const waits = this.#desk.runWaits(stack)
    return waits.map(({ message }) => message).join('\n')
  }

  async wait(
    name: string,
    { revision, timeoutMs }: { readonly revision?: string; readonly timeoutMs: number },
    signal: AbortSignal,
  ): Promise<StackView> {
    const stack = await this.#desk.stack(name)
    const timeout = abortAfter(timeoutMs)
    const both = AbortSignal.any([signal, timeout])
    try {
      await this.#desk.dispatch.polls.poll(stack, both).catch(() => both.throwIfAborted())
      for (;;) {
        const changed = this.#desk.dispatch.events.nextChange(stack.id, both)
        changed.catch(() => {})
        const view = await this.get(stack.id)
        const seen = this.#desk.dispatch.live.pollFailure(stack.id) === undefined
        if (
          seen &&
          view.sync === 'Synced' &&
          (revision === undefined || revisionMatches(view.revision.applied, revision))
        )
          return view
        const blocked = await this.#blocked(stack.id, revision)
        if (blocked !== undefined) throw blocked
        await changed
      }
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error
      const view = await this.get(stack.id)
      const ready = view.conditions.find(({ type }) => type === 'Ready')
      const wanted = revision === undefined ? 'synced' : `synced at ${hashDigits(revision)}`
      throw new Refused(
        'timeout',
        `${name} is not ${wanted} after ${timeoutMs / 1000} s: it is ${view.sync}. ${ready?.message ?? ''}`.trim(),
        {
          hint: `See why: gitmoor explain ${name}`,
        },
      )
    }
  }

  async #blocked(id: string, revision: string | undefined): Promise<Refused | undefined> {
    const stack = await this.#desk.stack(id)
    const elsewhere = revision !== undefined && !revisionMatches(stack.observed?.revision ?? null, revision)
    const situation = await this.#desk.situationWithPlan(stack)
    return blockedMoveRefusal(situation, revision) ?? waitRefusal(situation, elsewhere)
  }

  async ready(): Promise<{ readonly ready: boolean; readonly reason: string }> {
    if (!this.#desk.dispatch.started) return { ready: false, reason: 'the agent is starting' }
    if (this.#desk.dispatch.stopping) return { ready: false, reason: 'the agent is stopping' }
    const late = this.#desk.dispatch.polls.late
    if (late !== undefined)
      return {
        ready: false,
        reason: `${late.remote} should have been looked at ${Math.round(late.lateMs / 1000)} s ago`,
      }
    const fault = await this.#desk.store.whyUnwritable()
    return fault === undefined ? { ready: true, reason: 'ready' } : { ready: false, reason: fault }
  }
}

/** True when it resolves, false when it is given up. */
async function settledOr(promise: Promise<void>): Promise<boolean> {
  try {
    await promise
    return true
  } catch {
    return false
  }
}

/** The sources of a stack, each that follows a range of versions with the tag that was chosen. */
export async function taggedSources(desk: Desk, stack: Stack): Promise<readonly SourceView[]> {
  return Promise.all(
    viewSources(stack).map(async (source) => {
      if (source.kind !== 'git' || source.revision === null) return source
      const tag = await desk.store.channels.tagAt(
        desk.remoteOf(source, stack.spec.name),
        source.ref,
        hashDigits(source.revision),
      )
      return tag === undefined ? source : { ...source, tag }
    }),
  )
}
