import { Refused, type RefusedStatus } from '../model/errors.js'
import { sameRevision } from '../model/revision.js'
import { awaitsPackage } from '../model/stack.js'
import { heldBackCode, type HeldBack } from './channel-holds.js'
import { holdsOf } from './holds.js'
import { revisionMatches } from './revision-match.js'
import { failureOf, isHeld, type Situation } from './status.js'

/**
 * Why waiting for a stack is in vain: nothing is under way, and nothing goes on by itself. undefined: it may still get
 * there. `elsewhere`: a revision is waited for that is not there yet, which may free what is held or failed.
 */
export function blockedBy(situation: Situation, elsewhere: boolean): Refused | undefined {
  const { stack } = situation
  const status = stack.suspended === null ? statusOf(situation, elsewhere) : 'locked'
  const holds = status === undefined ? [] : holdsOf(situation)
  const hold = holds.find(({ reason }) => !passive.has(reason)) ?? holds[0]
  if (status === undefined || hold === undefined) return undefined
  return new Refused(status, `${stack.spec.name} does not become synced: ${hold.message}`, {
    code: `stacks/${hold.reason.toLowerCase()}`,
    hint: hold.next,
  })
}

/**
 * The same where what is waited for (`revision`; absent: anything at all) is held back by a channel, and no time lets
 * it go.
 */
export function heldBackBy({ stack, heldBack }: Situation, revision: string | undefined): Refused | undefined {
  const isMeant = ({ commit }: HeldBack): boolean =>
    revision === undefined ? stack.observed === null : commit !== null && revisionMatches(commit, revision)
  const hold = heldBack.find((one) => one.reason !== 'MoveWaiting' && isMeant(one))
  if (hold === undefined) return undefined
  return new Refused('held', `${stack.spec.name} does not become synced: ${hold.message}`, {
    code: heldBackCode,
    hint: hold.next,
  })
}

/** What holds a stack as it is, but is not why it does not become synced where there is something else. */
const passive = new Set(['Pinned', 'Drifted', 'ChannelPinned', 'MoveWaiting', 'MoveHeld', 'MoveRefused', 'MoveVetoed'])

function statusOf(situation: Situation, elsewhere: boolean): RefusedStatus | undefined {
  const { stack, last } = situation
  if (elsewhere || last?.outcome === null) return undefined
  if (stack.failure === null && situation.lookFailure !== undefined) return ofFailure(situation)
  if (stack.failure === null && awaitsPackage(stack)) return 'source'
  const desired = stack.pinned?.revision ?? stack.observed?.revision
  if (last !== undefined && last.revision !== '' && !sameRevision(last.revision, desired)) return undefined
  if (isHeld(situation) || staysAsItIs(situation)) return 'held'
  return ofFailure(situation)
}

/** What it is pinned to is applied, though its ref shows something else; or what drifted is only reported. */
function staysAsItIs(situation: Situation): boolean {
  const { applied, observed, pinned, drifted, spec } = situation.stack
  if (failureOf(situation) !== undefined || applied === null) return false
  if (sameRevision(applied.revision, observed?.revision)) return drifted > 0 && spec.drift === 'report'
  return pinned !== null && sameRevision(applied.revision, pinned.revision)
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

const ofRoom: Readonly<Record<string, RefusedStatus>> = {
  source: 'source',
  platform: 'target',
  engine: 'target',
  plan: 'held',
}
