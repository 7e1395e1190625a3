// Facts about moves: author, signature, and direction. Read after the runs were queued, and given
// up for a newer move.
import type { ChannelMove } from '../../../model/sources/channel.js'
import { describeError } from '../../../model/errors.js'
import type { Source } from '../../../source/source.js'
import type { Store } from '../../../store/store.js'
import type { Log } from '../../watch/log.js'
import type { Watch } from '../../watch/watch.js'
import type { CachedRefTips } from './cached-ref-tips.js'

export interface MoveFactsDeps {
  readonly store: Pick<Store, 'channels'>
  readonly source: Pick<Source, 'fetch'>
  readonly refTips: CachedRefTips
  readonly log: Log
  readonly events: Pick<Watch, 'moved'>
}

/** Moves of one remote whose facts are read. */
const most = 50

export class MoveFacts {
  readonly #deps: MoveFactsDeps
  readonly #remotes = new Map<
    string,
    { readonly controller: AbortController; readonly moves: readonly ChannelMove[] }
  >()

  constructor(deps: MoveFactsDeps) {
    this.#deps = deps
  }

  /**
   * Reads facts of new moves, and of earlier moves of the same remote that were not read yet. The earlier reading is
   * aborted: a remote that hangs must not block what a newer move needs. Never rejects.
   */
  async learn(remote: string, found: readonly ChannelMove[], signal: AbortSignal): Promise<void> {
    const before = this.#remotes.get(remote)
    before?.controller.abort(new Error('A newer move was found.'))
    const controller = new AbortController()
    let moves = [...found, ...(before?.moves ?? [])].slice(0, most)
    const both = AbortSignal.any([signal, controller.signal])
    for (const move of moves) {
      this.#remotes.set(remote, { controller, moves })
      await this.#learn(move, both)
      if (both.aborted) return
      moves = moves.filter((one) => one !== move)
    }
    this.#remotes.delete(remote)
  }

  async #learn(move: ChannelMove, signal: AbortSignal): Promise<void> {
    const { store, source, refTips, log, events } = this.#deps
    const { id, remote, ref, to, name } = move
    try {
      // Runs fetch released commits anyway; blocked ones are not fetched.
      if (move.state === 'released') await source.fetch(remote, `sha1:${to!.commit}`, signal)
      const facts = move.facts ?? (await refTips.facts(remote, { ...to!, name }, signal))
      const from = move.direction === null ? (await store.channels.releasedBefore(move))?.to?.commit : undefined
      const direction = from === undefined ? move.direction : await refTips.direction(remote, from, to!.commit, signal)
      await store.channels.learn(id, { facts, direction })
      events.moved({ ...move, facts, direction })
    } catch (error) {
      if (!signal.aborted) log.debug('cannot read tag metadata', { remote, ref, move: id, error: describeError(error) })
    }
  }
}
