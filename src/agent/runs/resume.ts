import { withoutUndefined } from '../../lib/without-undefined.js'
import type { Cause } from '../../model/stacks/run.js'
import type { Store } from '../../store/store.js'

/**
 * After a start: resumes the unfinished runs of the last process. An undo continues under its own run; an apply in
 * progress becomes interrupted, and a recovery plans again; other runs are queued again.
 * Returns the stacks with an interrupted apply or undo, and those with a queued run.
 */
export async function resumeRuns(
  store: Store,
): Promise<{ readonly halfDone: ReadonlySet<string>; readonly waiting: ReadonlySet<string> }> {
  const unsettled = new Set(await store.stacks.unsettled())
  const begun = (await store.runs.unfinished()).filter(({ phase }) => phase !== 'undoing' && phase !== 'queued')
  await Promise.all(
    begun.map(async (run) => {
      const { lease } = await store.runs.takeLease(run)
      if (unsettled.has(run.stack)) await store.runs.finish(lease, { outcome: 'interrupted' })
      else await store.runs.requeue(lease)
    }),
  )
  const waiting = new Set((await store.runs.unfinished()).map((run) => run.stack))
  const interrupted = [...unsettled].filter((stack) => !waiting.has(stack))
  await Promise.all(interrupted.map((stack) => recover(stack, store)))
  return { halfDone: unsettled, waiting }
}

async function recover(id: string, store: Store): Promise<void> {
  const stack = await store.stacks.get(id)
  const last = (await store.runs.last([id])).get(id)
  if (stack === undefined || last === undefined || last.outcome === 'cancelled') return
  const { revision, intent, cause } = last
  await store.runs.add({
    stack: id,
    revision,
    intent,
    cause: { kind: 'recovery', note: `run ${last.id} was interrupted`, ...requestOf(cause) },
  })
}

/** What a person let the interrupted run override still counts: perhaps it had written nothing yet. */
function requestOf({ requested, awaitsDependencies, overrideWindow }: Cause): Partial<Cause> {
  return withoutUndefined({ requested, awaitsDependencies, overrideWindow })
}
