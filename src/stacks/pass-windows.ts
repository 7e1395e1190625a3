// Requests that write past the stacks, and the windows of those stacks.
import type { Stack } from '../model/stack.js'
import type { Store } from '../store/store.js'
import { everyStack } from './every-stack.js'
import { closedWindow, refuseClosed } from './gate.js'
import type { Targets } from './targets.js'

/** A stack whose closed window a request writes past: its id, and the window in words. */
export interface PassedWindow {
  readonly stack: string
  readonly past: string
}

/**
 * Whose windows count for a resource: those of the stacks that own or share it; where none does, those of all stacks of
 * its live system.
 */
export async function windowedStacks(
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

/**
 * Throws where a window closes one of the stacks and `overrideWindow` does not say why the request writes. Gives the
 * windows that it writes past.
 */
export function passWindows(
  stacks: readonly Stack[],
  now: number,
  overrideWindow: string | undefined,
): readonly PassedWindow[] {
  for (const { spec } of stacks) refuseClosed(spec, now, overrideWindow)
  return stacks.flatMap(({ id, spec }) => {
    const closed = closedWindow(spec, now, true)
    return closed === undefined ? [] : [{ stack: id, past: closed.message }]
  })
}
