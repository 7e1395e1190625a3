import { Unavailable } from '../../model/errors.js'
import type { Source } from '../../source/source.js'

/** Reports every error that may say how long to leave a remote alone, whatever was asked of it. */
export function withRetryAfter(source: Source, onUnavailable: (remote: string, error: Unavailable) => void): Source {
  const heed = async <T>(remote: string, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof Unavailable) onUnavailable(remote, error)
      throw error
    }
  }
  return {
    remoteOf: (spec, stack) => source.remoteOf(spec, stack),
    poll: (...asked) => heed(asked[0], source.poll(...asked)),
    fetch: (...asked) => heed(asked[0], source.fetch(...asked)),
    content: (...asked) => heed(asked[0], source.content(...asked)),
    files: (...asked) => heed(asked[0], source.files(...asked)),
    keepOnly: (remotes) => source.keepOnly(remotes),
    watch: (remote, watching) => source.watch(remote, watching),
  }
}
