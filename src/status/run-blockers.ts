// Whether a run may begin: sync windows of its stack, and stacks it depends on, may block it.
import { Refused } from '../model/errors.js'
import type { Run } from '../model/stacks/run.js'
import { ownerText, type ManagedBy } from '../model/stacks/stack-owner.js'
import type { Stack, StackSpec } from '../model/stacks/stack.js'
import { command, edit, stackCommand, type NextStep, type RunBlocker } from '../model/stacks/blocker.js'
import { printInterval } from '../settings/schema/interval.js'
import { timeText } from '../lib/text/time-text.js'
import { manualWindows, windowState } from '../settings/sync-windows.js'
import type { Dependency } from './dependency.js'

/** The reason why a request writes during a closed window; absent: it does not. */
export interface WindowOverrideOptions {
  readonly overrideWindow?: string
}

/** A stack with its windows, and who changes them. */
export type WindowedStack = Pick<Stack, 'spec' | 'managedBy'>

export interface RunBlockerInput {
  /** Stacks that it depends on. */
  readonly dependencies: readonly Dependency[]
  /** An apply was interrupted, and no undo of it is in progress: it goes on whatever the blockers. */
  readonly isHalfDone: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Why a run does not begin; empty: it may. Without a run: why no automatic run would begin. */
export function runBlockers(
  stack: WindowedStack,
  run: Run | undefined,
  { dependencies, isHalfDone, now }: RunBlockerInput,
): readonly RunBlocker[] {
  if (isHalfDone || run?.phase === 'undoing') return []
  const isManual = run !== undefined && isRequested(run)
  const window = run?.cause.overrideWindow === undefined ? closedWindow(stack, now, isManual) : undefined
  const awaited = run === undefined || awaitsDependencies(run) ? dependencies : []
  const dependency = dependencyBlocker(stack.spec, awaited, run?.createdAt ?? null)
  return [window, dependency].filter((blocker) => blocker !== undefined)
}

/** The closed window that a run overrides now. */
export function overriddenWindow(stack: WindowedStack, run: Run, now: number): RunBlocker | undefined {
  return run.cause.overrideWindow === undefined ? undefined : closedWindow(stack, now, isRequested(run))
}

/** A person requested the run, so only windows that bind people close it. */
function isRequested({ cause, intent, expects }: Run): boolean {
  return cause.requested === true || intent !== 'sync' || expects !== null
}

/** Whether the dependencies of its stack decide when a run begins. */
export function awaitsDependencies(run: Run): boolean {
  return run.phase !== 'undoing' && (run.cause.awaitsDependencies === true || !isRequested(run))
}

/** The window that closes a stack now. `isManual`: for a run that a person requests by name. */
export function closedWindow(
  { spec: { name, windows, timeZone }, managedBy }: WindowedStack,
  now: number,
  isManual: boolean,
): RunBlocker | undefined {
  const { isOpen, until, deniedBy, closedSince } = windowState(
    isManual ? manualWindows(windows) : windows,
    timeZone,
    now,
  )
  if (isOpen) return undefined
  const why = deniedBy?.reason === undefined || deniedBy.reason === '' ? '' : `: ${deniedBy.reason}`
  const untilThen = until === null ? '' : ` until ${timeText(until)}`
  const never = until !== null ? '' : deniedBy === undefined ? ' No window opens later.' : ' It does not end by itself.'
  const closed = deniedBy === undefined ? 'No sync window is open' : 'A sync window denies writes'
  const message = `${closed}${untilThen}${why}.${never}`
  const end = until === null ? changeWindows(name, managedBy) : edit(`Wait until ${timeText(until)}`)
  const override = stackCommand('Or override it', 'sync', name, ' --override-window --why "REASON"')
  return { reason: 'Window', message, since: closedSince ?? null, until, next: [end, override] }
}

function changeWindows(stack: string, managedBy: ManagedBy): NextStep {
  if (managedBy !== 'api') return edit(`Change \`windows\` of ${stack} in ${ownerText(managedBy)}`)
  const option = '-f FILE'
  return command('Change its `windows`', 'stack set', { stack, option }, `gitmoor stack set ${stack} -f FILE`)
}

/** Throws if a window closes the stack for a run that a person requests by name, unless `overrideWindow` says why. */
export function refuseClosed(stack: WindowedStack, now: number, overrideWindow: string | undefined): void {
  if (overrideWindow !== undefined && overrideWindow.trim() === '')
    throw new Refused('usage', 'To override a window, say why.', {
      code: 'stacks/why-missing',
      hint: 'Add --why "REASON" (API: `why`).',
    })
  const closed = overrideWindow === undefined ? closedWindow(stack, now, true) : undefined
  if (closed === undefined) return
  const { spec } = stack
  const { deniedBy } = windowState(manualWindows(spec.windows), spec.timeZone, now)
  const window =
    deniedBy === undefined
      ? ''
      : ` The window: ${deniedBy.kind} ${deniedBy.schedule} for ${printInterval(deniedBy.durationMs)}.`
  throw new Refused('needs-approval', `${spec.name}: ${closed.message}${window} Nothing is written.`, {
    code: 'stacks/window-closed',
    hint:
      `${closed.until === null ? `Change \`windows\` of ${spec.name}` : 'Wait until it opens'}, ` +
      'or add --override-window --why "REASON" (API: `overrideWindow`, `why`).',
  })
}

/** `since`: when its run was queued. */
function dependencyBlocker(
  { name }: StackSpec,
  dependencies: readonly Dependency[],
  since: number | null,
): RunBlocker | undefined {
  const awaited = dependencies.filter(({ ready }) => !ready)
  if (awaited.length === 0) return undefined
  const message = `It waits for ${awaited.map((one) => one.name).join(', ')} to be synced and healthy.`
  const next = [stackCommand('See why', 'explain', awaited[0]!.name), stackCommand('Sync anyway', 'sync', name)]
  return { reason: 'Dependencies', message, since, until: null, next }
}
