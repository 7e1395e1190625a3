// Targets that a reload declares differently: a new token may end a failure, and connections that are open have the
// former one.
import type { Clock } from '../../lib/clock.js'
import type { Stack } from '../../model/stacks/stack.js'
import { everyStack } from '../../stacks/stacks.js'
import type { Store } from '../../store/store.js'

export interface ChangedTargetsDeps {
  readonly store: Pick<Store, 'stacks'>
  readonly clock: Pick<Clock, 'now'>
  readonly watches: { reconnect(stack: string): void }
  readonly wake: (stack: string) => void
}

/** Reasons of failures that another declaration of the target may end. `TargetMissing` has its own retry. */
const reasons: readonly string[] = ['TargetUnreachable', 'ApplyFailed']

/** Retries the stacks that failed on these targets, and watches what stacks own there by new connections. */
export async function retryOnTargets(names: ReadonlySet<string>, deps: ChangedTargetsDeps): Promise<void> {
  if (names.size === 0) return
  for await (const stack of everyStack(deps.store)) {
    if (!names.has(stack.spec.target)) continue
    deps.watches.reconnect(stack.id)
    await retry(stack, deps)
  }
}

async function retry({ id, failure }: Stack, { store, clock, wake }: ChangedTargetsDeps): Promise<void> {
  if (failure === null || !reasons.includes(failure.reason)) return
  await store.stacks.change(id, { failure: { ...failure, retry: 'soon' }, retryAt: clock.now() })
  wake(id)
}
