import type { Store } from '../store/store.js'

/**
 * After a start: what the last process left unfinished. An undo goes on under its own run; an apply that had begun is interrupted, and a recovery plans anew;
 * what had not begun is queued again.
 */
export async function resume(store: Store): Promise<void> {
  const unsettled = new Set(await store.stacks.unsettled())
  const unfinished = await store.runs.unfinished()
  for (const run of unfinished) {
    if (run.phase === 'undoing') continue
    if (!unsettled.has(run.stack) || run.phase === 'queued') await store.runs.requeue(run.id)
    else await store.runs.finish(run.id, { outcome: 'interrupted' })
  }
  const waiting = new Set((await store.runs.unfinished()).map((run) => run.stack))
  for (const stack of unsettled) if (!waiting.has(stack)) await recover(stack, store)
}

async function recover(id: string, store: Store): Promise<void> {
  const stack = await store.stacks.get(id)
  const last = (await store.runs.last([id])).get(id)
  if (stack === undefined || last === undefined || last.outcome === 'cancelled') return
  const { revision, intent } = last
  await store.runs.add({ stack: id, revision, intent, cause: { kind: 'recovery', note: `run ${last.id} was interrupted` } })
}
