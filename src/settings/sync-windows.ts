// Sync windows: when a stack may be written. Pure, from the windows and a moment.
import type { SyncWindow } from '../model/stack.js'
import { nextTime } from './schedule.js'

export interface WindowState {
  readonly isOpen: boolean
  /** When that changes, in milliseconds since the epoch; null: not within what is looked ahead. */
  readonly until: number | null
  /** The window that closes it; absent where it is open, or outside of all that allow. */
  readonly deniedBy?: SyncWindow
}

/** How many beginnings and ends of windows are looked ahead. */
const mostChanges = 500
const mostCached = 1_000
const dayMs = 86_400_000

/** Many stacks have the same windows, and their state holds for long: it is worked out once. */
const cache = new Map<string, { readonly from: number; readonly state: WindowState }>()

/**
 * A window that denies wins; where any allows, outside of all that do is denied. `timeZone`: of the windows that name
 * none. Without windows it is always open.
 */
export function windowState(windows: readonly SyncWindow[], timeZone: string, now: number): WindowState {
  if (windows.length === 0) return { isOpen: true, until: null }
  const key = `${timeZone} ${JSON.stringify(windows)}`
  const cached = cache.get(key)
  if (cached !== undefined && cached.from <= now && now < (cached.state.until ?? cached.from + dayMs))
    return cached.state
  const state = stateAt(windows, timeZone, now)
  if (cache.size >= mostCached) cache.clear()
  cache.set(key, { from: now, state })
  return state
}

/**
 * The windows that also bind what a person asks for by name. Windows that allow bind together: all of them must exempt
 * it.
 */
export function manualWindows(windows: readonly SyncWindow[]): readonly SyncWindow[] {
  const exempts = windows.filter(({ kind }) => kind === 'allow').every(({ manual }) => manual === 'allow')
  return windows.filter(({ kind, manual }) => (kind === 'deny' ? manual !== 'allow' : !exempts))
}

function stateAt(windows: readonly SyncWindow[], timeZone: string, now: number): WindowState {
  const { isOpen, denied: deniedBy } = evaluate(windows, timeZone, now)
  return { isOpen, until: nextToggle(isOpen, windows, timeZone, now), ...(deniedBy === undefined ? {} : { deniedBy }) }
}

function nextToggle(isOpen: boolean, windows: readonly SyncWindow[], timeZone: string, now: number): number | null {
  let at = now
  for (let change = 0; change < mostChanges; change++) {
    const from = at
    const changes = windows.flatMap((window) => nextChange(window, timeZone, from) ?? [])
    if (changes.length === 0) return null
    at = Math.min(...changes)
    if (evaluate(windows, timeZone, at).isOpen !== isOpen) return at
  }
  return null
}

function evaluate(
  windows: readonly SyncWindow[],
  timeZone: string,
  at: number,
): { readonly isOpen: boolean; readonly denied?: SyncWindow } {
  const active = windows.filter((window) => isActive(window, timeZone, at))
  const denied = active.find(({ kind }) => kind === 'deny')
  if (denied !== undefined) return { isOpen: false, denied }
  return { isOpen: windows.every(({ kind }) => kind === 'deny') || active.some(({ kind }) => kind === 'allow') }
}

/** It began within its duration before. */
function isActive(window: SyncWindow, timeZone: string, at: number): boolean {
  return (latestBeginning(window, timeZone, at) ?? Infinity) <= at
}

/** The next moment at which it may begin or end. */
function nextChange(window: SyncWindow, timeZone: string, at: number): number | undefined {
  const begins = latestBeginning(window, timeZone, at)
  return begins !== undefined && begins <= at ? begins + window.durationMs : begins
}

function latestBeginning(
  { schedule, durationMs, timeZone: own }: SyncWindow,
  timeZone: string,
  at: number,
): number | undefined {
  return nextTime(schedule, own ?? timeZone, at - durationMs)
}
