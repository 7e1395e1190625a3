import type { PollDelay } from '../scheduler.js'

/** Why a poll is later than the interval says. */
export function pollDelayText(why: PollDelay): string {
  switch (why) {
    case 'webhook':
      return 'a webhook reports the changes'
    case 'retry-after':
      return 'the server asked for a pause (Retry-After)'
    case 'crashed':
      return 'the agent crashed while it read the remote'
    case 'unreachable':
      return 'the host is unreachable, and one poll at a time tries it'
    case 'throttled':
      return 'polls of the host are throttled (limits.pollsPerHost)'
  }
}
