// What views read, and when they read it again: after an event that concerns it, and after events were missed.
import { signal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call, CallError } from './call.js'
import { onEvents, type Changes } from './events.js'
import { now } from '../lib/time.js'

export interface Read<T> {
  readonly data: Signal<T | undefined>
  readonly error: Signal<CallError | undefined>
  /** When `data` arrived: milliseconds since the epoch; 0: never. */
  readonly readAt: Signal<number>
  /** Reads it now. Does not throw. */
  readonly again: () => Promise<void>
}

interface Entry extends Read<unknown> {
  viewers: number
  concerns: (changes: Changes) => boolean
  retry: ReturnType<typeof setTimeout> | undefined
  /** A read is in progress; `again`: it must be repeated after it. */
  state: 'idle' | 'reading' | 'again'
}

/** The last used ones; those that no view shows are dropped over the limit. */
const entries = new Map<string, Entry>()
const mostEntries = 60
export const retryMs = 5_000

const always = (): boolean => true

/**
 * The answer of GET /api/v1/PATH, shared by all that show it. `concerns`: which changes make it old. An undefined path
 * reads nothing.
 */
export function useRead<T>(path: string | undefined, concerns: (changes: Changes) => boolean = always): Read<T> {
  const entry = path === undefined ? nothing : entryOf(path, concerns)
  useEffect(() => {
    if (path === undefined) return
    entry.viewers++
    if (!entries.has(path)) entries.set(path, entry) // dropped since it was rendered
    if (entry.state === 'idle') void entry.again()
    return () => {
      entry.viewers--
      clearTimeout(entry.retry)
    }
  }, [entry])
  return entry as Read<T>
}

const nothing: Entry = {
  data: signal(),
  error: signal(),
  readAt: signal(0),
  again: async () => {},
  viewers: 0,
  concerns: () => false,
  retry: undefined,
  state: 'idle',
}

function entryOf(path: string, concerns: Entry['concerns']): Entry {
  const found = entries.get(path)
  if (found !== undefined) {
    entries.delete(path)
    entries.set(path, found)
    return found
  }
  const entry: Entry = {
    data: signal(),
    error: signal(),
    readAt: signal(0),
    again: () => read(path, entry),
    viewers: 0,
    concerns,
    retry: undefined,
    state: 'idle',
  }
  entries.set(path, entry)
  for (const [key, { viewers }] of entries) if (entries.size > mostEntries && viewers === 0) entries.delete(key)
  return entry
}

async function read(path: string, entry: Entry): Promise<void> {
  if (entry.state !== 'idle') return void (entry.state = 'again')
  clearTimeout(entry.retry)
  do {
    entry.state = 'reading'
    await readOnce(path, entry)
  } while ((entry.state as Entry['state']) === 'again')
  entry.state = 'idle'
}

async function readOnce(path: string, entry: Entry): Promise<void> {
  try {
    entry.data.value = await call('GET', path)
    entry.readAt.value = now.peek()
    entry.error.value = undefined
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    entry.error.value = error
    if (error.isPassing && entry.viewers > 0) entry.retry = setTimeout(() => void entry.again(), retryMs)
  }
}

/** Replaces an answer by one that a write gave. */
export function replaceRead(path: string, data: unknown): void {
  const entry = entries.get(path)
  if (entry !== undefined) entry.data.value = data
}

onEvents((changes) => {
  for (const entry of entries.values()) {
    if (!entry.concerns(changes)) continue
    // A view may have rendered it already, and become its viewer later.
    if (entry.viewers > 0 || entry.state !== 'idle') void entry.again()
    else entry.data.value = undefined
  }
})
