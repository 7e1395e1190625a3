// Changes the settings of a stack, and previews such a change.
import { Refused, StackChanged } from '../../model/errors.js'
import type { FieldChange } from '../../model/resources/change.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack, StackSpec, StackSpecPatch } from '../../model/stacks/stack.js'
import type { StackView } from '../../views/stack.js'
import type { Context } from '../context.js'
import { refuseSources } from '../load-package/remotes.js'
import { previewSettings, type PlanOrError } from '../plans/preview.js'
import { getStack } from '../queries/queries.js'
import { refuseWaitingUninstall } from '../runs/waiting-uninstall.js'
import { ifUnchanged, refuseChanged, stackTag, type Precondition } from '../stack-tag.js'
import { declaredByFile, findChangeableStack, findUsableStack } from '../stacks.js'
import { dependencyRefusal } from '../status/dependencies.js'
import { refusePlainValues } from './refuse-plain-values.js'
import { settingChanges, settingsNote } from './setting-changes.js'
import { checkSettings, patchSpec, settingsChange, startsRun } from './stack-settings.js'

/**
 * `changes`: the changed settings as documents write them, with their old and new values. A plan, or why there is none,
 * only if the settings need a run, or let the next drift check correct the target.
 */
interface SettingsPreview extends PlanOrError {
  readonly changes: readonly FieldChange[]
}

/**
 * `run`: the id of the run that applies the settings, if they need one, or of the queued run that other windows or
 * dependencies may let begin.
 */
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
  const changes = settingChanges(before.spec, stack.spec)
  const cause = { kind: 'person', by, note: settingsNote(changes) } as const
  const isAsPlanned = ifUnchanged({ ifMatch: [stackTag(before)] })
  let run = await unblockedRun(context, before, changes)
  try {
    const settings = settingsChange(before, stack.spec)
    if (needsRun) run = await context.store.stacks.changeSettings(stack.id, { ...settings, cause }, isAsPlanned)
    else await context.store.stacks.change(stack.id, { ...settings, ...(changes.length > 0 && { cause }) }, isAsPlanned)
  } catch (error) {
    if (!(error instanceof StackChanged) || precondition.ifMatch !== undefined) throw error
    return updateStack(context, name, change, by)
  }
  context.scheduler.follow(stack)
  return { stack: await getStack(context, stack.id), changes, ...planned, ...(run && { run: run.id }) }
}

const blockingSettings = /^(?:windows|dependsOn|timeZone)\b/

async function unblockedRun(
  { store }: Context,
  { id }: Stack,
  changes: readonly FieldChange[],
): Promise<Run | undefined> {
  if (!changes.some(({ path }) => blockingSettings.test(path))) return undefined
  return (await store.runs.unfinished(id)).findLast(({ phase }) => phase === 'queued')
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

/** Errors: those of `dependencyRefusal`. */
export async function refuseDependencies(context: Context, spec: StackSpec): Promise<void> {
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
