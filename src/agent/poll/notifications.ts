// Somebody told of a change: the remote is looked at, and again shortly after while it does not show it. What was told
// never counts by itself.
import type { Channel } from '../../model/channel.js'
import type { Clock } from '../../lib/clock.js'
import { describeError } from '../../model/errors.js'
import { mayMatchRef, type Notification, type NotificationOutcome } from '../../model/notification.js'
import { hashDigits } from '../../model/revision.js'
import type { Run } from '../../model/run.js'
import { isMissingRef } from '../../source/found-ref.js'
import type { SourceRevision } from '../../source/source.js'
import type { Store } from '../../store/store.js'
import type { PolledRefs } from './channel-policies.js'
import type { PollOutcome } from './poll.js'
import { confirms } from './find-notification.js'

export interface NotificationsDeps {
  readonly store: Store
  readonly clock: Clock
  /** A look that begins after the call; undefined: nobody follows the remote. */
  readonly poll: (remote: string, signal: AbortSignal) => Promise<PollOutcome | undefined>
  readonly stop: AbortSignal
}

const firstPauseMs = 250
const patienceMs = 60_000
/** So many wait for another look at once; one more is looked for once. */
const mostWaiting = 1_000
/** Moves of a channel in which what was told is looked for. */
const movesKnown = 100

export class Notifications {
  readonly #deps: NotificationsDeps
  readonly #inProgress = new Map<string, Set<Notification>>()
  #waiting = 0

  constructor(deps: NotificationsDeps) {
    this.#deps = deps
  }

  /** What was told of a remote and is not settled yet. */
  of(remote: string): readonly Notification[] {
    return [...(this.#inProgress.get(remote) ?? [])]
  }

  /** Resolves when it was seen, or something that came later, at the latest after a minute. Never rejects. */
  async notify(remote: string, hint: Notification): Promise<NotificationOutcome> {
    const hints = this.#inProgress.get(remote) ?? new Set<Notification>()
    this.#inProgress.set(remote, hints.add(hint))
    try {
      return await this.#pollUntilSeen(remote, hint)
    } catch (error) {
      return this.#deps.stop.aborted
        ? { result: 'interrupted', runs: [] }
        : { result: 'failed', runs: [], why: describeError(error) }
    } finally {
      hints.delete(hint)
      if (hints.size === 0 && this.#inProgress.get(remote) === hints) this.#inProgress.delete(remote)
    }
  }

  async #pollUntilSeen(remote: string, hint: Notification): Promise<NotificationOutcome> {
    const { store, clock, poll, stop } = this.#deps
    const before = await store.channels.of(remote)
    if (isKnown(hint, before)) return { result: 'known', runs: [] }
    const until = clock.elapsed() + patienceMs
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const looked = await poll(remote, stop)
      if (looked === undefined) return { result: 'known', runs: [] }
      if ('failed' in looked) return { result: 'failed', runs: [], why: describeError(looked.failed) }
      const runs = looked.runs.filter((run) => isOf(hint, run))
      if (runs.length > 0 || hasMoved(hint, looked.seen, before)) return { result: 'moved', runs }
      if (possibleRefs(looked.seen, hint).length === 0) return { result: 'unfollowed', runs: [] }
      if (isThere(hint, looked.seen) || (await this.#wasThere(remote, hint, looked.seen)))
        return { result: 'known', runs: [] }
      if (clock.elapsed() + pauseMs > until || this.#waiting >= mostWaiting) return { result: 'unseen', runs: [] }
      await this.#pause(pauseMs)
    }
  }

  async #pause(ms: number): Promise<void> {
    this.#waiting++
    try {
      await this.#deps.clock.sleep(ms, this.#deps.stop)
    } finally {
      this.#waiting--
    }
  }

  /** What tells of moves may come in another order than they were made. */
  async #wasThere(remote: string, { ref: told, commit }: Notification, seen: PolledRefs): Promise<boolean> {
    if (commit == null) return false
    for (const ref of seen.keys()) {
      if (!mayMatchRef(ref, told)) continue
      const moves = await this.#deps.store.channels.moves(remote, ref, { limit: movesKnown })
      if (moves.some(({ to }) => to?.commit === commit || to?.object === commit)) return true
    }
    return false
  }
}

/** Every channel that may be meant was seen there already: whatever came since tells of itself. */
function isKnown({ ref: told, commit }: Notification, channels: ReadonlyMap<string, Channel>): boolean {
  const meant = [...channels.values()].filter(({ ref }) => mayMatchRef(ref, told))
  return (
    commit !== undefined &&
    meant.length > 0 &&
    meant.every(({ tip }) => (tip?.commit ?? null) === commit || (commit !== null && tip?.object === commit))
  )
}

function isThere(hint: Notification, seen: PolledRefs): boolean {
  return possibleRefs(seen, hint).some(([, what]) => confirms(hint, what))
}

/** Of what is followed: HEAD may be any branch until it was looked at. */
function possibleRefs(
  seen: PolledRefs,
  { ref: told }: Notification,
): readonly (readonly [string, SourceRevision | Error])[] {
  return [...seen].filter(
    ([ref, what]) =>
      mayMatchRef(ref, told) && (what instanceof Error || !isBranch(what.name) || mayMatchRef(what.name, told)),
  )
}

function isBranch(name: string): boolean {
  return name.startsWith('refs/heads/')
}

/** A ref that was told of is elsewhere than it was known to be. */
function hasMoved(hint: Notification, seen: PolledRefs, before: ReadonlyMap<string, Channel>): boolean {
  return possibleRefs(seen, hint).some(([ref, what]) => isElsewhere(what, before.get(ref)))
}

function isElsewhere(seen: SourceRevision | Error, before: Channel | undefined): boolean {
  const tip = before?.tip ?? undefined
  if (seen instanceof Error) return isMissingRef(seen) && tip !== undefined
  return seen.object !== undefined && (seen.object !== tip?.object || hashDigits(seen.state) !== tip.commit)
}

function isOf(hint: Notification, { cause }: Run): boolean {
  return cause.ref === undefined || mayMatchRef(cause.ref, hint.ref)
}
