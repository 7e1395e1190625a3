import type { Source } from '../../source/source.js'
import type { Tips } from '../../source/tips.js'

/** What a remote says may hold what it was told: no error leaves the source with a secret in it, so that none is stored, answered or logged. */
export function redactedSource(source: Source, redact: (text: string) => string): Source {
  const clean = cleaning(redact)
  return {
    remoteOf: (spec, stack) => source.remoteOf(spec, stack),
    look: async (...asked) => {
      const seen = await clean(source.look(...asked))
      for (const what of seen.values()) if (what instanceof Error) redacted(what, redact)
      return seen
    },
    fetch: (...asked) => clean(source.fetch(...asked)),
    content: (...asked) => clean(source.content(...asked)),
    files: (...asked) => clean(source.files(...asked)),
    keepOnly: (remotes) => source.keepOnly(remotes),
    watch: (remote, watching) => source.watch(remote, { ...watching, onError: (error) => watching.onError(redacted(error, redact)) }),
  }
}

/** The same of what is known of tips. */
export function redactedTips(tips: Tips, redact: (text: string) => string): Tips {
  const clean = cleaning(redact)
  return {
    describe: (...asked) => clean(tips.describe(...asked)),
    isForward: (...asked) => clean(tips.isForward(...asked)),
    promote: (...asked) => clean(tips.promote(...asked)),
  }
}

function cleaning(redact: (text: string) => string): <T>(work: Promise<T>) => Promise<T> {
  return (work) => work.catch((error: unknown) => Promise.reject(redacted(error, redact)))
}

/** The same error, its causes with it: who catches it decides by what it is. */
function redacted(error: unknown, redact: (text: string) => string): Error {
  for (let at = error; at instanceof Error; at = at.cause)
    for (const field of ['message', 'stack'] as const) {
      const value = redact(at[field] ?? '')
      if (value !== (at[field] ?? '')) Object.defineProperty(at, field, { value, configurable: true, writable: true })
    }
  return error instanceof Error ? error : new Error(redact(String(error)))
}
