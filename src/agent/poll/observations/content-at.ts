// What a revision has below the paths of a stack, by its content ids.
import { abortAfter } from '../../../lib/async/abort-after.js'
import { joinSourceRevisions, revisionHash, sourceRevisions } from '../../../model/sources/revision.js'
import { sourceLocations, sourcePath } from '../../../model/sources/source-spec.js'
import type { ObservedRevision, Stack } from '../../../model/stacks/stack.js'
import type { Source } from '../../../source/source.js'

/** How long a poll waits for fetches to compare contents. */
const fetchMs = 2_000

/** Whether a state was fetched soon, by one fetch for a poll. */
export type IsFetched = (remote: string, state: string) => Promise<boolean>

export interface ContentDeps {
  /** Whose content ids are known. A source that is at the same state is not read again. */
  readonly known: (ObservedRevision & { readonly place?: string }) | null
  /** The polled one. */
  readonly remote: string
  readonly source: Pick<Source, 'remoteOf' | 'content'>
  readonly isFetched: IsFetched
  readonly signal: AbortSignal
}

/** Content ids at the path of each source, '' where the path is missing; undefined: a source was not fetched soon. */
export async function contentAt(
  { spec }: Pick<Stack, 'spec'>,
  revision: string,
  { known, remote, source, isFetched, signal }: ContentDeps,
): Promise<string | undefined> {
  const isSamePlace = known !== null && known.content !== '' && known.place === sourceLocations(spec)
  const states = isSamePlace ? sourceRevisions(known.revision).map(revisionHash) : []
  const ids = isSamePlace ? known.content.split(',') : []
  const contents: string[] = []
  for (const [at, state] of sourceRevisions(revision).map(revisionHash).entries()) {
    const one = spec.sources[at]!
    // Nearly every stack has one source, which is at the polled remote.
    const from = spec.sources.length === 1 ? remote : source.remoteOf(one, spec.name)
    const id = states[at] === state ? ids[at] : undefined
    if (id === undefined && !(await isFetched(from, state))) return undefined
    contents.push(id ?? (await source.content(from, state, sourcePath(one), signal)) ?? '')
  }
  return joinSourceRevisions(contents)
}

/** `isFetched` never fetches a state twice, and waits 2 s at most for all of them. Rejects only on abort. */
export function fetchSoon(source: Pick<Source, 'fetch'>, signal: AbortSignal): IsFetched {
  const fetches = new Map<string, Promise<boolean>>()
  let soon: AbortSignal | undefined
  return (remote, state) => {
    const key = `${remote} ${state}`
    const fetched =
      fetches.get(key) ??
      source.fetch(remote, state, (soon ??= abortAfter(fetchMs, signal))).then(
        () => true,
        () => (signal.throwIfAborted(), false),
      )
    fetches.set(key, fetched)
    return fetched
  }
}
