// A notification about a change: polls the remote, and again until the remote shows the change. A notification by
// itself changes nothing.
import type { Channel } from '../../model/sources/channel.js'
import type { Clock } from '../../lib/clock.js'
import { describeError } from '../../model/errors.js'
import { mayMatchRef, type Notification, type NotificationOutcome } from '../../model/agent/notification.js'
import { hashDigits } from '../../model/sources/revision.js'
import type { Run } from '../../model/stacks/run.js'
import { isMissingRef } from '../../source/found-ref.js'
import type { SourceRevision } from '../../source/source.js'
import type { Store } from '../../store/store.js'
import type { PolledRefs } from './channels/channel-policies.js'
import type { PollOutcome } from './poll.js'
import { confirms } from './observations/find-notification.js'

export interface NotificationsDeps {
  readonly store: Store
  readonly clock: Clock
  /** A poll that begins after the call; undefined: no stack follows the remote. */
  readonly poll: (remote: string, signal: AbortSignal) => Promise<PollOutcome | undefined>
  readonly stop: AbortSignal
}

const firstPauseMs = 250
const patienceMs = 60_000
/** Notifications that wait for another poll; further ones have a single poll. */
const mostWaiting = 1_000
/** The newest moves of a channel, in which a late notification is searched. */
const movesKnown = 100

export class Notifications {
  readonly #deps: NotificationsDeps
  readonly #inProgress = new Map<string, Set<Notification>>()
  readonly #doubted = new WeakSet<Notification>()
  #waiting = 0

  constructor(deps: NotificationsDeps) {
    this.#deps = deps
  }

  /** Notifications about a remote that are in progress. */
  of(remote: string): readonly Notification[] {
    return [...(this.#inProgress.get(remote) ?? [])]
  }

  /** These webhooks were removed or changed: their notifications in progress prove nothing. */
  doubtWebhooks(names: ReadonlySet<string>): void {
    for (const some of this.#inProgress.values())
      for (const one of some) if (one.hook !== undefined && names.has(one.hook)) this.#doubted.add(one)
  }

  /** The webhook that reported a change by one of these notifications; undefined: none, or it was removed since. */
  webhookOf(notifications: readonly Notification[]): string | undefined {
    return notifications.find((one) => one.hook !== undefined && !this.#doubted.has(one))?.hook
  }

  /** Resolves when a poll finds the change, or a later one, or after a minute. Never rejects. */
  async notify(remote: string, notification: Notification): Promise<NotificationOutcome> {
    const others = this.#inProgress.get(remote) ?? new Set<Notification>()
    this.#inProgress.set(remote, others.add(notification))
    try {
      return await this.#pollUntilSeen(remote, notification)
    } catch (error) {
      return this.#deps.stop.aborted
        ? { result: 'interrupted', runs: [] }
        : { result: 'failed', runs: [], why: describeError(error) }
    } finally {
      others.delete(notification)
      if (others.size === 0 && this.#inProgress.get(remote) === others) this.#inProgress.delete(remote)
    }
  }

  async #pollUntilSeen(remote: string, notification: Notification): Promise<NotificationOutcome> {
    const { store, clock, poll, stop } = this.#deps
    const before = await store.channels.of(remote)
    if (isKnown(notification, before)) return { result: 'known', runs: [] }
    const until = clock.elapsed() + patienceMs
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const outcome = await poll(remote, stop)
      if (outcome === undefined) return { result: 'known', runs: [] }
      if ('failed' in outcome) return { result: 'failed', runs: [], why: describeError(outcome.failed) }
      const { polled } = outcome
      const runs = outcome.runs.filter((run) => isOf(notification, run))
      if (runs.length > 0 || hasMoved(notification, polled, before)) return { result: 'moved', runs }
      if (possibleRefs(polled, notification).length === 0) return { result: 'unfollowed', runs: [] }
      if (isThere(notification, polled) || (await this.#wasThere(remote, notification, polled)))
        return { result: 'known', runs: [] }
      if (clock.elapsed() + pauseMs > until || this.#waiting >= mostWaiting) return { result: 'not-visible', runs: [] }
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

  /** Notifications may arrive in another order than the moves that they are about. */
  async #wasThere(remote: string, { ref: notified, commit }: Notification, polled: PolledRefs): Promise<boolean> {
    if (commit == null) return false
    for (const ref of polled.keys()) {
      if (!mayMatchRef(ref, notified)) continue
      const moves = await this.#deps.store.channels.moves(remote, ref, { limit: movesKnown })
      if (moves.some(({ to }) => to?.commit === commit || to?.object === commit)) return true
    }
    return false
  }
}

/** True if a poll found the change before in each channel that it may be about. */
function isKnown({ ref: notified, commit }: Notification, channels: ReadonlyMap<string, Channel>): boolean {
  const possible = [...channels.values()].filter(({ ref }) => mayMatchRef(ref, notified))
  return (
    commit !== undefined &&
    possible.length > 0 &&
    possible.every(({ tip }) => (tip?.commit ?? null) === commit || (commit !== null && tip?.object === commit))
  )
}

function isThere(notification: Notification, polled: PolledRefs): boolean {
  return possibleRefs(polled, notification).some(([, revision]) => confirms(notification, revision))
}

/** Polled refs that the notification may be about. HEAD may be any branch until it is polled. */
function possibleRefs(
  polled: PolledRefs,
  { ref: notified }: Notification,
): readonly (readonly [string, SourceRevision | Error])[] {
  return [...polled].filter(
    ([ref, one]) =>
      mayMatchRef(ref, notified) && (one instanceof Error || !isBranch(one.name) || mayMatchRef(one.name, notified)),
  )
}

function isBranch(name: string): boolean {
  return name.startsWith('refs/heads/')
}

/** True if one of the refs moved since the last poll. */
function hasMoved(notification: Notification, polled: PolledRefs, before: ReadonlyMap<string, Channel>): boolean {
  return possibleRefs(polled, notification).some(([ref, revision]) => isElsewhere(revision, before.get(ref)))
}

function isElsewhere(polled: SourceRevision | Error, before: Channel | undefined): boolean {
  const tip = before?.tip ?? undefined
  if (polled instanceof Error) return isMissingRef(polled) && tip !== undefined
  return polled.object !== undefined && (polled.object !== tip?.object || hashDigits(polled.state) !== tip.commit)
}

function isOf(notification: Notification, { cause }: Run): boolean {
  return cause.ref === undefined || mayMatchRef(cause.ref, notification.ref)
}
