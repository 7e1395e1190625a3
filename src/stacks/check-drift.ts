// Drift: live is compared with what the applied revision declares. No remote is needed.
import type { Clock } from '../model/clock.js'
import { sameRevision } from '../model/revision.js'
import type { Stack } from '../model/stack.js'
import { sharedDrift, writes } from '../plan/counts.js'
import { appliedPackage } from './load-package.js'
import { planStack } from './plan-stack.js'
import { graphOf, type SyncDeps } from './sync.js'

/** Looks, and remembers how much differs. Gives the fields that do: `Bucket/raw description`. The caller holds the stack's lease. */
export async function checkDrift(stack: Stack, deps: SyncDeps, clock: Clock, signal: AbortSignal): Promise<readonly string[]> {
  const { store, targets } = deps
  const loaded = await appliedPackage(stack, store)
  if (loaded === undefined) return []
  const graph = graphOf(loaded, stack, deps)
  const { changes, shared } = await targets.hold(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
    const what = { revision: loaded.seen.revision, resources: graph.resources }
    const { plan } = await planStack(stack, what, { ...deps, ...reached }, signal)
    return { changes: plan.changes.filter(writes), shared: sharedDrift(plan) }
  })
  await store.stacks.change(stack.id, { checkedAt: clock.now(), drifted: changes.length + shared })
  return changes.flatMap(({ address, action, fields }) =>
    action === 'update' ? fields.map(({ path }) => `${address} ${path}`) : [`${address} ${action}`],
  )
}

/** What is applied is what the stack shall be at. */
export function isDesired({ applied, observed, pinned }: Stack): boolean {
  return sameRevision(applied?.revision, pinned?.revision ?? observed?.revision)
}
