// Checks direct writes to a target against suspensions and sync windows of the stacks that own its resources.
import type { Change } from '../../model/change.js'
import type { Stack } from '../../model/stack.js'
import type { Store } from '../../store/store.js'
import { everyStack } from '../stacks.js'
import { closedWindow, refuseClosed } from '../../status/run-blockers.js'
import type { Planned } from '../plans/plan-stack.js'
import { refuseSuspendedByPerson } from '../runs/suspended.js'
import type { Targets } from '../targets.js'

/** An overridden window: the id of its stack, and its message. */
export interface OverriddenWindow {
  readonly stack: string
  readonly past: string
}

/** The stacks that own or share resources that the plan takes over. */
export async function stacksTakenFrom(
  { plan, claims, kindNamed }: Pick<Planned, 'plan' | 'claims' | 'kindNamed'>,
  stacks: Pick<Store['stacks'], 'many'>,
): Promise<readonly Stack[]> {
  const claimants = ({ kind, identity, takesFrom }: Change): readonly string[] => {
    const family = kindNamed(kind)?.family
    if (takesFrom === undefined || identity === undefined || family === undefined) return []
    const owner = claims.owner(family, identity)
    return [...(owner === undefined ? [] : [owner]), ...claims.sharers(family, identity)].map(({ stack }) => stack)
  }
  return stacks.many([...new Set(plan.changes.flatMap(claimants))])
}

/**
 * Gives the closed windows that a request overrides. Throws if an owner is suspended, or if a window of `windowed` is
 * closed and the request does not override it.
 */
export function overrideWindows(
  { owners, windowed = owners }: { readonly owners: readonly Stack[]; readonly windowed?: readonly Stack[] },
  now: number,
  overrideWindow: string | undefined,
): readonly OverriddenWindow[] {
  for (const stack of owners) refuseSuspendedByPerson(stack)
  return overriddenWindows(windowed, now, overrideWindow)
}

/** The stacks whose windows apply to a resource: those that own or share it, else all stacks of its live system. */
export async function stacksWithWindows(
  owners: readonly Stack[],
  system: string,
  { store, targets }: { readonly store: Pick<Store, 'stacks'>; readonly targets: Targets },
): Promise<readonly Stack[]> {
  if (owners.length > 0) return owners
  const found: Stack[] = []
  for await (const stack of everyStack(store)) {
    const { windows, target } = stack.spec
    if (windows.length > 0 && targets.has(target) && targets.liveSystem(target) === system) found.push(stack)
  }
  return found
}

function overriddenWindows(
  stacks: readonly Stack[],
  now: number,
  overrideWindow: string | undefined,
): readonly OverriddenWindow[] {
  for (const { spec } of stacks) refuseClosed(spec, now, overrideWindow)
  return stacks.flatMap(({ id, spec }) => {
    const closed = closedWindow(spec, now, true)
    return closed === undefined ? [] : [{ stack: id, past: closed.message }]
  })
}
