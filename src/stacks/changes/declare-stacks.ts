// Creates and changes the stacks of the configuration file. Stacks that are no longer declared are suspended, never
// deleted. Stacks of the API stay as they are.
import { describeError, SyncError, type Refused } from '../../model/errors.js'
import type { Problem } from '../../model/problem.js'
import { sourceLocations } from '../../model/source-spec.js'
import { isUndeclared, type Stack, type StackSpec, type Suspension } from '../../model/stack.js'
import { jsonDigest } from '../../plan/digest.js'
import { checkSettings, differInLabels, settingsChange } from './stack-settings.js'
import { dependencyRefusal } from '../status/dependencies.js'
import { everyStack } from '../stacks.js'
import type { Context } from '../context.js'
import type { UsedFiles } from './declared-elsewhere.js'

type Deps = Pick<Context, 'sync' | 'scheduler'>

/**
 * Declares all stacks that are valid. Gives the problems of the others. `files`: given at a start; stacks that only the
 * former file declared say so.
 */
export async function declareStacks(
  specs: readonly StackSpec[],
  deps: Deps,
  files?: UsedFiles,
): Promise<readonly Problem[]> {
  const problems: Problem[] = []
  const dependsOn = new Map(specs.map((spec) => [spec.name, spec.dependsOn]))
  const declared = new Set(specs.map(({ name }) => name))
  const former: Stack[] = []
  for await (const stack of everyStack(deps.sync.store))
    if (stack.managedBy === 'file' && !declared.has(stack.spec.name)) former.push(stack)
  for (const spec of specs) {
    try {
      const refused = await dependencyRefusal(spec, dependsOn, deps.sync.store)
      problems.push(
        ...(refused === undefined ? await declareStack(spec, former, deps) : unlessReported(refused, problems)),
      )
    } catch (error) {
      problems.push(undeclarable(spec, error))
    }
  }
  for await (const stack of everyStack(deps.sync.store))
    if (isVanished(stack, declared)) await suspend(stack, goneReason(files), deps)
    else if (hasTargetAgain(stack, deps)) await retry(stack, deps)
  return problems
}

/** `former`: stacks that the file no longer declares. */
async function declareStack(
  spec: StackSpec,
  former: readonly Stack[],
  { sync, scheduler }: Deps,
): Promise<readonly Problem[]> {
  const { store, source, targets } = sync
  const target = targets.liveSystem(spec.target)
  checkSettings(spec, targets.platformOf(spec.target))
  for (const one of spec.sources) source.remoteOf(one, spec.name)
  const there = await store.stacks.get(spec.name)
  if (there === undefined) {
    const renamed = former.find((stack) => managesTheSame(stack, spec))
    if (renamed !== undefined) return [rename(spec, renamed)]
    const { stack } = await store.stacks.create(spec, {
      managedBy: 'file',
      target,
      cause: { kind: 'created', by: 'file' },
    })
    scheduler.follow(stack)
    return []
  }
  if (there.managedBy !== 'file')
    return [
      problem(
        spec.name,
        `Stack ${spec.name} of the configuration file is not declared: a stack of this name was created with the API.`,
      ),
    ]
  if (targets.liveSystem(there.spec.target, { stack: spec.name }) !== target)
    return [
      problem(
        spec.name,
        `Stack ${spec.name} is bound to target ${there.spec.target}; the target of a stack cannot change.`,
        'Declare the former target again. For the other target, declare another stack: a new name is a new stack.',
      ),
    ]
  await changeStack(there, spec, { sync, scheduler })
  return []
}

async function changeStack(there: Stack, spec: StackSpec, { sync, scheduler }: Deps): Promise<void> {
  const returns = isUndeclared(there)
  const same = jsonDigest(there.spec) === jsonDigest(spec)
  if (same && !returns) return
  const change = {
    ...settingsChange(there.spec, spec),
    ...(returns ? { suspended: there.suspended?.before ?? null } : {}),
  }
  if (!returns && differInLabels(there.spec, spec)) {
    await sync.store.stacks.change(there.id, change)
    return scheduler.runs.wake(there.id)
  }
  const cause = { kind: 'person', by: 'file', note: returns ? 'declared again' : 'settings changed' } as const
  await sync.store.stacks.changeSettings(there.id, { ...change, cause })
  scheduler.follow({ ...there, spec })
}

function isVanished(stack: Stack, declared: ReadonlySet<string>): boolean {
  return stack.managedBy === 'file' && !isUndeclared(stack) && !declared.has(stack.spec.name)
}

function goneReason(files?: UsedFiles): Pick<Suspension, 'reason' | 'declaredIn'> {
  const former = files?.former.config
  return former === undefined || former === files?.file
    ? { reason: 'no longer declared in the configuration file' }
    : { reason: `declared in ${former}, and not in ${files?.file}`, declaredIn: former }
}

/** A person's suspension is kept for when the stack is declared again. */
async function suspend(
  { id, suspended: before }: Stack,
  why: Pick<Suspension, 'reason' | 'declaredIn'>,
  { sync, scheduler }: Deps,
): Promise<void> {
  await sync.store.stacks.change(id, {
    suspended: { ...why, by: 'file', until: null, ...(before === null ? {} : { before }) },
  })
  scheduler.runs.wake(id)
}

/** It failed because its target was not declared. */
function hasTargetAgain({ failure, spec }: Stack, { sync }: Deps): boolean {
  return failure?.code === 'platform/target-missing' && sync.targets.has(spec.target)
}

async function retry({ id }: Stack, { sync, scheduler }: Deps): Promise<void> {
  await sync.store.stacks.change(id, { retryAt: sync.clock.now() })
  scheduler.runs.wake(id)
}

/** A cycle is reported once, not for each of its stacks. */
function unlessReported({ message, code, hint }: Refused, reported: readonly Problem[]): readonly Problem[] {
  return reported.some((one) => one.message === message)
    ? []
    : [{ severity: 'error', code, message, ...(hint === undefined ? {} : { hint }) }]
}

function undeclarable({ name }: StackSpec, error: unknown): Problem {
  const { code, hint } = error instanceof SyncError ? error : { code: 'bug', hint: undefined }
  const message = `Stack ${name} cannot be declared: ${describeError(error)}`
  return { severity: 'error', code, message, ...(hint === undefined ? {} : { hint }) }
}

/** True if both stacks would manage the same resources. Pushed packages have no common place. */
function managesTheSame({ applied, spec: { target } }: Stack, spec: StackSpec): boolean {
  if (spec.sources.some(({ kind }) => kind === 'inline')) return false
  return applied?.place === sourceLocations(spec) && target === spec.target
}

/** A new stack does not find dashboards and tasks by name: it would create them a second time. */
function rename({ name }: StackSpec, { spec: { name: former } }: Stack): Problem {
  return problem(
    name,
    `Stack ${name} of the configuration file is not declared: it has the sources and the target of ${former}, ` +
      'which the file no longer declares, so both would manage the same resources.',
    `Keep the name ${former} in the file. Or delete ${former}, with --uninstall to delete its resources, too, and ` +
      `reload the file: gitmoor stack delete ${former}`,
  )
}

/** `name`: of a stack that exists and keeps another one from being declared. */
function problem(
  name: string,
  message: string,
  hint = `Choose another name in the file, or delete the existing stack: gitmoor stack delete ${name}`,
): Problem {
  return { severity: 'error', code: 'config/stack', message, hint }
}
