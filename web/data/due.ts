// A poll or a drift check that finds no change makes no event, but what the page says about its time becomes untrue.
import { useEffect, useRef } from 'preact/hooks'
import { now } from '../lib/time.js'
import { live } from './events.js'
import type { Read } from './read.js'

/** What is due has happened by then. */
const graceMs = 2_000
/** Until a time that did not change is read again. */
const againMs = 30_000

/**
 * Reads again once one of the times has passed, and seldom after that; only while the agent is connected and the tab is
 * visible. `times`: RFC 3339; null: nothing is planned.
 */
export function useReadWhenDue(times: readonly (string | null | undefined)[], reads: readonly Read<unknown>[]): void {
  const { value: at } = now
  const isLive = live.value === 'live'
  const passed = times.filter((time) => typeof time === 'string' && at - Date.parse(time) > graceMs)
  const last = useRef({ passed, at: 0 })
  useEffect(() => {
    if (!isLive || document.hidden || passed.length === 0) return
    const isNew = passed.some((time) => !last.current.passed.includes(time))
    if (!isNew && at - last.current.at < againMs) return
    last.current = { passed, at }
    for (const read of reads) void read.again()
  }, [at, isLive, passed.join(' ')])
}
