// Settles runs for revisions in which nothing below the stack's paths changed, without running them; for all stacks of
// a remote at once.
import { abortAfter } from '../../../lib/async/abort-after.js'
import { joinSourceRevisions, sourceRevisions, sameRevision, revisionHash } from '../../../model/sources/revision.js'
import type { Cause, Run } from '../../../model/stacks/run.js'
import { sourcePath, sourceLocations } from '../../../model/sources/source-spec.js'
import type { Stack } from '../../../model/stacks/stack.js'
import type { Source } from '../../../source/source.js'
import { settingsDigest } from '../../../stacks/sync.js'
import type { ComparedRun } from '../../../store/run-table.js'
import type { Store } from '../../../store/store.js'

/** How long a poll waits for fetches to compare contents. */
const fetchMs = 2_000

/**
 * Whether a state was fetched soon. Otherwise the runs fetch it, and report why they cannot: the next poll does not
 * wait.
 */
type IsFetched = (remote: string, state: string) => Promise<boolean>

/**
 * `open`: the runs that remain; `settled`: the number of settled runs; `freed`: settled runs of stacks for which
 * nothing was due any more. `remote`: the polled one.
 */
export async function settleUnchanged(
  runs: readonly Run[],
  {
    remote,
    stacks,
    source,
    store,
    queue,
  }: {
    readonly remote: string
    readonly stacks: ReadonlyMap<string, Stack>
    readonly source: Source
    readonly store: Store
    readonly queue: { isBusy(stack: string): boolean }
  },
  signal: AbortSignal,
): Promise<{ readonly open: readonly Run[]; readonly settled: number; readonly freed: readonly Run[] }> {
  const unsettled = new Set(await store.stacks.unsettled())
  const isFetched = fetchSoon(source, signal)
  const settled: ComparedRun[] = []
  for (const run of runs) {
    const stack = stacks.get(run.stack)!
    if (!mayBeUnchanged(stack, run) || unsettled.has(stack.id)) continue
    const content = await contentAt(stack, run.revision, { remote, source, isFetched })
    if (content !== undefined && content === stack.applied?.content)
      settled.push({ run: run.id, stack: stack.id, seen: { revision: run.revision, content } })
  }
  // What is in progress may write what was not compared.
  const idle = settled.filter(({ stack }) => !queue.isBusy(stack))
  const done = new Set(idle.length === 0 ? [] : await store.runs.settleUnchanged(idle))
  const freed = runs.filter((run) => done.has(run.id) && hadStopped(stacks.get(run.stack)!))
  return { open: runs.filter((run) => !done.has(run.id)), settled: done.size, freed }
}

/**
 * Content ids at the path of each source; undefined: not known soon. A source that is at the applied revision is not
 * read again.
 */
async function contentAt(
  { spec, applied }: Stack,
  revision: string,
  { remote, source, isFetched }: { readonly remote: string; readonly source: Source; readonly isFetched: IsFetched },
): Promise<string | undefined> {
  const before = applied?.place === sourceLocations(spec) ? sourceRevisions(applied.revision).map(revisionHash) : []
  const known = applied?.content.split(',') ?? []
  const contents: string[] = []
  for (const [at, state] of sourceRevisions(revision).map(revisionHash).entries()) {
    const one = spec.sources[at]!
    // Nearly every stack has one source, which is at the polled remote.
    const from = spec.sources.length === 1 ? remote : source.remoteOf(one, spec.name)
    const same = before[at] === state ? known[at] : undefined
    const content =
      same ?? ((await isFetched(from, state)) ? await source.content(from, state, sourcePath(one)) : undefined)
    if (content === undefined) return undefined
    contents.push(content)
  }
  return joinSourceRevisions(contents)
}

function fetchSoon(source: Source, signal: AbortSignal): IsFetched {
  const fetches = new Map<string, Promise<boolean>>()
  const soon = abortAfter(fetchMs, signal)
  return (remote, state) => {
    const key = `${remote} ${state}`
    const fetched =
      fetches.get(key) ??
      source.fetch(remote, state, soon).then(
        () => true,
        () => (signal.throwIfAborted(), false),
      )
    fetches.set(key, fetched)
    return fetched
  }
}

/**
 * These runs read the target, whatever the source has: a schedule, a recovery, a person's request for the stack. A
 * person's decision about a channel is a move.
 */
function readsTarget({ kind, ref }: Cause): boolean {
  return kind === 'schedule' || kind === 'recovery' || (kind === 'person' && ref === undefined)
}

/**
 * Only a stack that is applied, settled, compared with its target and unchanged in its settings needs no read of the
 * target.
 */
function mayBeUnchanged(stack: Stack, run: Run): boolean {
  if (run.intent !== 'sync' || run.expects !== null || readsTarget(run.cause)) return false
  const { applied, failure, suspended, pinned, attempted, checkedAt } = stack
  return (
    applied !== null &&
    checkedAt !== null &&
    applied.content !== '' &&
    failure === null &&
    suspended === null &&
    pinned === null &&
    attempted?.settings === settingsDigest(stack)
  )
}

/**
 * Nothing was due for the stack any more, not even a read of its target, as if a plan needs approval: of the last
 * observed revision, which was attempted and not applied, or of a correction of drift.
 */
function hadStopped({ attempted, observed, applied, drifted }: Stack): boolean {
  const isAttempted = sameRevision(attempted?.revision, observed?.revision)
  return drifted > 0 || (isAttempted && !sameRevision(attempted?.revision, applied?.revision))
}
