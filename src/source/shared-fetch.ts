import { orAborted } from '../lib/async/or-aborted.js'
import type { Source } from './source.js'

interface Shared {
  readonly ended: Promise<void>
  readonly controller: AbortController
  waiting: number
}

/** A fetch without callers continues for this long: after a poll gave up, a run often needs the same state. */
const graceMs = 1_000

/**
 * Concurrent fetches of the same state share one fetch and its result. So stacks of a remote that hangs wait once, not
 * one after the other. The signal of one caller does not abort the fetch for the others. Without callers it is aborted,
 * so it does not block the next fetch.
 */
export function sharedFetch(source: Source): Source {
  const underWay = new Map<string, Shared>()
  const fetch: Source['fetch'] = async (remote, state, signal) => {
    const key = `${remote} ${state}`
    const shared = underWay.get(key) ?? begin(source, remote, state)
    const remove = (): void => void (underWay.get(key) === shared && underWay.delete(key))
    underWay.set(key, shared)
    shared.waiting++
    try {
      return await orAborted(shared.ended.finally(remove), signal)
    } finally {
      shared.waiting--
      if (shared.waiting === 0) setTimeout(() => giveUp(shared, remove), graceMs).unref()
    }
  }
  return {
    fetch,
    remoteOf: (spec, stack) => source.remoteOf(spec, stack),
    poll: (remote, refs, signal, onRead) => source.poll(remote, refs, signal, onRead),
    content: (remote, state, path, signal) => source.content(remote, state, path, signal),
    files: (remote, state, path, isIncluded, signal) => source.files(remote, state, path, isIncluded, signal),
    keepOnly: (remotes) => source.keepOnly(remotes),
    watch: (remote, watching) => source.watch(remote, watching),
  }
}

function begin(source: Source, remote: string, state: string): Shared {
  const controller = new AbortController()
  const ended = source.fetch(remote, state, controller.signal)
  ended.catch(() => {})
  return { ended, controller, waiting: 0 }
}

function giveUp({ waiting, controller }: Shared, remove: () => void): void {
  if (waiting > 0) return
  remove()
  controller.abort(new Error('No caller waits for this fetch.'))
}
