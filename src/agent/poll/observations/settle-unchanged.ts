// Settles runs for revisions in which nothing below the stack's paths changed, without running them; for all stacks of
// a remote at once.
import { sameRevision } from '../../../model/sources/revision.js'
import type { Cause, Run } from '../../../model/stacks/run.js'
import type { Stack } from '../../../model/stacks/stack.js'
import { settingsDigest } from '../../../stacks/settings-digest.js'
import type { ComparedRun, StackObservation } from '../../../store/run-table.js'
import type { Store } from '../../../store/store.js'
import { contentAt, type ContentDeps } from './content-at.js'

interface Comparing extends Omit<ContentDeps, 'known'> {
  readonly stacks: ReadonlyMap<string, Stack>
}

/** Begins to fetch what `settleUnchanged` compares once the observations are stored. */
export function fetchCompared(observations: readonly StackObservation[], { stacks, ...comparing }: Comparing): void {
  const begun = new Set<string>()
  for (const { stack: id, revision, cause } of observations) {
    const stack = stacks.get(id)!
    if (cause === undefined || begun.has(revision)) continue
    if (!mayBeUnchanged(stack, { intent: 'sync', expects: null, cause })) continue
    begun.add(revision)
    contentAt(stack, revision, { ...comparing, known: stack.applied }).catch(() => {}) // the comparison reports it
  }
}

/**
 * `open`: the runs that remain; `settled`: the number of settled runs; `freed`: settled runs of stacks for which
 * nothing was due any more. `remote`: the polled one.
 */
export async function settleUnchanged(
  runs: readonly Run[],
  {
    stacks,
    store,
    queue,
    ...comparing
  }: Comparing & {
    readonly store: Store
    readonly queue: { isBusy(stack: string): boolean }
  },
): Promise<{ readonly open: readonly Run[]; readonly settled: number; readonly freed: readonly Run[] }> {
  const unsettled = new Set(await store.stacks.unsettled())
  const settled: ComparedRun[] = []
  for (const run of runs) {
    const stack = stacks.get(run.stack)!
    if (!mayBeUnchanged(stack, run) || unsettled.has(stack.id)) continue
    const content = await contentAt(stack, run.revision, { ...comparing, known: stack.applied })
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
function mayBeUnchanged(stack: Stack, run: Pick<Run, 'intent' | 'expects' | 'cause'>): boolean {
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
