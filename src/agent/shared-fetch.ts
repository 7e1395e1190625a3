import { orAborted } from '../model/or-aborted.js'
import type { Source } from '../source/source.js'

/** Those who want the same commit at the same time share one fetch and what comes of it, so that many stacks of a remote that hangs wait once, not one after the other. */
export function sharedFetch(source: Source): Source {
  const underWay = new Map<string, Promise<void>>()
  const fetch: Source['fetch'] = (remote, commit, signal) => {
    const key = `${remote} ${commit}`
    let shared = underWay.get(key)
    if (shared === undefined) {
      // Nobody's signal ends it for the others; its own limits do.
      shared = source.fetch(remote, commit, new AbortController().signal).finally(() => underWay.delete(key))
      shared.catch(() => {})
      underWay.set(key, shared)
    }
    return orAborted(shared, signal)
  }
  return {
    fetch,
    normalise: (url) => source.normalise(url),
    look: (remote, refs, signal) => source.look(remote, refs, signal),
    content: (remote, commit, path) => source.content(remote, commit, path),
    files: (remote, commit, path, wanted, signal) => source.files(remote, commit, path, wanted, signal),
  }
}
