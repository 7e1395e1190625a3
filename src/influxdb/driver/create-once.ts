// Creations whose answers are lost: a search comes before the next attempt.
import type { Clock } from '../../lib/clock.js'
import { Unavailable } from '../../model/errors.js'
import { mostPauseMs, pausesMs } from './server/api-client.js'
import { Conflict } from './server/api-errors.js'

/** How often a creation without an answer is tried. */
const mostCreations = 3

export interface Creation<T> {
  readonly make: () => Promise<T>
  /** What an earlier attempt made. */
  readonly find: () => Promise<T | undefined>
  readonly clock: Clock
}

/**
 * Creates a resource once. After a failure of which the effect is not known, it waits and searches; if there is
 * nothing, it tries again, except after a time limit: then the server may still be at work on the request. Errors:
 * those of `make` and `find`.
 */
export async function createOnce<T>({ make, find, clock }: Creation<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const made = await make()
      // An earlier attempt may have made one, too, which the search removes.
      return attempt === 1 ? made : ((await find()) ?? made)
    } catch (error) {
      const isLate = error instanceof Unavailable && error.code === 'influxdb/timeout'
      const isSearched = error instanceof Unavailable || (error instanceof Conflict && attempt > 1)
      if (!isSearched) throw error
      for (const pauseMs of isLate ? pausesMs : [pauseAfter(error, attempt)]) {
        await clock.sleep(pauseMs, signal)
        const found = await find()
        if (found !== undefined) return found
      }
      if (error instanceof Conflict || isLate || attempt === mostCreations) throw error
    }
  }
}

/** Errors: the given one if the server asks for a longer pause than a run waits. */
function pauseAfter(error: Unavailable | Conflict, attempt: number): number {
  const pauseMs = (error instanceof Unavailable ? error.retryAfterMs : undefined) ?? pausesMs[attempt - 1]!
  if (pauseMs > mostPauseMs) throw error
  return pauseMs
}
