// stacks: what a person can ask of a stack. Takes names and settings; gives views. The doors know this room only by `Verbs`.
// Promises: what the configuration file declares is changed there and nowhere else; every answer says what to do next; nothing here decides when things run.
import { fullRevision, revisionMatches } from './revision-match.js'
import type { Clock } from '../model/clock.js'
import { Refused, Stopped, SyncError } from '../model/errors.js'
import { revisionOf } from '../model/revision.js'
import type { Cause, Run } from '../model/run.js'
import type { Stack, StackSpec } from '../model/stack.js'
import { consentTo } from '../plan/held.js'
import type { Store } from '../store/store.js'
import type { Dispatch } from './dispatch.js'
import { explainStack } from './explain.js'
import { LiveResources, type Whose } from './live-resources.js'
import { loadPackage } from './load-package.js'
import { patchSpec } from './patch-spec.js'
import { kindsByName, planStack, type Planned } from './plan-stack.js'
import type { Situation } from './status.js'
import { graphOf, type SyncDeps } from './sync.js'
import type { Paging, StackSpecPatch, Verbs } from './verbs.js'
import { resourceRows, time, viewEvents, viewPlan, viewRow, viewRun, viewRunRow } from './view-stack.js'
import type { ChannelView, Explanation, LiveResource, MoveView, Page, PlanView, RunRow, RunView, StackRow, StackView } from './views.js'

export interface StacksDeps {
  readonly sync: SyncDeps
  readonly dispatch: Dispatch
  readonly clock: Clock
}

const eventsShown = 100

export class Stacks implements Verbs {
  readonly #sync: SyncDeps
  readonly #store: Store
  readonly #dispatch: Dispatch
  readonly #clock: Clock
  readonly #live: LiveResources

  constructor({ sync, dispatch, clock }: StacksDeps) {
    this.#sync = sync
    this.#store = sync.store
    this.#dispatch = dispatch
    this.#clock = clock
    this.#live = new LiveResources({ store: sync.store, targets: sync.targets, driverCallMs: sync.engine.driverCallMs })
  }

  async create(spec: StackSpec, by: string): Promise<{ readonly stack: StackView; readonly run: string }> {
    const target = this.#sync.targets.liveSystem(spec.target)
    this.#sync.source.normalise(spec.sources[0]!.url)
    const { stack, run } = await this.#store.stacks.create(spec, { managedBy: 'api', target, cause: { kind: 'created', by } })
    this.#dispatch.follow(stack)
    return { stack: await this.get(stack.id), run: run.id }
  }

  async set(
    name: string,
    change: StackSpecPatch,
    by: string,
  ): Promise<{ readonly stack: StackView; readonly plan?: PlanView; readonly problem?: string }> {
    const before = await this.#changeable(name)
    const spec = patchSpec(before.spec, change)
    this.#sync.source.normalise(spec.sources[0]!.url)
    await this.#sameSystem(before, spec)
    const stack = { ...before, spec }
    const signal = AbortSignal.timeout(60_000)
    const planned = await this.#preview(stack, signal)
    await this.#store.stacks.change(stack.id, { spec })
    await this.#store.runs.add({ stack: stack.id, revision: '', cause: { kind: 'person', by, note: 'settings changed' } })
    this.#dispatch.follow(stack)
    return { stack: await this.get(stack.id), ...planned }
  }

