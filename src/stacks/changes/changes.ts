// Changes a stack itself: creates, updates, suspends and deletes it.
import { Refused, StackChanged, Stopped } from '../../model/errors.js'
import type { FieldChange } from '../../model/resources/change.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack, StackSpec, StackSpecPatch } from '../../model/stacks/stack.js'
import { refusePlainValues } from './refuse-plain-values.js'
import { settingChanges } from './setting-changes.js'
import { checkSettings, patchSpec, settingsChange, startsRun } from './stack-settings.js'
import { dependencyRefusal, refuseNeeded } from '../status/dependencies.js'
import { refuseWaitingUninstall } from '../runs/waiting-uninstall.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { previewSettings, type PlanOrError } from '../plans/preview.js'
import { getStack } from '../queries/queries.js'
import { viewRun } from '../queries/view-stack.js'
import type { RunView } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import { onLiveSystem } from '../context.js'
import type { Context } from '../context.js'
import { ifUnchanged, refuseChanged, stackTag, type Precondition } from '../stack-tag.js'
import { refuseUndeclared } from '../runs/suspended.js'
import { declaredByFile, findChangeableStack, findStack, findUsableStack } from '../stacks.js'
import { refuseSources } from '../load-package/remotes.js'
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
  const { targets } = context.sync
  targets.refuseUnknown(spec.target)
  const target = targets.liveSystem(spec.target)
  checkSettings(spec, targets)
  refuseSources(context, spec)
  await refuseDependencies(context, spec)
  context.sync.inputs.refuseReferences(spec)
  const nothing = { applied: null, pinned: null, attempted: null, observed: null }
  const planned = { id: '', spec, managedBy: 'api', ...nothing } as const
  await refusePlainValues(context, planned, Object.keys(spec.values ?? {}))
  const { stack, run } = await context.store.stacks.create(spec, {
    managedBy: 'api',
    target,
    cause: { kind: 'created', by },
  })
  context.scheduler.follow(stack)
  return { stack: await getStack(context, stack.id), run: run.id }
}

/**
 * `changes`: the changed settings as documents write them, with their old and new values. A plan, or why there is none,
 * only if the settings need a run, or let the next drift check correct the target.
 */
interface SettingsPreview extends PlanOrError {
  readonly changes: readonly FieldChange[]
}

/** `run`: the id of the run that applies the settings, if they need one. */
interface StackUpdate extends SettingsPreview {
  readonly stack: StackView
  readonly run?: string
}

/**
 * What `updateStack` would change, also of a stack that the configuration file or a fleet declares. Stores nothing.
 * Errors: those of `updateStack`.
 */
export async function previewUpdate(context: Context, name: string, change: StackSpecPatch): Promise<SettingsPreview> {
  const before = await findUsableStack(context, name)
  const { stack, planned } = await planUpdate(context, before, change)
  return { changes: settingChanges(before.spec, stack.spec), ...planned }
}

/** A change that another one overtook while it was planned begins again, unless it has a precondition. */
export async function updateStack(
  context: Context,
  name: string,
  change: StackSpecPatch,
  by: string,
  precondition: Precondition = {},
): Promise<StackUpdate> {
  const before = await findChangeableStack(context, name)
  refuseChanged(before, precondition)
  if (before.managedBy === 'file' && changesInputs(change))
    throw declaredByFile(context, `the values and secrets of ${before.spec.name}`)
  const { stack, needsRun, planned } = await planUpdate(context, before, change)
  const cause = { kind: 'person', by, note: 'settings changed' } as const
  const isAsPlanned = ifUnchanged({ ifMatch: [stackTag(before)] })
  let run: Run | undefined
  try {
    const settings = settingsChange(before, stack.spec)
    if (needsRun) run = await context.store.stacks.changeSettings(stack.id, { ...settings, cause }, isAsPlanned)
    else await context.store.stacks.change(stack.id, settings, isAsPlanned)
  } catch (error) {
    if (!(error instanceof StackChanged) || precondition.ifMatch !== undefined) throw error
    return updateStack(context, name, change, by)
  }
  context.scheduler.follow(stack)
  const changes = settingChanges(before.spec, stack.spec)
  return { stack: await getStack(context, stack.id), changes, ...planned, ...(run && { run: run.id }) }
}

