// Checks the promises of channels at every transaction that changes one: every move is a row, what is released
// obeys the policy, and stacks are offered that and nothing else.
import { followedTip, type Channel, type ChannelChange, type ChannelMove } from '../../src/model/sources/channel.js'
import type { Clock } from '../../src/lib/clock.js'
import { hashDigits } from '../../src/model/sources/revision.js'
import { releaseAtOnce, policyOf, type ChannelPolicy } from '../../src/channel/channel-policy.js'
import type { StackObservation } from '../../src/store/run-table.js'
import type { Store } from '../../src/store/store.js'
import type { History } from './history.js'
import type { Model } from './model.js'

interface Deps {
  readonly store: Store
  readonly history: History
  readonly model: Model
  readonly clock: Clock
  /** The ref that a stack follows, by its id. */
  readonly refOf: (stack: string) => Promise<string>
  readonly violated: (what: string) => void
}

export class ChannelWatch {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Just before it is stored. */
  async before(observations: readonly StackObservation[], changes: readonly ChannelChange[]): Promise<void> {
    const { store, model, violated, refOf } = this.#deps
    const channels = new Map((await store.channels.list({ limit: 500 })).map((channel) => [channel.ref, channel]))
    for (const change of changes) {
      const { ref } = change.channel
      await this.#change(channels.get(ref), change)
      channels.set(ref, change.channel)
      model.offer(ref, followedTip(change.channel)?.commit)
      for (const move of change.moves) model.decided(move)
    }
    for (const { stack, revision } of observations) {
      const ref = await refOf(stack)
      const offered = followedTip(channels.get(ref)!)?.commit
      if (hashDigits(revision) !== offered)
        violated(`a stack is offered ${revision}, and ${offered} of ${ref} is released`)
    }
  }

  async #change(before: Channel | undefined, { channel: after, moves, decision }: ChannelChange): Promise<void> {
    const { history, violated } = this.#deps
    const made = moves.filter(({ id, state }) => id === '' && state !== 'superseded')
    const [from, to] = [before?.tip?.commit, after.tip?.commit]
    if (from !== to && made.length !== 1)
      violated(`${after.ref} went from ${from} to ${to}, and ${made.length} moves say so (promise 1)`)
    for (const move of made)
      if (move.from?.commit !== from || move.to?.commit !== to)
        violated(`a move says that ${after.ref} went from ${move.from?.commit} to ${move.to?.commit}`)
    if (to !== undefined && !history.commits.some(({ id }) => id === to)) violated(`nobody ever pushed ${to}`)
    const released = after.released?.to?.commit
    if (released === undefined || released === before?.released?.to?.commit) return
    if (decision?.kind === 'veto') {
      if (after.move?.state === 'vetoed' && after.move.to?.commit === released)
        violated(`${released} is vetoed, and released`)
      return
    }
    const isVetoed = before?.move?.state === 'vetoed' && before.move.to?.commit === to && decision?.kind !== 'approve'
    const why = isVetoed
      ? 'it is vetoed'
      : before === undefined
        ? undefined
        : await whyHeldBack({ ...before, pin: after.pin }, after.move!, this.#deps)
    if (released !== to || why !== undefined)
      violated(`${released} of ${after.ref} is released, though ${why ?? `the ref leads to ${to}`}`)
  }
}

/** What the policy says against releasing the newest move. undefined: nothing. */
export async function whyHeldBack(
  { remote, ref, pin, released }: Channel,
  { to, name, seenAt, decision }: ChannelMove,
  { store, history, model, clock }: Pick<Deps, 'store' | 'history' | 'model' | 'clock'>,
): Promise<string | undefined> {
  const { moves, minAgeMs, movesPerHour } = policyOf(model.policies, { remote, ref, name })
  if (pin !== null) return 'it is pinned'
  if (released?.to == null || released.to.commit === to?.commit) return undefined
  const isForward = history.isForward(released.to.commit, to!.commit)
  if (moves === 'forward-only' && !isForward) return 'it does not go forward'
  if (decision?.kind === 'approve') return undefined
  if (moves === 'approve-back' && !isForward) return 'nobody approved that it goes back'
  if (clock.now() - seenAt < minAgeMs) return 'it is too young'
  const hourAgo = clock.now() - 3_600_000
  const lately = (await store.channels.moves(remote, ref, { limit: 500 })).filter(
    ({ releasedAt }) => releasedAt !== null && releasedAt > hourAgo,
  )
  return movesPerHour !== undefined && lately.length >= movesPerHour ? 'there were too many in an hour' : undefined
}

/** Policies that a configuration file may declare for what stacks follow here. */
export function randomPolicies(dice: {
  chance(percent: number): boolean
  pick<T>(list: readonly T[]): T
}): readonly ChannelPolicy[] {
  if (dice.chance(40)) return []
  const movesPerHour = dice.pick([undefined, undefined, 1, 2])
  return [
    {
      ...releaseAtOnce,
      ...(dice.chance(70) ? { ref: 'stable' } : {}),
      moves: dice.pick(['any', 'approve-back', 'forward-only'] as const),
      minAgeMs: dice.pick([0, 0, 60_000, 600_000]),
      ...(movesPerHour === undefined ? {} : { movesPerHour }),
    },
  ]
}
