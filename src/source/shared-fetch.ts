import { orAborted } from '../lib/or-aborted.js'
import type { Source } from './source.js'

interface Shared {
  readonly ended: Promise<void>
  readonly controller: AbortController
  waiting: number
}

/** How long a fetch goes on for nobody: a look that gives up is followed by the run that wants the same. */
const graceMs = 1_000

/**
 * Those who want the same state at the same time share one fetch and what comes of it, so that many stacks of a remote
 * that hangs wait once, not one after the other. Nobody's signal ends it for the others; when nobody waits any more it
 * is given up, so that it does not hold up the next.
 */
export function sharedFetch(source: Source): Source {
  const underWay = new Map<string, Shared>()
  const fetch: Source['fetch'] = async (remote, state, signal) => {
    const key = `${remote} ${state}`
    const shared = underWay.get(key) ?? begin(source, remote, state)
    const forget = (): void => void (underWay.get(key) === shared && underWay.delete(key))
    underWay.set(key, shared)
    shared.waiting++
    try {
      return await orAborted(shared.ended.finally(forget), signal)
    } finally {
      shared.waiting--
      if (shared.waiting === 0) setTimeout(() => giveUp(shared, forget), graceMs).unref()
    }
  }
  return {
    fetch,
    remoteOf: (spec, stack) => source.remoteOf(spec, stack),
    poll: (remote, refs, signal, onRead) => source.poll(remote, refs, signal, onRead),
    content: (remote, state, path, signal) => source.content(remote, state, path, signal),
    files: (remote, state, path, wanted, signal) => source.files(remote, state, path, wanted, signal),
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

function giveUp({ waiting, controller }: Shared, forget: () => void): void {
  if (waiting > 0) return
  forget()
  controller.abort(new Error('Nobody waits for this fetch any more.'))
}
