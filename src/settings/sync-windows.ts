// Sync windows: when a stack may be written. Pure: decided from the windows and a moment.
import { withoutUndefined } from '../lib/without-undefined.js'
import type { SyncWindow } from '../model/stacks/stack.js'
import { nextTime, previousTime } from './schedule.js'

export interface WindowState {
  readonly isOpen: boolean
  /** When that changes, in milliseconds since the epoch; null: not in the next 500 window changes. */
  readonly until: number | null
  /** The `deny` window that closes it; absent: it is open, or no `allow` window is active. */
  readonly deniedBy?: SyncWindow
  /** When that window began, or the last `allow` window ended; absent: it is open, or none ever was. */
  readonly closedSince?: number
}

/** Beginnings and ends of windows that are computed ahead. */
const mostChanges = 500
const mostCached = 1_000
const dayMs = 86_400_000

/** Many stacks share windows whose state rarely changes, so it is cached. */
const cache = new Map<string, { readonly from: number; readonly state: WindowState }>()

/**
 * An active `deny` window closes the stack. If there are `allow` windows, one of them must be active. Without windows
 * it is always open. `timeZone`: of windows without their own.
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
 * The windows that also apply to manual commands. `allow` windows apply together: they exempt manual commands only if
 * all of them do.
 */
export function manualWindows(windows: readonly SyncWindow[]): readonly SyncWindow[] {
  const exempts = windows.filter(({ kind }) => kind === 'allow').every(({ manual }) => manual === 'allow')
  return windows.filter(({ kind, manual }) => (kind === 'deny' ? manual !== 'allow' : !exempts))
}

function stateAt(windows: readonly SyncWindow[], timeZone: string, now: number): WindowState {
  const { isOpen, denied: deniedBy } = evaluate(windows, timeZone, now)
  const until = nextToggle(isOpen, windows, timeZone, now)
  if (isOpen) return { isOpen, until }
  const closedSince =
    deniedBy === undefined ? lastEnd(windows, timeZone, now) : latestBeginning(deniedBy, timeZone, now)
  return { isOpen, until, ...withoutUndefined({ deniedBy, closedSince }) }
}

/** When the last `allow` window ended. None is active now. */
function lastEnd(windows: readonly SyncWindow[], timeZone: string, now: number): number | undefined {
  const ends = windows.flatMap(({ kind, schedule, durationMs, timeZone: own }) => {
    const began = kind === 'allow' ? previousTime(schedule, own ?? timeZone, now) : undefined
    return began === undefined ? [] : [began + durationMs]
  })
  return ends.length === 0 ? undefined : Math.max(...ends)
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

/** True from its beginning to the end of its duration. */
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
