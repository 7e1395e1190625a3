import { Refused, type RefusedStatus } from '../model/errors.js'
import { sameRevision } from '../model/revision.js'
import { holdsOf } from './holds.js'
import { failureOf, isHeld, type Situation } from './status.js'

/**
 * Why waiting for a stack is in vain: nothing is under way, and nothing goes on by itself. undefined: it may still get there.
 * `elsewhere`: a revision is waited for that is not there yet, which may free what is held or failed.
 */
export function blockedBy(situation: Situation, elsewhere: boolean): Refused | undefined {
  const { stack } = situation
  const status = stack.suspended === null ? statusOf(situation, elsewhere) : 'locked'
  const [hold] = status === undefined ? [] : holdsOf(situation).filter(({ reason }) => reason !== 'Pinned' || status === 'held')
  if (status === undefined || hold === undefined) return undefined
  return new Refused(status, `${stack.spec.name} does not become synced: ${hold.message}`, {
    code: `stacks/${hold.reason.toLowerCase()}`,
    hint: hold.next,
  })
}

function statusOf(situation: Situation, elsewhere: boolean): RefusedStatus | undefined {
  const { stack, last } = situation
  if (elsewhere || last?.outcome === null) return undefined
  if (stack.failure === null && situation.lookFailure !== undefined) return ofFailure(situation)
  const desired = stack.pinned?.revision ?? stack.observed?.revision
  if (last !== undefined && last.revision !== '' && !sameRevision(last.revision, desired)) return undefined
  return isHeld(situation) ? 'held' : ofFailure(situation)
}

/** What is tried again soon may still come right. */
function ofFailure(situation: Situation): RefusedStatus | undefined {
  const failure = failureOf(situation)
  if (failure === undefined || failure.retry === 'soon') return undefined
  const room = failure.code.split('/')[0]!
  if (failure.code === 'run/cancelled') return 'cancelled'
  if (failure.reason === 'Claimed') return 'held'
  return ofRoom[room] ?? 'failed'
}

const ofRoom: Readonly<Record<string, RefusedStatus>> = { source: 'source', platform: 'target', engine: 'target', plan: 'held' }
