// Changes a stack itself: creates, suspends, uninstalls and deletes it; previews a creation. Its settings:
// update-stack.ts.
import { Refused, Stopped } from '../../model/errors.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { checkNewStack } from './new-stack.js'
import { planNewStack } from './plan-new-stack.js'
import { refuseNeeded } from '../status/dependencies.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { getStack } from '../queries/queries.js'
import { viewRun } from '../queries/view-stack.js'
import type { PlanView } from '../../views/plan.js'
import type { RunView } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import { onLiveSystem } from '../context.js'
import type { Context } from '../context.js'
import { ifUnchanged, refuseChanged, type Precondition } from '../stack-tag.js'
import { refuseUndeclared } from '../runs/suspended.js'
import { findChangeableStack, findStack, findUsableStack } from '../stacks.js'
import { awaitsUninstall } from '../../status/axes.js'
import { lastRun } from '../status/status-input.js'
import { finishedRun } from '../runs/await-run.js'
import { personCause, refuseBlocked, queueRun, endUninstalled, deleteUninstalled } from '../runs/request-run.js'
import { runRefusal } from '../runs/await-run.js'

export async function createStack(
  context: Context,
  spec: StackSpec,
  by: string,
): Promise<{ readonly stack: StackView; readonly run: string }> {
  await checkNewStack(context, spec)
  const { stack, run } = await context.store.stacks.create(spec, {
    managedBy: 'api',
    target: context.sync.targets.liveSystem(spec.target),
    cause: { kind: 'created', by },
  })
  context.scheduler.follow(stack)
  return { stack: await getStack(context, stack.id), run: run.id }
}

/** The plan of the first sync of a new stack. Stores nothing. Errors: those of `createStack` and `planNewStack`. */
export async function previewCreate(context: Context, spec: StackSpec, signal: AbortSignal): Promise<PlanView> {
  return planNewStack(context, await checkNewStack(context, spec), signal)
}

/** `uninstall`: the digest of the plan that first removes its resources. */
interface DeleteRequest extends WindowOverrideOptions, Precondition {
  readonly uninstall?: string
  readonly by: string
}

export async function deleteStack(
  context: Context,
  name: string,
  request: DeleteRequest,
  signal: AbortSignal,
): Promise<{ readonly run?: RunView }> {
  const { spec, id } = await findChangeableStack(context, name)
  return onLiveSystem(context, spec.target, signal, () => deleteNow(context, id, request, signal))
}

async function deleteNow(
  context: Context,
  id: string,
  request: DeleteRequest,
  signal: AbortSignal,
): Promise<{ readonly run?: RunView }> {
  const { uninstall, by } = request
  const stack = await findChangeableStack(context, id)
  refuseChanged(stack, request)
  await refuseNeeded(stack, context.store)
  if (uninstall !== undefined) refuseBlocked(context, stack, request)
  await context.scheduler.runs.stop(stack.id, new Stopped('cancelled', `${by} deletes the stack.`))
  if (uninstall === undefined) {
    const remove = (): Promise<void> => context.store.stacks.delete(stack.id, ifUnchanged(request), by)
    await context.scheduler.runs.exclusively(stack.id, signal, remove)
    context.scheduler.unfollow(stack.id)
    await context.scheduler.runs.ownershipChanged(stack)
    return {}
  }
  const run = await runUninstall(context, stack, 'delete', { ...request, digest: uninstall }, signal)
  if (!(await deleteUninstalled(context, stack, run))) throw runRefusal(run, stack)
  return { run: viewRun(run, stack) }
}

interface UninstallRequest extends WindowOverrideOptions, Precondition {
  readonly digest: string
  readonly by: string
}

export async function uninstallStack(
  context: Context,
  name: string,
  request: UninstallRequest,
  signal: AbortSignal,
): Promise<{ readonly run: RunView }> {
  const { spec, id } = await findUsableStack(context, name)
  return onLiveSystem(context, spec.target, signal, () => uninstallNow(context, id, request, signal))
}

