// Which changes were made of a run that applies its plan, or did not complete it. The journal knows it until it is
// settled; afterwards the last change of each resource says it.
import type { Change } from '../../model/resources/change.js'
import { isOlderId } from '../../model/id.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { Store } from '../../store/store.js'
import type { RunView } from '../../views/run.js'
import type { Context } from '../context.js'

type Progress = NonNullable<RunView['progress']>[string]

const incomplete: readonly Run['outcome'][] = ['failed', 'interrupted', 'cancelled']

/** By address. Empty: the run made all changes of its plan, or it has none, or it has not begun to apply it. */
export async function changeProgress(
  { store }: Pick<Context, 'store'>,
  run: Run,
  stack: Stack,
): Promise<Pick<RunView, 'progress'>> {
  if (run.plan === null || !(run.outcome === null || incomplete.includes(run.outcome))) return {}
  const changes = run.plan.changes.filter(({ partOf }) => partOf === undefined)
  const entries = (await store.journal.openEntries(stack.id)).filter((entry) => entry.run === run.id)
  const open = new Map(entries.map(({ change, state }) => [change.address as string, state]))
  if (run.outcome === null) {
    if (open.size === 0) return {}
    return { progress: Object.fromEntries(changes.map(({ address }) => [address, currentState(open.get(address))])) }
  }
  const owned = await store.ownership.of(stack.id)
  const isLast = (await store.runs.last([stack.id])).get(stack.id)?.id === run.id
  const changed = await changedBy(run, store)
  const settled = ({ action, address }: Change): Progress => {
    if (action === 'create' || action === 'update') return changed.has(address) ? 'done' : 'not-done'
    if (owned.has(address)) return 'not-done'
    return isLast ? 'done' : 'unknown' // a later run may have removed it
  }
  const progress = changes.map((change) => {
    const state = open.get(change.address)
    return [change.address, state === undefined ? settled(change) : state === 'done' ? 'done' : 'unknown'] as const
  })
  return { progress: Object.fromEntries(progress) }
}

function currentState(entry: 'doing' | 'done' | 'undoing' | 'undone' | undefined): Progress {
  return entry === 'doing' || entry === 'undoing' ? 'in-progress' : (entry ?? 'not-done')
}

const readAtOnce = 500

/** The resources whose last change the run made, and when: milliseconds since the epoch. The newest change is first. */
export async function changedBy(
  run: Run,
  { ownership }: Pick<Store, 'ownership'>,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  for (let after: string | undefined; ;) {
    const page = await ownership.newest(run.stack, { limit: readAtOnce, after })
    for (const { owned } of page.found) if (owned.changed?.run === run.id) found.set(owned.address, owned.changed.at)
    const oldest = page.found.at(-1)?.owned.changed?.run
    if (oldest === undefined || page.next === null || isOlderId(oldest, run.id)) return found
    after = page.next
  }
}
