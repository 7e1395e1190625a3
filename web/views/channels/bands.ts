// What the lanes show: which commit stacks were at, and moves that they did not follow.
import type { ChannelView, MoveView } from '../../data/types.js'

/** The time in which stacks were at a commit. Times are milliseconds since the epoch. */
export interface Band {
  readonly move: MoveView
  readonly from: number
  readonly to: number
  readonly isVetoed: boolean
  readonly isCurrent: boolean
}

/** The time in which a ref pointed to a commit that stacks do not follow. */
export interface Offer {
  readonly move: MoveView
  readonly from: number
  readonly to: number
}

/** `moves`: of the channel. */
export function bandsOf(moves: readonly MoveView[], now: number): readonly Band[] {
  const released = inOrder(moves).filter(({ releasedAt }) => releasedAt !== null)
  return released.flatMap((move, at): Band[] => {
    const next = released[at + 1]
    const end = next === undefined ? now : Date.parse(next.releasedAt!)
    const from = Date.parse(move.releasedAt!)
    const vetoed = move.decision?.kind === 'veto' ? move.decision : undefined
    const isVetoed = vetoed !== undefined
    if (vetoed === undefined) return [{ move, from, to: end, isVetoed, isCurrent: next === undefined }]
    const vetoedAt = Date.parse(vetoed.at)
    const before = released.slice(0, at).findLast(({ decision }) => decision?.kind !== 'veto')
    const back: readonly Band[] =
      before === undefined
        ? []
        : [{ move: before, from: vetoedAt, to: end, isVetoed: false, isCurrent: next === undefined }]
    return [{ move, from, to: vetoedAt, isVetoed, isCurrent: false }, ...back]
  })
}

export function offersOf({ pin }: ChannelView, moves: readonly MoveView[], now: number): readonly Offer[] {
  const all = inOrder(moves)
  return all.flatMap((move, at): Offer[] => {
    const from = Date.parse(move.observedAt)
    const next = all[at + 1]
    const end = next === undefined ? now : Date.parse(next.observedAt)
    if (move.state === 'waiting') return [{ move, from, to: move.until === null ? end : Date.parse(move.until) }]
    const isBlocked = move.state === 'blocked' || move.state === 'refused' || move.state === 'vetoed'
    return isBlocked || (pin !== null && move.releasedAt === null && move.state !== 'gone')
      ? [{ move, from, to: end }]
      : []
  })
}

function inOrder(moves: readonly MoveView[]): readonly MoveView[] {
  return [...moves].sort((a, b) => Number(a.id) - Number(b.id))
}
