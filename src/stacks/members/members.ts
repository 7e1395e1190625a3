// stacks/members: keeps the stacks of an owner (the configuration file, a fleet) as the owner declares them. Takes the
// owner and the declared stacks; creates, changes and suspends. Promises: no stack is deleted: one that is no longer
// declared is suspended, and continues when it is declared again; stacks of others stay as they are.
import { describeError, Refused, SyncError } from '../../model/errors.js'
import type { Problem } from '../../model/problem.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { settingChanges, settingsNote } from '../changes/setting-changes.js'
import { checkSettings, settingsChange, startsRun } from '../changes/stack-settings.js'
import type { Context } from '../context.js'
import { refuseWaitingUninstall } from '../runs/waiting-uninstall.js'
import { dependencyRefusal } from '../status/dependencies.js'
import { everyStack } from '../stacks.js'
import type { MemberOwner } from './member-owner.js'
import { planMembers, type ExistingStacks, type MemberChange, type MemberPlan } from './plan-members.js'

export type MemberDeps = Pick<Context, 'sync' | 'scheduler'>

/** What `keepMembers` would do. */
export async function previewMembers(
  owner: MemberOwner,
  declared: readonly StackSpec[],
  deps: MemberDeps,
): Promise<MemberPlan> {
  const existing = await existingStacks(owner, declared, deps)
  const checked = await checkDeclared(owner, declared, existing, deps)
  const plan = planMembers(owner, { declared, valid: checked.valid }, existing)
  const problems = [...checked.problems, ...plan.problems]
  const isRefused = owner.allOrNothing === true && problems.length > 0
  return { changes: isRefused ? [] : plan.changes, problems }
}

/** Keeps the owner's stacks like the declared ones. Gives what it changed, and the problems of the others. */
export async function keepMembers(
  owner: MemberOwner,
  declared: readonly StackSpec[],
  deps: MemberDeps,
): Promise<MemberPlan> {
  const plan = await previewMembers(owner, declared, deps)
  const problems = [...plan.problems]
  const changes: MemberChange[] = []
  for (const change of plan.changes) {
    try {
      await carryOut(owner, change, deps)
      changes.push(change)
    } catch (error) {
      problems.push(undeclarable(change.name, error))
    }
  }
  return { changes, problems }
}

/** Stacks that are valid by themselves, and the problems of the others. A cycle is reported once. */
async function checkDeclared(
  owner: MemberOwner,
  declared: readonly StackSpec[],
  existing: ExistingStacks,
  { sync }: MemberDeps,
): Promise<{ readonly valid: readonly StackSpec[]; readonly problems: readonly Problem[] }> {
  const dependsOn = new Map(declared.map((spec) => [spec.name, spec.dependsOn]))
  const problems = new Map<string, Problem>()
  const valid: StackSpec[] = []
  for (const spec of declared) {
    try {
      const refused = await dependencyRefusal(spec, dependsOn, sync.store)
      if (refused === undefined) {
        const before = existing.get(spec.name)
        refuseSpec(owner, spec, before, sync)
        if (before?.managedBy === owner.managedBy && startsRun(before.spec, spec))
          await refuseWaitingUninstall(sync.store, before, 'Changed settings')
        valid.push(spec)
      } else problems.set(refused.message, toProblem(spec.name, refused.message, refused))
    } catch (error) {
      problems.set(spec.name, undeclarable(spec.name, error))
    }
  }
  return { valid, problems: [...problems.values()] }
}

function refuseSpec(
  owner: MemberOwner,
  spec: StackSpec,
  before: Stack | undefined,
  { targets, source }: MemberDeps['sync'],
): void {
  const system = targets.liveSystem(spec.target)
  if (before?.managedBy === owner.managedBy && targets.liveSystem(before.spec.target, { stack: spec.name }) !== system)
    throw targetMoved(before)
  checkSettings(spec, targets)
  for (const one of spec.sources) source.remoteOf(one, spec.name)
  owner.refuse?.(spec)
}

function targetMoved({ spec: { name, target } }: Stack): Refused {
  return new Refused('conflict', `${name} is bound to target ${target}; the target of a stack cannot change.`, {
    code: 'stacks/target-moved',
    hint: 'Declare the former target again. For the other target, declare another stack: a new name is a new stack.',
  })
}

/** The stacks of the owner, and others that have a declared name. */
async function existingStacks(
  { managedBy }: MemberOwner,
  declared: readonly StackSpec[],
  { sync }: MemberDeps,
): Promise<ExistingStacks> {
  const names = new Set(declared.map(({ name }) => name))
  const found = new Map<string, Stack>()
  for await (const stack of everyStack(sync.store))
    if (stack.managedBy === managedBy || names.has(stack.spec.name)) found.set(stack.spec.name, stack)
  return found
}

async function carryOut(owner: MemberOwner, change: MemberChange, { sync, scheduler }: MemberDeps): Promise<void> {
  const { stacks } = sync.store
  const by = owner.managedBy
  switch (change.action) {
    case 'create': {
      const target = sync.targets.liveSystem(change.spec.target)
      const cause = { kind: 'created', by, ...note(owner.origin?.(change.spec)) } as const
      const { stack } = await stacks.create(change.spec, { managedBy: by, target, cause })
      return scheduler.follow(stack)
    }
    case 'change':
      return changeMember(owner, change, { sync, scheduler })
    case 'suspend': {
      const { id, suspended: before } = change.stack
      const suspended = {
        ...owner.gone(change.stack),
        by,
        until: null,
        at: sync.clock.now(),
        ...(before === null ? {} : { before }),
      }
      const cause = { kind: 'person', by, note: suspended.reason } as const
      await stacks.changeOwnership({ stack: id, cause, suspended })
      return scheduler.runs.wake(id)
    }
  }
}

async function changeMember(
  owner: MemberOwner,
  { stack, spec, returns, joins }: Extract<MemberChange, { readonly action: 'change' }>,
  { sync, scheduler }: MemberDeps,
): Promise<void> {
  const settings = {
    ...settingsChange(stack, spec),
    ...(joins ? { managedBy: owner.managedBy } : {}),
    ...(returns ? { suspended: stack.suspended?.before ?? null } : {}),
  }
  const origin = owner.origin?.(spec)
  const changes = settingChanges(stack.spec, spec)
  const declared = returns ? 'declared again' : 'declared'
  const what = returns || changes.length === 0 ? declared : settingsNote(changes)
  const cause = {
    kind: 'person',
    by: owner.managedBy,
    ...note(origin === undefined ? what : `${what}, ${origin}`),
  } as const
  if (!returns && !startsRun(stack.spec, spec)) {
    await sync.store.stacks.change(stack.id, { ...settings, cause })
    return scheduler.follow({ ...stack, spec })
  }
  await sync.store.stacks.changeSettings(stack.id, { ...settings, cause })
  scheduler.follow({ ...stack, spec })
}

function note(text: string | undefined): { readonly note?: string } {
  return text === undefined ? {} : { note: text }
}

function undeclarable(name: string, error: unknown): Problem {
  const { code, hint } = error instanceof SyncError ? error : { code: 'bug', hint: undefined }
  return toProblem(name, `Stack ${name} cannot be declared: ${describeError(error)}`, { code, hint })
}

function toProblem(
  stack: string,
  message: string,
  { code, hint }: { readonly code: string; readonly hint?: string | undefined },
): Problem {
  return { severity: 'error', code, message, stack, ...(hint === undefined ? {} : { hint }) }
}
