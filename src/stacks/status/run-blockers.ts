// Whether a run may begin: the windows of its stack and the stacks it depends on may have it wait. Pure, from what is
// known at a moment.
import { Refused } from '../../model/errors.js'
import type { Run } from '../../model/run.js'
import type { StackSpec } from '../../model/stack.js'
import type { Blocker } from '../../model/blocker.js'
import { printInterval } from '../../settings/interval.js'
import { manualWindows, windowState } from '../../settings/sync-windows.js'
import type { Dependency } from './dependencies.js'

/** Of a request that a closed window would refuse: why it writes all the same. */
export interface WindowOverrideOptions {
  readonly overrideWindow?: string
}

export interface RunBlockerInput {
  /** Of each stack that it depends on. */
  readonly dependencies: readonly Dependency[]
  /** An apply was begun and not ended, and no undo of it is under way. */
  readonly isHalfDone: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * What a run waits for; nothing: it may begin. Without a run: what anything would wait for that the stack does by
 * itself.
 */
export function runBlockers(
  spec: StackSpec,
  run: Run | undefined,
  { dependencies, isHalfDone, now }: RunBlockerInput,
): readonly Blocker[] {
  if (isHalfDone || run?.phase === 'undoing') return []
  const isManual = run !== undefined && isRequested(run)
  const window = run?.cause.overrideWindow === undefined ? closedWindow(spec, now, isManual) : undefined
  return [...(window === undefined ? [] : [window]), ...(isManual ? [] : dependencyBlocker(spec, dependencies))]
}

/** What somebody asked for by name waits for no other stack. */
function isRequested({ cause, intent, expects }: Run): boolean {
  return cause.requested === true || intent !== 'sync' || expects !== null
}

/** Whether the dependencies of its stack decide when a run begins. */
export function awaitsDependencies(run: Run): boolean {
  return run.phase !== 'undoing' && !isRequested(run)
}

/** The window that closes a stack now. `isManual`: for what a person asks for by name. */
export function closedWindow(
  { name, windows, timeZone }: StackSpec,
  now: number,
  isManual: boolean,
): Blocker | undefined {
  const { isOpen, until, deniedBy } = windowState(isManual ? manualWindows(windows) : windows, timeZone, now)
  if (isOpen) return undefined
  const why = deniedBy?.reason === undefined || deniedBy.reason === '' ? '' : `: ${deniedBy.reason}`
  const end = until === null ? ', and no opening is known' : ` until ${new Date(until).toISOString()}`
  const message =
    deniedBy === undefined
      ? `It is outside of the sync windows that allow writes${end}.`
      : `A sync window denies writes${end}${why}.`
  return { reason: 'Window', message, until, next: `To write now: gitmoor sync ${name} --override-window --why TEXT` }
}

/**
 * Throws where a window closes the stack for what a person asks for by name. `overrideWindow`: why it writes all the
 * same.
 */
export function refuseClosed(spec: StackSpec, now: number, overrideWindow: string | undefined): void {
  if (overrideWindow !== undefined && overrideWindow.trim() === '')
    throw new Refused('usage', 'To override a window, say why.', {
      code: 'stacks/why-missing',
      hint: 'Add --why TEXT (API: `why`).',
    })
  const closed = overrideWindow === undefined ? closedWindow(spec, now, true) : undefined
  if (closed === undefined) return
  const { deniedBy } = windowState(manualWindows(spec.windows), spec.timeZone, now)
  const window =
    deniedBy === undefined
      ? ''
      : ` The window: ${deniedBy.kind} ${deniedBy.schedule} for ${printInterval(deniedBy.durationMs)}.`
  throw new Refused('held', `${spec.name}: ${closed.message}${window} Nothing is written.`, {
    code: 'stacks/window-closed',
    hint: 'Wait until it opens, or add --override-window --why TEXT (API: `overrideWindow`, `why`).',
  })
}

function dependencyBlocker({ name }: StackSpec, dependencies: readonly Dependency[]): readonly Blocker[] {
  const awaited = dependencies.filter(({ ready }) => !ready)
  if (awaited.length === 0) return []
  const message = `It waits for ${awaited.map((one) => one.name).join(', ')} to be synced and healthy.`
  const next = `See why: gitmoor explain ${awaited[0]!.name}. To sync it all the same: gitmoor sync ${name}`
  return [{ reason: 'Dependencies', message, until: null, next }]
}