async function uninstallNow(
  context: Context,
  id: string,
  request: UninstallRequest,
  signal: AbortSignal,
): Promise<{ readonly run: RunView }> {
  const stack = await findUsableStack(context, id)
  refuseChanged(stack, request)
  refuseBlocked(context, stack, request)
  await context.scheduler.runs.stop(stack.id, new Stopped('cancelled', `${request.by} uninstalls the stack.`))
  const run = await runUninstall(context, stack, 'uninstall', request, signal)
  if (run.outcome !== 'applied' && run.outcome !== 'unchanged') throw runRefusal(run, stack)
  return { run: viewRun(run, stack) }
}

export async function suspendStack(
  context: Context,
  name: string,
  reason: string,
  forMs: number | undefined,
  by: string,
  precondition: Precondition = {},
): Promise<StackView> {
  const stack = await findUsableStack(context, name)
  refuseUndeclared(stack)
  const until = forMs === undefined ? null : context.clock.now() + forMs
  const suspended = { reason, by, until, at: context.clock.now() }
  const cause = { kind: 'person', by, note: `suspended: ${reason}` } as const
  await context.store.stacks.change(stack.id, { suspended, cause }, ifUnchanged(precondition))
  await context.scheduler.runs.stop(stack.id, new Stopped('suspended', `${by} suspended the stack: ${reason}`))
  context.scheduler.runs.wake(stack.id)
  return getStack(context, stack.id)
}

export async function resumeStack(
  context: Context,
  name: string,
  by: string,
  precondition: Precondition = {},
): Promise<StackView> {
  const stack = await findUsableStack(context, name)
  refuseChanged(stack, precondition)
  if (stack.suspended === null) throw new Refused('conflict', `${name} is not suspended.`)
  refuseUndeclared(stack)
  const revision = stack.pinned?.revision ?? stack.observed?.revision ?? ''
  const unfinished = await context.store.runs.unfinished(stack.id)
  // An unfinished undo keeps the failure that began it.
  const cleared = unfinished.some(({ phase }) => phase === 'undoing') ? {} : { failure: null, retries: 0 }
  const change = { suspended: null, retryAt: null, ...cleared }
  const keepsUninstall = awaitsUninstall({ stack, last: await lastRun(context, stack) })
  const cause = { kind: 'person', by, note: 'resumed' } as const
  const check = ifUnchanged(precondition)
  if (unfinished.length === 0 && !keepsUninstall)
    await queueRun(context, stack, { revision, orNewer: true, cause, change }, check)
  else await context.store.stacks.change(stack.id, { ...change, cause }, check)
  context.scheduler.runs.wake(stack.id)
  return getStack(context, stack.id)
}

/** Applies the plan that removes everything. */
async function runUninstall(
  context: Context,
  stack: Stack,
  intent: 'uninstall' | 'delete',
  { digest, by, ...options }: UninstallRequest,
  signal: AbortSignal,
): Promise<Run> {
  const cause = await personCause(context, stack, by, { note: 'uninstall', ...options })
  const check = ifUnchanged(options)
  const queued = await context.scheduler.runs.exclusively(stack.id, signal, async () => {
    const now = await findStack(context, stack.id)
    const isChecked = await endUninstalled(context, now, intent, check)
    const revision = now.applied?.revision ?? now.observed?.revision ?? 'none'
    return queueRun(context, now, { revision, cause, intent, expects: digest }, isChecked ? undefined : check)
  })
  const run = await finishedRun(context, stack, queued, signal)
  if (run.outcome === 'needs-approval') throw protectedRefusal(run, stack)
  return run
}

function protectedRefusal({ plan, intent }: Run, { spec: { name } }: Stack): Refused {
  const protect = (plan?.needsApproval ?? []).filter(({ rule }) => rule === 'protect').map(({ address }) => address)
  const covered = `${protect.slice(0, 5).join(', ')}${protect.length > 5 ? ' …' : ''}`
  const digest = plan?.digest.slice(0, 12) ?? 'DIGEST'
  const [done, verb] = intent === 'delete' ? ['deleted', 'Delete'] : ['uninstalled', 'Uninstall']
  const why = `because the setting \`protect\` covers ${covered}`
  return new Refused('needs-approval', `${name} is not ${done} yet: the plan needs approval, ${why}.`, {
    code: 'stacks/protected',
    hint: `Keep everything: gitmoor cancel ${name}\n${verb} anyway: gitmoor approve ${name} ${digest}`,
  })
}
