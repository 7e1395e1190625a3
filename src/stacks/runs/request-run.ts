// A run that a person requests: whether it may begin, its cause, and its place in the queue.
import { withoutUndefined } from '../../lib/without-undefined.js'
import type { Cause, Run } from '../../model/stacks/run.js'
import { suspends, type Stack } from '../../model/stacks/stack.js'
import type { NewRun } from '../../store/run-table.js'
import type { StackCheck } from '../../store/stack-table.js'
import type { Context } from '../context.js'
import { readRunBlockers } from '../status/status-input.js'
import { closedWindow, refuseClosed, type WindowOverrideOptions } from '../../status/run-blockers.js'
import { refuseSuspendedByPerson } from './suspended.js'

/**
 * `mayWait`: the run is kept while a window is closed; `awaitDependencies`: until the stacks that its stack depends on
 * are ready.
 */
interface CauseOptions extends WindowOverrideOptions {
  readonly note?: string
  readonly decision?: Cause['decision']
  readonly mayWait?: boolean
  readonly awaitDependencies?: boolean
}

/** The cause of a run after a push. Like a new commit, it waits for windows and for other stacks. */
export function pushCause({ clock }: Pick<Context, 'clock'>, stack: Stack, by: string): Cause {
  const isWaiting = closedWindow(stack, clock.now(), false) !== undefined
  return { kind: 'person', by, ...(isWaiting ? { unattended: true } : {}) }
}

/**
 * The cause of a run that a person requests. It records the blockers that the run overrides. Throws while a window is
 * closed and the request neither overrides it nor may wait.
 */
export async function personCause(
  context: Context,
  stack: Stack,
  by: string,
  { note, decision, overrideWindow, mayWait = false, awaitDependencies = false }: CauseOptions = {},
): Promise<Cause> {
  const { spec } = stack
  const now = context.clock.now()
  if (!mayWait || overrideWindow !== undefined) refuseClosed(stack, now, overrideWindow)
  const isWaiting = overrideWindow === undefined && closedWindow(stack, now, true) !== undefined
  const blockers = await readRunBlockers(context, stack)
  const overrode = blockers
    .filter(({ reason }) => (reason === 'Window' ? !isWaiting : !awaitDependencies))
    .map(({ message }) => message)
    .join(' ')
  return {
    kind: 'person',
    by,
    requested: true,
    ...(awaitDependencies && spec.dependsOn.length > 0 ? { awaitsDependencies: true } : {}),
    ...withoutUndefined({ note, decision, overrideWindow }),
    ...(overrode === '' ? {} : { overrode }),
    ...(isWaiting ? { unattended: true } : {}),
  }
}

/** For a run that begins now. Throws while a window is closed for manual commands, unless the request overrides it. */
export function refuseBlocked(
  context: Pick<Context, 'clock'>,
  stack: Stack,
  { overrideWindow }: WindowOverrideOptions,
): void {
  refuseClosed(stack, context.clock.now(), overrideWindow)
}

export async function queueRun(
  { store, scheduler }: Pick<Context, 'store' | 'scheduler'>,
  stack: Stack,
  run: Omit<NewRun, 'stack'>,
  check?: StackCheck,
): Promise<Run> {
  const queued = await store.runs.add({ stack: stack.id, ...run }, check)
  scheduler.runs.wake(stack.id)
  return queued
}

/**
 * Ends the suspension after an uninstall, before a run with this intent. False: there is none. Throws if a person
 * suspended the stack.
 */
export async function endUninstalled(
  { store }: Pick<Context, 'store'>,
  stack: Stack,
  intent: Run['intent'],
  check?: StackCheck,
): Promise<boolean> {
  if (!suspends(stack, intent)) return false
  refuseSuspendedByPerson(stack)
  await store.stacks.change(stack.id, { suspended: null }, (now) => {
    check?.(now)
    refuseSuspendedByPerson(now)
  })
  return true
}

/** Deletes the stack if the run uninstalled all it owned in order to delete it. False: the stack stays. */
export async function deleteUninstalled(
  { store, scheduler }: Pick<Context, 'store' | 'scheduler'>,
  stack: Stack,
  { intent, outcome, cause }: Run,
): Promise<boolean> {
  if (intent !== 'delete' || (outcome !== 'applied' && outcome !== 'unchanged')) return false
  await store.stacks.delete(stack.id, undefined, cause.by)
  scheduler.unfollow(stack.id)
  return true
}
