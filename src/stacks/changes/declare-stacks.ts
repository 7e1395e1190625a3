// Creates and changes the stacks of the configuration file. Stacks that are no longer declared are suspended, never
// deleted. Stacks of the API stay as they are.
import { describeError, SyncError, type Refused } from '../../model/errors.js'
import type { Problem } from '../../model/problem.js'
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
  for (const spec of specs) {
    try {
      const refused = await dependencyRefusal(spec, dependsOn, deps.sync.store)
      problems.push(...(refused === undefined ? await declareStack(spec, deps) : unlessReported(refused, problems)))
    } catch (error) {
      problems.push(undeclarable(spec, error))
    }
  }
  const declared = new Set(specs.map(({ name }) => name))
  for await (const stack of everyStack(deps.sync.store))
    if (isVanished(stack, declared)) await suspend(stack, goneReason(files), deps)
    else if (hasTargetAgain(stack, deps)) await retry(stack, deps)
  return problems
}

async function declareStack(spec: StackSpec, { sync, scheduler }: Deps): Promise<readonly Problem[]> {
  const { store, source, targets } = sync
  const target = targets.liveSystem(spec.target)
  checkSettings(spec, targets.platformOf(spec.target))
  for (const one of spec.sources) source.remoteOf(one, spec.name)
  const there = await store.stacks.get(spec.name)
  if (there === undefined) {
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

function goneReason({ file, former }: Partial<UsedFiles> = {}): Pick<Suspension, 'reason' | 'declaredIn'> {
  return former === undefined || former === file
    ? { reason: 'no longer declared in the configuration file' }
    : { reason: `declared in ${former}, and not in ${file}`, declaredIn: former }
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

/** `name`: of a stack that exists and keeps another one from being declared. */
function problem(name: string, message: string): Problem {
  return {
    severity: 'error',
    code: 'config/stack',
    message,
    hint: `Choose another name in the file, or delete the existing stack: gitmoor stack delete ${name}`,
  }
}
