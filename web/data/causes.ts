// Why runs were queued, and how they ended, in words.
import type { RunRow } from './types.js'
import { shortRevision } from '../lib/text.js'

export interface CauseText {
  /** Of an icon. */
  readonly icon: string
  readonly text: string
  /** The reason that a person gave; empty: none. */
  readonly note: string
}

/** The owner of a run that no person requested. */
function personOf(by: string | undefined): string {
  if (by === undefined || by === '' || by === 'file') return 'the configuration file'
  return by.startsWith('fleet:') ? `the fleet ${by.slice(6)}` : by
}

export function causeOf({ cause }: Pick<RunRow, 'cause'>): CauseText {
  const { kind, ref = '', from, to, by, note = '' } = cause
  const commit = to === undefined ? '' : shortCommit(to)
  const before = from === undefined ? '' : shortCommit(from)
  switch (kind) {
    case 'created':
      return { icon: 'new', text: `Created by ${personOf(by)}`, note }
    case 'commit':
      return { icon: 'move', text: `${ref} has a new commit ${commit}`, note }
    case 'tag-moved':
      return {
        icon: 'move',
        text: by === undefined ? `${ref} moved ${before} → ${commit}` : `${by} promoted ${ref} ${before} → ${commit}`,
        note,
      }
    case 'directory-changed':
      return { icon: 'move', text: 'The directory changed', note }
    case 'url-changed':
      return { icon: 'move', text: 'The file changed', note }
    case 'schedule':
      return { icon: 'waiting', text: 'Scheduled', note }
    case 'drift':
      return { icon: 'drift', text: 'Correction of drift', note }
    case 'person':
      return {
        icon: 'person',
        text: note === '' ? `Requested by ${personOf(by)}` : `${personOf(by)}: ${note}`,
        note: '',
      }
    case 'retry':
      return { icon: 'retry', text: 'Retry', note }
    case 'recovery':
      return { icon: 'retry', text: 'Recovery after an interruption', note }
  }
}

/** `2989734` of a commit or of a revision. */
function shortCommit(text: string): string {
  return /^[0-9a-f]{40}$/.test(text) ? text.slice(0, 7) : shortRevision(text)
}

/** The state whose colour and shape an outcome has, and its words. */
const outcomes: Readonly<Record<string, readonly [state: string, word: string]>> = {
  applied: ['synced', 'applied'],
  unchanged: ['synced', 'no changes'],
  'needs-approval': ['approval', 'needs approval'],
  failed: ['failed', 'failed'],
  undone: ['failed', 'failed, reverted'],
  superseded: ['suspended', 'superseded'],
  cancelled: ['suspended', 'cancelled'],
  interrupted: ['failed', 'interrupted'],
}

export function outcomeOf({
  outcome,
  phase,
  revision,
}: Pick<RunRow, 'outcome' | 'phase' | 'revision'>): readonly [state: string, word: string] {
  if (outcome === null) return ['running', phase]
  if (outcome === 'unchanged' && revision === '') return ['synced', 'recorded'] // a change of the stack itself
  return outcomes[outcome] ?? ['unknown', outcome]
}
