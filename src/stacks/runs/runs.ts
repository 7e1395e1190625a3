// Verbs that make a stack run, or stop it.
import { Refused, Stopped } from '../../model/errors.js'
import type { Run } from '../../model/run.js'
import type { Stack } from '../../model/stack.js'
import { cancelledFailure } from '../../status/axes.js'
import type { Desk } from '../desk.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import type { Verbs } from '../verbs.js'
import { viewRunRow } from '../queries/view-stack.js'
import type { RunRow } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'

export class RunVerbs implements Pick<Verbs, 'sync' | 'cancel' | 'rollback' | 'unpin'> {
  readonly #desk: Desk
  readonly #view: Verbs['get']

  constructor(desk: Desk, view: Verbs['get']) {
    this.#desk = desk
    this.#view = view
  }

  async sync(name: string, by: string, signal: AbortSignal, options: WindowOverrideOptions = {}): Promise<RunRow> {
    this.#desk.refuseClosed(await this.#desk.stack(name), options)
    return this.begin(name, by, signal, options)
  }

  /** A sync that waits where a window closes the stack. */
  async begin(name: string, by: string, signal: AbortSignal, options: WindowOverrideOptions = {}): Promise<RunRow> {
    const stack = await this.#desk.stack(name)
    this.#desk.refuseSuspended(stack)
    await this.#desk.dispatch.polls.poll(stack, signal)
    const seen = await this.#desk.stack(stack.id)
    const [waiting] = (await this.#desk.store.runs.unfinished(stack.id)).slice(-1)
    const revision = seen.pinned?.revision ?? seen.observed?.revision ?? ''
    const newest =
      (await this.#going(seen, waiting ?? (await this.#lastIfNew(stack, seen)))) ??
      (await this.#desk.queue(seen, {
        revision,
        cause: await this.#desk.asked(seen, by, { ...options, mayWait: true }),
      }))
    return viewRunRow(newest, this.#desk.dispatch.live.phaseOf(newest))
  }

  async cancel(name: string, by: string): Promise<StackView> {
    const stack = await this.#desk.stack(name)
    const why = new Stopped('cancelled', `${by} cancelled it.`)
    await this.#desk.dispatch.runs.stop(stack.id, why)
    const failure = cancelledFailure(stack, why.message)
    for (const run of await this.#desk.store.runs.unfinished(stack.id))
      if (run.phase === 'queued') await this.#desk.store.runs.finish(run.id, { outcome: 'cancelled', failure })
    const last = await this.#desk.lastRun(stack)
    if (last?.outcome === 'needs-approval') await this.#desk.store.stacks.change(stack.id, { failure, consent: null })
    this.#desk.dispatch.runs.wake(stack.id)
    return this.#view(stack.id)
  }

  async rollback(
    name: string,
    id: string,
    why: string,
    by: string,
    options: WindowOverrideOptions = {},
  ): Promise<RunRow> {
    const stack = await this.#desk.stack(name)
    this.#desk.refuseSuspended(stack)
    const run = await this.#desk.store.runs.get(id)
    if (run === undefined || run.stack !== stack.id)
      throw new Refused('not-found', `${name} has no run ${id}.`, { hint: `See its runs: gitmoor history ${name}` })
    const files = run.files === null ? undefined : await this.#desk.store.files.get(run.files)
    if (run.outcome !== 'applied' || files === undefined)
      throw new Refused(
        'usage',
        `Run ${id} cannot be gone back to: ${run.outcome === 'applied' ? 'its files are not kept any more' : `it ended ${run.outcome ?? run.phase}`}.`,
        {
          hint: `Choose one that ended applied: gitmoor history ${name}`,
        },
      )
    const note = `roll back to run ${id}${why === '' ? '' : `: ${why}`}`
    const cause = await this.#desk.asked(stack, by, { note, ...options })
    const pinned = { run: id, revision: run.revision, by, why }
    await this.#desk.dispatch.runs.stop(stack.id, new Stopped('superseded', `${by} rolls back.`))
    await this.#desk.store.stacks.change(stack.id, { pinned, failure: null, retries: 0, retryAt: null })
    return viewRunRow(await this.#desk.queue({ ...stack, pinned }, { revision: run.revision, cause }))
  }

  async unpin(
    name: string,
    by: string,
    options: WindowOverrideOptions = {},
  ): Promise<{ readonly stack: StackView; readonly run: string | null }> {
    const stack = await this.#desk.stack(name)
    if (stack.pinned === null) throw new Refused('conflict', `${name} is not held at a revision.`)
    const cause = await this.#desk.asked(stack, by, { note: 'unpin', ...options })
    await this.#desk.store.stacks.change(stack.id, { pinned: null })
    const revision = stack.observed?.revision
    const run = revision === undefined ? null : await this.#desk.queue(stack, { revision, cause })
    return { stack: await this.#view(stack.id), run: run?.id ?? null }
  }

  /** The run, unless it would have to wait for something that a person need not wait for. */
  async #going(stack: Stack, run: Run | undefined): Promise<Run | undefined> {
    if (run === undefined || run.outcome !== null || this.#desk.dispatch.live.phaseOf(run) !== undefined) return run
    return (await this.#desk.waits(stack, run)).length === 0 ? run : undefined
  }

  /** The run that a look just made for a revision that was not known before, though it is decided already. */
  async #lastIfNew(before: Stack, now: Stack): Promise<Run | undefined> {
    return before.observed?.revision === now.observed?.revision ? undefined : this.#desk.lastRun(now)
  }
}
