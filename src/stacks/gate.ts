// Whether a run may begin: the windows of its stack and the stacks it depends on may have it wait. Pure, from what is known at a moment.
import type { Run } from '../model/run.js'
import type { StackSpec } from '../model/stack.js'
import type { Wait } from '../model/wait.js'
import { windowState } from '../settings/sync-windows.js'
import type { Dependency } from './dependencies.js'

export interface GateFacts {
  /** Of each stack that it depends on. */
  readonly dependencies: readonly Dependency[]
  /** An apply was begun and not ended, and no undo of it is under way. */
  readonly isHalfDone: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What a run waits for; nothing: it may begin. Without a run: what anything would wait for that the stack does by itself. */
export function waitsOf(spec: StackSpec, run: Run | undefined, { dependencies, isHalfDone, now }: GateFacts): readonly Wait[] {
  if (isHalfDone || (run !== undefined && goesPast(run))) return []
  return [...windowWait(spec, now), ...dependencyWait(spec, dependencies)]
}

/** What somebody asked for by name, and what settles what was left half-done. */
export function goesPast({ cause, intent, expects, phase }: Run): boolean {
  return phase === 'undoing' || cause.kind === 'recovery' || cause.asked === true || intent !== 'sync' || expects !== null
}

function windowWait({ name, windows, timeZone }: StackSpec, now: number): readonly Wait[] {
  const { isOpen, until, denied } = windowState(windows, timeZone, now)
  if (isOpen) return []
  const why = denied?.reason === undefined || denied.reason === '' ? '' : `: ${denied.reason}`
  const end = until === null ? '' : ` until ${new Date(until).toISOString()}`
  const message = denied === undefined ? `It is outside of the windows that allow a sync${end}.` : `A window denies a sync${end}${why}.`
  return [{ reason: 'Window', message, until, next: `To sync it all the same: gitmoor sync ${name}` }]
}

function dependencyWait({ name }: StackSpec, dependencies: readonly Dependency[]): readonly Wait[] {
  const awaited = dependencies.filter(({ ready }) => !ready)
  if (awaited.length === 0) return []
  const message = `It waits for ${awaited.map((one) => one.name).join(', ')} to be synced and healthy.`
  const next = `See why: gitmoor explain ${awaited[0]!.name}. To sync it all the same: gitmoor sync ${name}`
  return [{ reason: 'Dependencies', message, until: null, next }]
}
