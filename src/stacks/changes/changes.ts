// Verbs that change what a stack is: make it, set it, suspend it, take it away.
import { abortAfter } from '../../lib/abort-after.js'
import { Refused, Stopped } from '../../model/errors.js'
import type { Run } from '../../model/run.js'
import type { Stack, StackSpec, StackSpecPatch } from '../../model/stack.js'
import { checkSettings, patchSpec, settingsChange } from './stack-settings.js'
import { dependencyRefusal, refuseNeeded } from '../status/dependencies.js'
import { refusalOf, type Desk } from '../desk.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import type { PlanVerbs } from '../plans/plans.js'
import type { Verbs } from '../verbs.js'
import { viewRun } from '../queries/view-stack.js'
import type { PlanView } from '../../views/plan.js'
import type { RunView } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'

export class ChangeVerbs implements Pick<Verbs, 'create' | 'set' | 'delete' | 'uninstall' | 'suspend' | 'resume'> {
  readonly #desk: Desk
  readonly #plans: PlanVerbs
  readonly #view: Verbs['get']

  constructor(desk: Desk, plans: PlanVerbs, view: Verbs['get']) {
    this.#desk = desk
    this.#plans = plans
    this.#view = view
  }

  async create(spec: StackSpec, by: string): Promise<{ readonly stack: StackView; readonly run: string }> {
    const { targets } = this.#desk.sync
    targets.refuseUnknown(spec.target)
    const target = targets.liveSystem(spec.target)
    checkSettings(spec, targets.platformOf(spec.target))
    this.#desk.refuseSources(spec)
    await this.#refuseDependencies(spec)
    const { stack, run } = await this.#desk.store.stacks.create(spec, {
      managedBy: 'api',
      target,
      cause: { kind: 'created', by },
    })
    this.#desk.dispatch.follow(stack)
    return { stack: await this.#view(stack.id), run: run.id }
  }

  async set(
    name: string,
    change: StackSpecPatch,
    by: string,
  ): Promise<{ readonly stack: StackView; readonly plan?: PlanView; readonly problem?: string }> {
    const before = await this.#desk.changeable(name)
    if (change.values !== undefined && before.managedBy === 'file') throw valuesOfFile(before)
    const spec = patchSpec(before.spec, change)
    this.#desk.refuseSources(spec)
    await this.#sameSystem(before, spec)
    checkSettings(spec, this.#desk.sync.targets.platformOf(spec.target))
    await this.#refuseDependencies(spec)
    const stack = { ...before, spec }
    const signal = abortAfter(60_000)
    const planned = await this.#plans.preview(stack, signal)
    await this.#desk.store.stacks.change(stack.id, settingsChange(before.spec, spec))
    const revision = stack.pinned?.revision ?? ''
    await this.#desk.store.runs.add({
      stack: stack.id,
      revision,
      cause: { kind: 'person', by, note: 'settings changed' },
    })
    this.#desk.dispatch.follow(stack)
    return { stack: await this.#view(stack.id), ...planned }
  }

  async delete(
    name: string,
    asked: WindowOverrideOptions & { readonly uninstall?: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<{ readonly run?: RunView }> {
    const { spec, id } = await this.#desk.changeable(name)
    return this.#desk.turn(spec.target, signal, () => this.#delete(id, asked, signal))
  }

  async #delete(
    id: string,
    { uninstall, by, ...options }: WindowOverrideOptions & { readonly uninstall?: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<{ readonly run?: RunView }> {
    const stack = await this.#desk.changeable(id)
    await refuseNeeded(stack, this.#desk.store)
    if (uninstall !== undefined) this.#desk.refuseClosed(stack, options)
    await this.#desk.dispatch.runs.stop(stack.id, new Stopped('cancelled', `${by} deletes the stack.`))
    if (uninstall === undefined) {
      await this.#desk.dispatch.runs.exclusively(stack.id, signal, () => this.#desk.store.stacks.delete(stack.id))
      this.#desk.dispatch.unfollow(stack.id)
      return {}
    }
    const run = await this.#takeAway(stack, 'delete', { digest: uninstall, by, ...options }, signal)
    if (!(await this.#desk.forgetUninstalled(stack, run))) throw refusalOf(run, stack)
    return { run: viewRun(run, stack) }
  }

  async uninstall(
    name: string,
    asked: WindowOverrideOptions & { readonly digest: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<{ readonly run: RunView }> {
    const { spec, id } = await this.#desk.stack(name)
    return this.#desk.turn(spec.target, signal, () => this.#uninstall(id, asked, signal))
  }

  async #uninstall(
    id: string,
    asked: WindowOverrideOptions & { readonly digest: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<{ readonly run: RunView }> {
    const stack = await this.#desk.stack(id)
    this.#desk.refuseClosed(stack, asked)
    await this.#desk.dispatch.runs.stop(stack.id, new Stopped('cancelled', `${asked.by} uninstalls the stack.`))
    const run = await this.#takeAway(stack, 'uninstall', asked, signal)
    if (run.outcome !== 'applied' && run.outcome !== 'unchanged') throw refusalOf(run, stack)
    return { run: viewRun(run, stack) }
  }

  async suspend(name: string, reason: string, forMs: number | undefined, by: string): Promise<StackView> {
    const stack = await this.#desk.stack(name)
    const until = forMs === undefined ? null : this.#desk.clock.now() + forMs
    await this.#desk.store.stacks.change(stack.id, { suspended: { reason, by, until } })
    await this.#desk.dispatch.runs.stop(stack.id, new Stopped('suspended', `${by} suspended the stack: ${reason}`))
    this.#desk.dispatch.runs.wake(stack.id)
    return this.#view(stack.id)
  }

  async resume(name: string, by: string): Promise<StackView> {
    const stack = await this.#desk.stack(name)
    if (stack.suspended === null) throw new Refused('conflict', `${name} is not suspended.`)
    const revision = stack.pinned?.revision ?? stack.observed?.revision ?? ''
    const [cutShort] = await this.#desk.store.runs.unfinished(stack.id)
    // What an undo was begun for decides what comes after it.
    const forgiven = cutShort === undefined ? { failure: null, retries: 0 } : {}
    await this.#desk.store.stacks.change(stack.id, { suspended: null, retryAt: null, ...forgiven })
    if (cutShort === undefined)
      await this.#desk.queue(stack, { revision, cause: { kind: 'person', by, note: 'resumed' } })
    this.#desk.dispatch.runs.wake(stack.id)
    return this.#view(stack.id)
  }

  /** Carries out the plan that takes everything away. */
  async #takeAway(
    stack: Stack,
    intent: 'uninstall' | 'delete',
    { digest, by, ...options }: WindowOverrideOptions & { readonly digest: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<Run> {
    const cause = await this.#desk.asked(stack, by, { note: 'uninstall', ...options })
    const queued = await this.#desk.dispatch.runs.exclusively(stack.id, signal, async () => {
      const now = await this.#desk.stack(stack.id)
      await this.#desk.revive(now)
      const revision = now.applied?.revision ?? now.observed?.revision ?? 'none'
      return this.#desk.queue(now, { revision, cause, intent, expects: digest })
    })
    const run = await this.#desk.finished(stack, queued, signal)
    if (run.outcome === 'needs-approval') throw heldUninstall(run, stack)
    return run
  }

  async #refuseDependencies(spec: StackSpec): Promise<void> {
    const refused = await dependencyRefusal(spec, [spec], this.#desk.store)
    if (refused !== undefined) throw refused
  }

  async #sameSystem(before: Stack, spec: StackSpec): Promise<void> {
    const { targets } = this.#desk.sync
    if (spec.target === before.spec.target) return
    targets.refuseUnknown(spec.target)
    if (targets.liveSystem(spec.target) === targets.liveSystem(before.spec.target)) return
    throw new Refused('conflict', `${spec.name} is bound to target ${before.spec.target}.`, {
      hint: 'A stack keeps its target. Make another stack for the other one.',
    })
  }
}

/** What refers to files and variables is what the configuration file says, and nobody else. */
function valuesOfFile({ spec }: Stack): Refused {
  return new Refused('conflict', `The values of ${spec.name} are those of the configuration file.`, {
    code: 'stacks/managed-by-file',
    hint: 'Change them there, or make another stack.',
  })
}

function heldUninstall({ plan }: Run, { spec }: Stack): Refused {
  const protect = (plan?.needsApproval ?? []).filter(({ rule }) => rule === 'protect').map(({ address }) => address)
  return new Refused(
    'needs-approval',
    `${spec.name} is not uninstalled: it protects ${protect.slice(0, 5).join(', ')}${protect.length > 5 ? ' …' : ''}.`,
    {
      code: 'stacks/protected',
      hint: `To remove it all the same: gitmoor approve ${spec.name} ${plan?.digest.slice(0, 12) ?? 'DIGEST'}. To keep everything: gitmoor cancel ${spec.name}`,
    },
  )
}
