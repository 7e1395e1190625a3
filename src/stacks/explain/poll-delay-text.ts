import type { PollDelay } from '../scheduler.js'

/** Why a poll is later than the interval says. */
export function pollDelayText(why: PollDelay): string {
  switch (why) {
    case 'webhook':
      return 'a webhook reports its changes'
    case 'retry-after':
      return 'its host asked not to be asked before then (Retry-After)'
    case 'crashed':
      return 'the agent crashed while it read it'
    case 'unreachable':
      return 'its host cannot be reached, and one look at a time tries it'
    case 'throttled':
      return 'other looks at its host are before it (limits.pollsPerHost)'
  }
}
