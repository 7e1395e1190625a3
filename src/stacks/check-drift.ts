// Drift: live is compared with what the applied revision declares. No remote is needed.
import type { Clock } from '../model/clock.js'
import type { Change } from '../model/change.js'
import { sameRevision } from '../model/revision.js'
import type { Stack } from '../model/stack.js'
import { sharedDrift, writes } from '../plan/counts.js'
import { loadApplied } from './load-package.js'
import { isAsApplied } from './is-as-applied.js'
import { planStack } from './plan-stack.js'
import { graphOf, wishOf, type SyncDeps } from './sync.js'
import type { Reached } from './targets.js'

/** `known`: a whole look of this process found right what is applied now. */
export interface DriftDeps extends SyncDeps {
  readonly clock: Clock
  readonly known: boolean
}

interface Found {
  /** What a sync would write. */
  readonly changes: readonly Change[]
  /** How many things that it only shares differ. */
  readonly shared: number
}

const nothing: Found = { changes: [], shared: 0 }

/**
 * Looks, and remembers how much differs. Gives the fields that do: `Bucket/raw description`; undefined: there was
 * nothing to compare. The caller holds the stack's lease.
 */
export async function checkDrift(
  stack: Stack,
  deps: DriftDeps,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { store, targets, clock } = deps
  const found = await targets.hold(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
    const known =
      deps.known && !deps.supplies.mayChange(stack) && (await isAsApplied(stack, { ...deps, ...reached }, signal))
    const compared = known ? nothing : await wholeLook(stack, reached, deps, signal)
    // While it holds the target: a later write past the stack must find it compared, and say that it is not any more.
    if (compared !== undefined)
      await store.stacks.change(stack.id, {
        checkedAt: clock.now(),
        drifted: compared.changes.length + compared.shared,
      })
    return compared
  })
  return found?.changes.flatMap(({ address, action, fields }) =>
    action === 'update' ? fields.map(({ path }) => `${address} ${path}`) : [`${address} ${action}`],
  )
}

async function wholeLook(
  stack: Stack,
  reached: Reached,
  deps: DriftDeps,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const loaded = await loadApplied(stack, deps, signal)
  if (loaded === undefined) return undefined
  const wish = wishOf(await graphOf(loaded, stack, deps, signal), loaded.seen.revision)
  const { plan } = await planStack(stack, wish, { ...deps, ...reached }, signal)
  return { changes: plan.changes.filter(writes), shared: sharedDrift(plan) }
}

/** What is applied is what the stack shall be at. */
export function isDesired({ applied, observed, pinned }: Stack): boolean {
  return sameRevision(applied?.revision, pinned?.revision ?? observed?.revision)
}
