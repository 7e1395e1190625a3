// Somebody told of a change: the remote is looked at, and again shortly after while it does not show it. What was told
// never counts by itself.
import type { Channel } from '../../model/channel.js'
import type { Clock } from '../../model/clock.js'
import { describeError } from '../../model/errors.js'
import { mayMean, type Hint, type HintOutcome } from '../../model/hint.js'
import { digitsOf } from '../../model/revision.js'
import type { Run } from '../../model/run.js'
import { isMissing } from '../../source/seen-ref.js'
import type { Resolved } from '../../source/source.js'
import type { Store } from '../../store/store.js'
import type { Looked } from './channel-gate.js'
import type { LookOutcome } from './poller.js'
import { isAt } from './told-by.js'

export interface HintsDeps {
  readonly store: Store
  readonly clock: Clock
  /** A look that begins after the call; undefined: nobody follows the remote. */
  readonly look: (remote: string, signal: AbortSignal) => Promise<LookOutcome | undefined>
  readonly stop: AbortSignal
}

const firstPauseMs = 250
const patienceMs = 60_000
/** So many wait for another look at once; one more is looked for once. */
const mostWaiting = 1_000
/** Moves of a channel in which what was told is looked for. */
const movesKnown = 100

export class Hints {
  readonly #deps: HintsDeps
  readonly #inHand = new Map<string, Set<Hint>>()
  #waiting = 0

  constructor(deps: HintsDeps) {
    this.#deps = deps
  }

  /** What was told of a remote and is not settled yet. */
  of(remote: string): readonly Hint[] {
    return [...(this.#inHand.get(remote) ?? [])]
  }

  /** Resolves when it was seen, or something that came later, at the latest after a minute. Never rejects. */
  async hint(remote: string, hint: Hint): Promise<HintOutcome> {
    const hints = this.#inHand.get(remote) ?? new Set<Hint>()
    this.#inHand.set(remote, hints.add(hint))
    try {
      return await this.#lookFor(remote, hint)
    } catch (error) {
      return this.#deps.stop.aborted
        ? { result: 'interrupted', runs: [] }
        : { result: 'failed', runs: [], why: describeError(error) }
    } finally {
      hints.delete(hint)
      if (hints.size === 0 && this.#inHand.get(remote) === hints) this.#inHand.delete(remote)
    }
  }

  async #lookFor(remote: string, hint: Hint): Promise<HintOutcome> {
    const { store, clock, look, stop } = this.#deps
    const before = await store.channels.of(remote)
    if (isKnown(hint, before)) return { result: 'known', runs: [] }
    const until = clock.elapsed() + patienceMs
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const looked = await look(remote, stop)
      if (looked === undefined) return { result: 'known', runs: [] }
      if ('failed' in looked) return { result: 'failed', runs: [], why: describeError(looked.failed) }
      const runs = looked.runs.filter((run) => isOf(hint, run))
      if (runs.length > 0 || hasMoved(hint, looked.seen, before)) return { result: 'moved', runs }
      if (meantIn(looked.seen, hint).length === 0) return { result: 'unfollowed', runs: [] }
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
  async #wasThere(remote: string, { ref: told, commit }: Hint, seen: Looked): Promise<boolean> {
    if (commit == null) return false
    for (const ref of seen.keys()) {
      if (!mayMean(ref, told)) continue
      const moves = await this.#deps.store.channels.moves(remote, ref, { limit: movesKnown })
      if (moves.some(({ to }) => to?.commit === commit || to?.object === commit)) return true
    }
    return false
  }
}

/** Every channel that may be meant was seen there already: whatever came since tells of itself. */
function isKnown({ ref: told, commit }: Hint, channels: ReadonlyMap<string, Channel>): boolean {
  const meant = [...channels.values()].filter(({ ref }) => mayMean(ref, told))
  return (
    commit !== undefined &&
    meant.length > 0 &&
    meant.every(({ tip }) => (tip?.commit ?? null) === commit || (commit !== null && tip?.object === commit))
  )
}

function isThere(hint: Hint, seen: Looked): boolean {
  return meantIn(seen, hint).some(([, what]) => isAt(hint, what))
}

/** Of what is followed: HEAD may be any branch until it was looked at. */
function meantIn(seen: Looked, { ref: told }: Hint): readonly (readonly [string, Resolved | Error])[] {
  return [...seen].filter(
    ([ref, what]) => mayMean(ref, told) && (what instanceof Error || !isBranch(what.name) || mayMean(what.name, told)),
  )
}

function isBranch(name: string): boolean {
  return name.startsWith('refs/heads/')
}

/** A ref that was told of is elsewhere than it was known to be. */
function hasMoved(hint: Hint, seen: Looked, before: ReadonlyMap<string, Channel>): boolean {
  return meantIn(seen, hint).some(([ref, what]) => isElsewhere(what, before.get(ref)))
}

function isElsewhere(seen: Resolved | Error, before: Channel | undefined): boolean {
  const tip = before?.tip ?? undefined
  if (seen instanceof Error) return isMissing(seen) && tip !== undefined
  return seen.object !== undefined && (seen.object !== tip?.object || digitsOf(seen.state) !== tip.commit)
}

function isOf(hint: Hint, { cause }: Run): boolean {
  return cause.ref === undefined || mayMean(cause.ref, hint.ref)
}
