// Checks direct writes to a target against suspensions and sync windows of the stacks that own its resources.
import type { Change } from '../../model/resources/change.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { Clock } from '../../lib/clock.js'
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

/**
 * A takeover writes past the stacks that own or share its resources. Gives their closed windows that the request
 * overrides. Throws if one of them is suspended, or if its window is closed and not overridden.
 */
export async function overrideForTakeover(
  planned: Pick<Planned, 'plan' | 'claims' | 'kindNamed'>,
  overrideWindow: string | undefined,
  { store, clock }: { readonly store: Pick<Store, 'stacks'>; readonly clock: Pick<Clock, 'now'> },
): Promise<readonly OverriddenWindow[]> {
  const owners = await stacksTakenFrom(planned, store.stacks)
  return overrideWindows({ owners }, clock.now(), overrideWindow)
}

async function stacksTakenFrom(
  { plan, claims, kindNamed }: Pick<Planned, 'plan' | 'claims' | 'kindNamed'>,
  stacks: Pick<Store['stacks'], 'many'>,
): Promise<readonly Stack[]> {
  const claimants = ({ kind, address, identity, takesFrom }: Change): readonly string[] => {
    const family = kindNamed(kind, address)?.family
    if (takesFrom === undefined || identity === undefined || family === undefined) return []
    const owner = claims.owner(family, identity)
    return [...(owner === undefined ? [] : [owner]), ...claims.sharers(family, identity)].map(({ stack }) => stack)
  }
  const ids = new Set(plan.changes.flatMap(claimants))
  return ids.size === 0 ? [] : stacks.many([...ids])
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
  for (const stack of stacks) refuseClosed(stack, now, overrideWindow)
  return stacks.flatMap((stack) => {
    const closed = closedWindow(stack, now, true)
    return closed === undefined ? [] : [{ stack: stack.id, past: closed.message }]
  })
}