  async list({ limit = 100, after }: Paging): Promise<Page<StackRow>> {
    const stacks = await this.#store.stacks.list({ limit, ...(after === undefined ? {} : { after }) })
    const last = await this.#store.runs.last(stacks.map(({ id }) => id))
    const items = stacks.map((stack) => viewRow(this.#situation(stack, last.get(stack.id)), this.#dispatch.nextPollAt(stack)))
    return { items, next: stacks.length < limit ? null : (stacks.at(-1)?.spec.name ?? null) }
  }

  async get(name: string): Promise<StackView> {
    const stack = await this.#stack(name)
    const situation = await this.#situationOf(stack)
    const platform = this.#sync.targets.platformOf(stack.spec.target)
    const owned = await this.#store.ownership.of(stack.id)
    const events = await this.#store.runs.events(stack.id, eventsShown)
    const apiVersions = new Map(platform.kinds.map((kind) => [kind.family, kind.apiVersions[0] ?? '']))
    return {
      ...viewRow(situation, this.#dispatch.nextPollAt(stack)),
      resources: resourceRows(owned.values(), kindsByName(platform)),
      spec: stack.spec,
      events: viewEvents(stack, events, (kind) => apiVersions.get(kind) ?? ''),
    }
  }

  async delete(
    name: string,
    { uninstall, by }: { readonly uninstall?: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<{ readonly run?: RunView }> {
    const stack = await this.#changeable(name)
    await this.#dispatch.stop(stack.id, new Stopped('cancelled', `${by} deletes the stack.`))
    if (uninstall === undefined) {
      await this.#dispatch.exclusively(stack.id, signal, () => this.#store.stacks.delete(stack.id))
      this.#dispatch.forget(stack.id)
      return {}
    }
    if (stack.suspended !== null) throw suspendedRefusal(stack)
    const revision = stack.applied?.revision ?? stack.observed?.revision ?? 'none'
    const cause: Cause = { kind: 'person', by, note: 'uninstall' }
    const run = await this.#finished(stack, await this.#queue(stack, { revision, cause, intent: 'uninstall', expects: uninstall }), signal)
    if (run.outcome === 'applied' || run.outcome === 'unchanged') {
      const view = viewRun(run, stack)
      await this.#store.stacks.delete(stack.id)
      this.#dispatch.forget(stack.id)
      return { run: view }
    }
    throw refusalOf(run, stack)
  }

  async plan(name: string, options: { readonly ref?: string; readonly uninstall?: boolean }, signal: AbortSignal): Promise<PlanView> {
    const stack = await this.#stack(name)
    if (options.uninstall === true) return this.#planUninstall(stack, signal)
    return this.#planAt(stack, options.ref, signal)
  }

  async apply(
    plan: { readonly stack: string; readonly revision: string; readonly digest: string },
    by: string,
    signal: AbortSignal,
  ): Promise<RunRow> {
    const stack = await this.#stack(plan.stack)
    const { ref } = stack.spec.sources[0]!
    const of = plan.revision.slice(0, plan.revision.lastIndexOf('@'))
    if (of !== ref && plan.revision !== stack.pinned?.revision)
      throw new Refused('usage', `The plan is of ${of}, but ${stack.spec.name} follows ${ref}.`, {
        hint: `To follow it: gitmoor stack set ${stack.spec.name} --ref ${of}`,
      })
    this.#refuseSuspended(stack)
    const run = await this.#queue(stack, {
      revision: plan.revision,
      cause: { kind: 'person', by, note: 'apply of a plan' },
      expects: plan.digest,
    })
    return this.#rowOrRefusal(stack, await this.#finished(stack, run, signal))
  }

  async approve(name: string, digest: string, by: string, signal: AbortSignal): Promise<RunRow> {
    const stack = await this.#stack(name)
    this.#refuseSuspended(stack)
    const last = await this.#lastRun(stack)
    const plan = last?.outcome === 'held' ? (await this.#store.runs.get(last.id))?.plan : null
    if (plan == null)
      throw new Refused('held', `${name} has no plan that waits for a person.`, { hint: `See what would be done: gitmoor plan ${name}` })
    if (digest.length < 12 || !plan.digest.startsWith(digest))
      throw new Refused('stale', `The plan that waits is ${plan.digest.slice(0, 12)}, not ${digest}.`, {
        code: 'plan/stale',
        hint: `Look at it with: gitmoor plan ${name}`,
      })
    await this.#store.stacks.change(stack.id, { consent: consentTo(plan, by) })
    const { revision, intent } = last!
    const run = await this.#queue(stack, {
      revision,
      intent,
      cause: { kind: 'person', by, note: `approved plan ${plan.digest.slice(0, 12)}` },
      expects: plan.digest,
    })
    return this.#rowOrRefusal(stack, await this.#finished(stack, run, signal))
  }

  async cancel(name: string, by: string): Promise<StackView> {
    const stack = await this.#stack(name)
    const why = new Stopped('cancelled', `${by} cancelled it.`)
    await this.#dispatch.stop(stack.id, why)
    const failure = {
      reason: 'Cancelled',
      code: 'run/cancelled',
      message: why.message,
      retry: 'change' as const,
      hint: `It waits for a new revision, or: gitmoor sync ${stack.spec.name}`,
    }
    for (const run of await this.#store.runs.unfinished(stack.id))
      if (run.phase === 'queued') await this.#store.runs.finish(run.id, { outcome: 'cancelled', failure })
    const last = await this.#lastRun(stack)
    if (last?.outcome === 'held') await this.#store.stacks.change(stack.id, { failure, consent: null })
    this.#dispatch.wake(stack.id)
    return this.get(stack.id)
  }

  async sync(name: string, by: string, signal: AbortSignal): Promise<RunRow> {
    const stack = await this.#stack(name)
    this.#refuseSuspended(stack)
    await this.#dispatch.look(stack, signal)
    const seen = await this.#stack(stack.id)
    const [waiting] = (await this.#store.runs.unfinished(stack.id)).slice(-1)
    const revision = seen.pinned?.revision ?? seen.observed?.revision ?? ''
    const newest = waiting ?? (await this.#lastIfNew(stack, seen)) ?? (await this.#queue(seen, { revision, cause: { kind: 'person', by } }))
    return viewRunRow(newest, this.#dispatch.phaseOf(newest.id))
  }

  async wait(
    name: string,
    { revision, timeoutMs }: { readonly revision?: string; readonly timeoutMs: number },
    signal: AbortSignal,
  ): Promise<StackView> {
    const stack = await this.#stack(name)
    const timeout = AbortSignal.timeout(timeoutMs)
    const both = AbortSignal.any([signal, timeout])
    try {
      await this.#dispatch.look(stack, both).catch((error: unknown) => both.throwIfAborted() ?? ignore(error))
      for (;;) {
        const changed = this.#dispatch.changed(stack.id, both)
        changed.catch(() => {})
        const view = await this.get(stack.id)
        if (view.sync === 'Synced' && (revision === undefined || revisionMatches(view.revision.applied, revision))) return view
        await changed
      }
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error
      const view = await this.get(stack.id)
      const ready = view.conditions.find(({ type }) => type === 'Ready')
      const wanted = revision === undefined ? 'synced' : `synced at ${fullRevision(revision)}`
      throw new Refused(
        'timeout',
        `${name} is not ${wanted} after ${timeoutMs / 1000} s: it is ${view.sync}. ${ready?.message ?? ''}`.trim(),
        {
          hint: `See why: gitmoor explain ${name}`,
        },
      )
    }
  }

  async history(name: string, { limit = 100, after }: Paging): Promise<Page<RunRow>> {
    const stack = await this.#stack(name)
    if (after !== undefined && !/^\d{1,15}$/.test(after)) throw new Refused('usage', `${after} is no place in the history.`)
    const runs = await this.#store.runs.list(stack.id, { limit, ...(after === undefined ? {} : { after }) })
    const items = runs.map((run) => viewRunRow(run, this.#dispatch.phaseOf(run.id)))
    return { items, next: runs.length < limit ? null : (runs.at(-1)?.id ?? null) }
  }

  async run(
    name: string,
    id: string,
    wait?: { readonly waitMs: number; readonly phase?: string; readonly signal: AbortSignal },
  ): Promise<RunView> {
    const stack = await this.#stack(name)
    const until = wait && AbortSignal.any([wait.signal, AbortSignal.timeout(wait.waitMs)])
    for (;;) {
      const changed = until && this.#dispatch.changed(stack.id, until)
      changed?.catch(() => {})
      const run = await this.#store.runs.get(id)
      if (run === undefined || run.stack !== stack.id)
        throw new Refused('not-found', `${name} has no run ${id}.`, { hint: `See its runs: gitmoor history ${name}` })
      const inHand = this.#dispatch.phaseOf(run.id)
      const phase = run.outcome === null ? (inHand ?? run.phase) : run.phase
      if (run.outcome !== null || changed === undefined || (wait?.phase !== undefined && phase !== wait.phase))
        return viewRun(run, stack, inHand)
      if (!(await settledOr(changed))) return viewRun(run, stack, inHand)
    }
  }

  async rollback(name: string, id: string, why: string, by: string): Promise<RunRow> {
    const stack = await this.#stack(name)
    this.#refuseSuspended(stack)
    const run = await this.#store.runs.get(id)
    if (run === undefined || run.stack !== stack.id)
      throw new Refused('not-found', `${name} has no run ${id}.`, { hint: `See its runs: gitmoor history ${name}` })
    const files = run.files === null ? undefined : await this.#store.files.get(run.files)
    if (run.outcome !== 'applied' || files === undefined)
      throw new Refused(
        'usage',
        `Run ${id} cannot be gone back to: ${run.outcome === 'applied' ? 'its files are not kept any more' : `it ended ${run.outcome ?? run.phase}`}.`,
        {
          hint: `Choose one that ended applied: gitmoor history ${name}`,
        },
      )
    const pinned = { run: id, revision: run.revision, by, why }
    await this.#dispatch.stop(stack.id, new Stopped('superseded', `${by} rolls back.`))
    await this.#store.stacks.change(stack.id, { pinned, failure: null, retries: 0, retryAt: null })
    const note = `roll back to run ${id}${why === '' ? '' : `: ${why}`}`
    return viewRunRow(await this.#queue({ ...stack, pinned }, { revision: run.revision, cause: { kind: 'person', by, note } }))
  }

  async unpin(name: string, by: string): Promise<{ readonly stack: StackView; readonly run: string | null }> {
    const stack = await this.#stack(name)
    if (stack.pinned === null) throw new Refused('conflict', `${name} is not held at a revision.`)
    await this.#store.stacks.change(stack.id, { pinned: null })
    const revision = stack.observed?.revision
    const run = revision === undefined ? null : await this.#queue(stack, { revision, cause: { kind: 'person', by, note: 'unpin' } })
    return { stack: await this.get(stack.id), run: run?.id ?? null }
  }

  async suspend(name: string, reason: string, forMs: number | undefined, by: string): Promise<StackView> {
    const stack = await this.#stack(name)
    const until = forMs === undefined ? null : this.#clock.now() + forMs
    await this.#store.stacks.change(stack.id, { suspended: { reason, by, until } })
    await this.#dispatch.stop(stack.id, new Stopped('cancelled', `${by} suspended the stack: ${reason}`))
    this.#dispatch.wake(stack.id)
    return this.get(stack.id)
  }

  async resume(name: string, by: string): Promise<StackView> {
    const stack = await this.#stack(name)
    if (stack.suspended === null) throw new Refused('conflict', `${name} is not suspended.`)
    await this.#store.stacks.change(stack.id, { suspended: null, failure: null, retries: 0, retryAt: null })
    const revision = stack.pinned?.revision ?? stack.observed?.revision ?? ''
    await this.#queue(stack, { revision, cause: { kind: 'person', by, note: 'resumed' } })
    return this.get(stack.id)
  }

  async explain(name: string): Promise<Explanation> {
    const stack = await this.#stack(name)
    const situation = await this.#situationOf(stack)
    const last = situation.last === undefined ? undefined : await this.#store.runs.get(situation.last.id)
    const { url, ref } = stack.spec.sources[0]!
    const channel = (await this.#store.channels.of(this.#remoteOf(url))).get(ref)
    return explainStack({
      situation: { ...situation, last },
      nextPollAt: this.#dispatch.nextPollAt(stack),
      seenAt: channel?.seenAt ?? null,
    })
  }

  async channels({ limit = 100, after }: Paging): Promise<Page<ChannelView>> {
    const channels = await this.#store.channels.list({ limit, ...(after === undefined ? {} : { after }) })
    const followers = await this.#followers()
    const items = channels.map(({ remote, ref, commit, seenAt }) => {
      const name = `${remote}#${ref}`
      return { name, remote, ref, commit, stacks: followers.get(name) ?? [], seenAt: time(seenAt) }
    })
    return { items, next: channels.length < limit ? null : (items.at(-1)?.name ?? null) }
  }

  async moves(channel: string, { limit = 100, after }: Paging): Promise<Page<MoveView>> {
    const { remote, ref } = await this.#channelNamed(channel)
    const moves = await this.#store.channels.moves(remote, ref, { limit, ...(after === undefined ? {} : { after }) })
    const items = moves.map(({ id, from, to, seenAt, learnt }) => ({ id, from, to, seenAt: time(seenAt), learnt }))
    return { items, next: moves.length < limit ? null : (items.at(-1)?.id ?? null) }
  }

  resources(options: Paging & Whose, signal: AbortSignal): Promise<Page<LiveResource>> {
    return this.#live.list(options, signal)
  }

  resource(which: string, whose: Whose, signal: AbortSignal): Promise<LiveResource> {
    return this.#live.get(which, whose, signal)
  }

  editResource(which: string, live: object, whose: Whose, signal: AbortSignal): Promise<LiveResource> {
    return this.#live.edit(which, live, whose, signal)
  }

  deleteResource(which: string, whose: Whose, signal: AbortSignal): Promise<void> {
    return this.#live.delete(which, whose, signal)
  }

  createResource(family: string, live: object, whose: Whose, signal: AbortSignal): Promise<LiveResource> {
    return this.#live.create(family, live, whose, signal)
  }

  async ready(): Promise<{ readonly ready: boolean; readonly reason: string }> {
    if (this.#dispatch.stopping) return { ready: false, reason: 'the agent is stopping' }
    return (await this.#store.healthy()) ? { ready: true, reason: 'ready' } : { ready: false, reason: 'the database does not answer' }
  }

  async #stack(name: string): Promise<Stack> {
    const stack = await this.#store.stacks.get(name)
    if (stack === undefined)
      throw new Refused('not-found', `There is no stack named ${name}.`, { hint: 'See which there are: gitmoor stack list' })
    return stack
  }

  async #changeable(name: string): Promise<Stack> {
    const stack = await this.#stack(name)
    if (stack.managedBy === 'file' && stack.suspended?.by !== 'file')
      throw new Refused('conflict', `${name} is declared in the configuration file (managedBy: file) and is changed there.`, {
        code: 'stacks/managed-by-file',
        hint: 'Change the file and send the agent SIGHUP. Here it can be synced, suspended, resumed, approved, cancelled and rolled back.',
      })
    return stack
  }

  async #sameSystem(before: Stack, spec: StackSpec): Promise<void> {
    if (this.#sync.targets.liveSystem(spec.target) === this.#sync.targets.liveSystem(before.spec.target)) return
    throw new Refused('conflict', `${spec.name} is bound to target ${before.spec.target}.`, {
      hint: 'A stack keeps its target. Make another stack for the other one.',
    })
  }

  #refuseSuspended(stack: Stack): void {
    if (stack.suspended !== null) throw suspendedRefusal(stack)
  }

  #situation(stack: Stack, last: Run | undefined): Situation {
    const inHand = last === undefined ? undefined : this.#dispatch.phaseOf(last.id)
    return { stack, last, inHand, lookFailure: this.#dispatch.lookFailure(stack.id) }
  }

  async #situationOf(stack: Stack): Promise<Situation> {
    return this.#situation(stack, await this.#lastRun(stack))
  }

  async #lastRun(stack: Stack): Promise<Run | undefined> {
    return (await this.#store.runs.last([stack.id])).get(stack.id)
  }

  /** The run that a look just made for a revision that was not known before, though it is decided already. */
  async #lastIfNew(before: Stack, now: Stack): Promise<Run | undefined> {
    return before.observed?.revision === now.observed?.revision ? undefined : this.#lastRun(now)
  }

  async #queue(
    stack: Stack,
    run: { readonly revision: string; readonly cause: Cause; readonly intent?: Run['intent']; readonly expects?: string },
  ): Promise<Run> {
    const queued = await this.#store.runs.add({ stack: stack.id, ...run })
    this.#dispatch.wake(stack.id)
    return queued
  }

  async #finished(stack: Stack, { id }: Run, signal: AbortSignal): Promise<Run> {
    for (;;) {
      const changed = this.#dispatch.changed(stack.id, signal)
      changed.catch(() => {})
      const run = await this.#store.runs.get(id)
      if (run === undefined) throw new Refused('not-found', `Run ${id} is gone.`)
      if (run.outcome !== null) return run
      await changed
    }
  }

  #rowOrRefusal(stack: Stack, run: Run): RunRow {
    if (run.problems.some(({ code }) => code === 'plan/stale')) throw refusalOf(run, stack)
    return viewRunRow(run)
  }

  async #planAt(stack: Stack, ref: string | undefined, signal: AbortSignal): Promise<PlanView> {
    const [source] = stack.spec.sources
    if (ref !== undefined && ref !== source!.ref) {
      const remote = this.#sync.source.normalise(source!.url)
      const seen = (await this.#sync.source.look(remote, [ref], signal)).get(ref)
      if (seen === undefined || seen instanceof Error) throw seen ?? new Refused('source', `${ref} was not found.`)
      return this.#planRevision(stack, revisionOf(ref, seen.commit), signal)
    }
    await this.#dispatch.look(stack, signal)
    const now = await this.#stack(stack.id)
    const revision = now.pinned?.revision ?? now.observed?.revision
    if (revision === undefined) throw new Refused('source', `Nothing was seen of ${source!.ref} yet.`)
    return this.#planRevision({ ...now, spec: stack.spec }, revision, signal)
  }

  async #planRevision(stack: Stack, revision: string, signal: AbortSignal): Promise<PlanView> {
    const loaded = await loadPackage(stack, { revision, cause: { kind: 'person' } }, this.#sync, signal)
    const graph = graphOf(loaded, stack, this.#sync)
    const planned = await this.#planned(stack, { revision, resources: graph.resources }, signal)
    return viewPlan(planned.plan, stack, graph.problems)
  }

  async #planUninstall(stack: Stack, signal: AbortSignal): Promise<PlanView> {
    const revision = stack.applied?.revision ?? stack.observed?.revision ?? 'none'
    const { plan } = await this.#planned(stack, { revision, resources: [] }, signal)
    return viewPlan(plan, stack, [])
  }

  #planned(stack: Stack, what: Parameters<typeof planStack>[1], signal: AbortSignal): Promise<Planned> {
    return this.#dispatch.exclusively(stack.id, signal, () =>
      this.#sync.targets.reach(stack.spec.target, signal, async ({ platform, connection }) => {
        await this.#sync.engine.recover({ stack: stack.id, connection, kindNamed: kindsByName(platform) }, signal)
        return planStack(stack, what, { ...this.#sync, platform, connection }, signal)
      }),
    )
  }

  /** What the next sync would do with these settings; or why that cannot be said. */
  async #preview(stack: Stack, signal: AbortSignal): Promise<{ readonly plan?: PlanView; readonly problem?: string }> {
    try {
      const source = stack.spec.sources[0]!
      const remote = this.#sync.source.normalise(source.url)
      const seen = (await this.#sync.source.look(remote, [source.ref], signal)).get(source.ref)
      if (seen === undefined || seen instanceof Error) throw seen ?? new Refused('source', `${source.ref} was not found.`)
      return { plan: await this.#planRevision({ ...stack, pinned: null, applied: null }, revisionOf(source.ref, seen.commit), signal) }
    } catch (error) {
      if (error instanceof SyncError) return { problem: error.message }
      throw error
    }
  }

  #remoteOf(url: string): string {
    try {
      return this.#sync.source.normalise(url)
    } catch {
      return url
    }
  }

  async #followers(): Promise<ReadonlyMap<string, string[]>> {
    const followers = new Map<string, string[]>()
    for (let after = ''; ;) {
      const stacks = await this.#store.stacks.list({ limit: 500, after })
      for (const { spec } of stacks) {
        const name = `${this.#remoteOf(spec.sources[0]!.url)}#${spec.sources[0]!.ref}`
        followers.set(name, [...(followers.get(name) ?? []), spec.name])
      }
      if (stacks.length < 500) return followers
      after = stacks.at(-1)!.spec.name
    }
  }

  async #channelNamed(name: string): Promise<{ readonly remote: string; readonly ref: string }> {
    const found: { remote: string; ref: string }[] = []
    for (let after: string | undefined; ;) {
      const { items, next } = await this.channels({ limit: 500, ...(after === undefined ? {} : { after }) })
      found.push(...items.filter((channel) => channel.name === name || channel.ref === name))
      if (next === null) break
      after = next
    }
    if (found.length === 1) return found[0]!
    if (found.length === 0)
      throw new Refused('not-found', `No stack ever followed a channel named ${name}.`, {
        hint: 'See which there are: gitmoor channel list',
      })
    throw new Refused('conflict', `Several remotes have a channel ${name}.`, {
      hint: `Name one whole: ${found.map(({ remote, ref }) => `${remote}#${ref}`).join(', ')}`,
    })
  }
}

function suspendedRefusal({ spec, suspended }: Stack): Refused {
  return new Refused('locked', `${spec.name} is suspended by ${suspended!.by}: ${suspended!.reason}.`, {
    code: 'stacks/suspended',
    hint: `Resume it first: gitmoor resume ${spec.name}`,
  })
}

function refusalOf(run: Run, { spec }: Stack): Refused {
  const first = run.problems[0]
  const stale = first?.code === 'plan/stale'
  return new Refused(stale ? 'stale' : 'failed', first?.message ?? `Run ${run.id} ended ${run.outcome ?? run.phase}.`, {
    ...(first === undefined ? {} : { code: first.code }),
    hint: first?.hint ?? `See what happened: gitmoor history ${spec.name} ${run.id}`,
    problems: run.problems,
  })
}

function ignore(_error: unknown): void {}

/** True when it resolves, false when it is given up. */
async function settledOr(promise: Promise<void>): Promise<boolean> {
  try {
    await promise
    return true
  } catch {
    return false
  }
}
