import type { PollDelay } from '../scheduler.js'

/** Why a look comes later than the interval says. */
export function pollDelayText(why: PollDelay): string {
  switch (why) {
    case 'stretched':
      return 'a webhook tells of its changes'
    case 'asked':
      return 'its host asked not to be asked before then (Retry-After)'
    case 'crashed':
      return 'the agent ended abnormally while it read it'
    case 'unreachable':
      return 'its host cannot be reached, and one look at a time tries it'
    case 'turn':
      return 'other looks at its host are before it (limits.pollsPerHost)'
  }
}
