// The eleven state words of a stack, with the worst first.
import type { StackRow } from '../../src/views/stack.js'

export type StateWord = StackRow['status']['state']

/** Also the names of icons and of CSS classes. */
export const stateKeys: Readonly<Record<StateWord, string>> = {
  Failed: 'failed',
  'Needs approval': 'approval',
  Running: 'running',
  Drifted: 'drifted',
  Degraded: 'degraded',
  Suspended: 'suspended',
  Unknown: 'unknown',
  Pinned: 'pinned',
  Waiting: 'waiting',
  Behind: 'behind',
  Synced: 'synced',
}

export const stateWords = Object.keys(stateKeys) as StateWord[]

/** States in which a person must act. */
export const needing: readonly StateWord[] = ['Failed', 'Needs approval', 'Drifted', 'Degraded']

/** How bad a state is: 0 is the worst. */
export const rankOf = (state: StateWord): number => stateWords.indexOf(state)

export const needsAttention = ({ status }: StackRow): boolean => needing.includes(status.state)