/** The stack with its new settings, and the plan of the run that they need. Throws if the settings are refused. */
async function planUpdate(
  context: Context,
  before: Stack,
  change: StackSpecPatch,
): Promise<{ readonly stack: Stack; readonly needsRun: boolean; readonly planned: PlanOrError }> {
  const stack = { ...before, spec: patchSpec(before.spec, change) }
  const needsRun = startsRun(before.spec, stack.spec)
  if (needsRun) await refuseWaitingUninstall(context.store, before, 'Changed settings')
  await refuseSettings(context, before, stack)
  const changesTarget = needsRun || correctsDrift(before, stack.spec)
  return { stack, needsRun, planned: changesTarget ? await previewSettings(context, stack) : {} }
}

/** The next drift check corrects the drift that is only reported so far. */
function correctsDrift({ spec, drifted }: Stack, after: StackSpec): boolean {
  return drifted > 0 && spec.drift !== 'correct' && after.drift === 'correct'
}

/** Throws if the settings are refused. */
async function refuseSettings(context: Context, before: Stack, stack: Stack): Promise<void> {
  const { spec } = stack
  refuseSources(context, spec)
  await sameSystem(context, before, spec)
  checkSettings(spec, context.sync.targets)
  await refuseDependencies(context, spec)
  const secrets = newEntries(before.spec.secrets, spec.secrets)
  context.sync.inputs.refuseReferences({ name: spec.name, secrets })
  await refusePlainValues(context, stack, Object.keys(newEntries(before.spec.values, spec.values)))
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
  await context.store.stacks.change(stack.id, { suspended }, ifUnchanged(precondition))
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
  const [cutShort] = await context.store.runs.unfinished(stack.id)
  // An unfinished undo keeps the failure that began it.
  const cleared = cutShort === undefined ? { failure: null, retries: 0 } : {}
  const change = { suspended: null, retryAt: null, ...cleared }
  const keepsUninstall = awaitsUninstall({ stack, last: await lastRun(context, stack) })
  const cause = { kind: 'person', by, note: 'resumed' } as const
  const check = ifUnchanged(precondition)
  if (cutShort === undefined && !keepsUninstall)
    await queueRun(context, stack, { revision, orNewer: true, cause, change }, check)
  else await context.store.stacks.change(stack.id, change, check)
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

async function refuseDependencies(context: Context, spec: StackSpec): Promise<void> {
  const refused = await dependencyRefusal(spec, new Map([[spec.name, spec.dependsOn]]), context.store)
  if (refused !== undefined) throw refused
}

async function sameSystem(context: Context, before: Stack, spec: StackSpec): Promise<void> {
  const { targets } = context.sync
  if (spec.target === before.spec.target) return
  targets.refuseUnknown(spec.target)
  if (targets.liveSystem(spec.target) === targets.liveSystem(before.spec.target, { stack: spec.name })) return
  throw new Refused('conflict', `${spec.name} is bound to target ${before.spec.target}.`, {
    hint:
      `The target of a stack cannot change. Create another stack for ${spec.target}.\n` +
      `Then delete this one with its resources: gitmoor stack delete ${spec.name} --uninstall`,
  })
}

function changesInputs({ values, secrets, setValues, setSecrets, unset }: StackSpecPatch): boolean {
  return [values, secrets, setValues, setSecrets, unset].some((one) => one !== undefined)
}

/** The entries that are new or changed. */
function newEntries<Value>(
  before: Readonly<Record<string, Value>> = {},
  after: Readonly<Record<string, Value>> = {},
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => before[key] !== value))
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
