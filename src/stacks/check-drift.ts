// Drift: live is compared with what the applied revision declares. No remote is needed.
import type { Clock } from '../model/clock.js'
import { sameRevision } from '../model/revision.js'
import type { Stack } from '../model/stack.js'
import { writes } from '../plan/counts.js'
import { appliedPackage } from './load-package.js'
import { planStack } from './plan-stack.js'
import { graphOf, type SyncDeps } from './sync.js'

/** Looks; true: a run was queued that corrects what it found. The caller holds the stack's lease. */
export async function checkDrift(stack: Stack, deps: SyncDeps, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const { store, targets } = deps
  const loaded = await appliedPackage(stack, store)
  if (loaded === undefined) return false
  const graph = graphOf(loaded, stack, deps)
  const drifted = await targets.hold(stack.spec.target, signal, async ({ platform, connection }) => {
    const { plan } = await planStack(
      stack,
      { revision: loaded.seen.revision, resources: graph.resources },
      { ...deps, platform, connection },
      signal,
    )
    return plan.changes.filter(writes).length
  })
  await store.stacks.change(stack.id, { checkedAt: clock.now(), drifted })
  if (drifted === 0 || stack.spec.drift !== 'correct' || !isDesired(stack)) return false
  const note = `${drifted} ${drifted === 1 ? 'thing differs' : 'things differ'} from ${loaded.seen.revision}`
  await store.runs.add({ stack: stack.id, revision: loaded.seen.revision, cause: { kind: 'drift', note } })
  return true
}

/** What is applied is what the stack shall be at. */
function isDesired({ applied, observed, pinned }: Stack): boolean {
  return sameRevision(applied?.revision, pinned?.revision ?? observed?.revision)
}
