import type { Store } from '../../store/store.js'

/**
 * After a start: what the last process left unfinished. An undo goes on under its own run; an apply that had begun is
 * interrupted, and a recovery plans anew; what had not begun is queued again. What is written shares a commit. Gives
 * the stacks that were left half-done, and those of which a run waits.
 */
export async function resumeRuns(
  store: Store,
): Promise<{ readonly halfDone: ReadonlySet<string>; readonly waiting: ReadonlySet<string> }> {
  const unsettled = new Set(await store.stacks.unsettled())
  const left = (await store.runs.unfinished()).filter((run) => run.phase !== 'undoing')
  await Promise.all(
    left.map((run) =>
      !unsettled.has(run.stack) || run.phase === 'queued'
        ? store.runs.requeue(run.id)
        : store.runs.finish(run.id, { outcome: 'interrupted' }),
    ),
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
  const { revision, intent } = last
  await store.runs.add({
    stack: id,
    revision,
    intent,
    cause: { kind: 'recovery', note: `run ${last.id} was interrupted` },
  })
}
