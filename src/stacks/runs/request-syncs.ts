// A sync of several stacks. Unlike a sync of one stack, it does not override dependencies.
import { Slices } from '../../lib/async/steps.js'
import { fleetOwner } from '../../model/stacks/stack-owner.js'
import type { LabelCondition, Stack } from '../../model/stacks/stack.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import type { RequestedSync, RequestedSyncs } from '../../views/requested-sync.js'
import type { Context } from '../context.js'
import { errorBody } from '../../views/errors/error-body.js'
import { findUsableStack } from '../stacks.js'
import { syncStack } from './runs.js'

/** `fleet`: only its stacks. */
export interface SyncsOptions extends WindowOverrideOptions {
  readonly fleet?: string
}

/**
 * Polls the stacks that match the selector, and queues or joins a run of each, by name. A run waits for the stacks that
 * its stack depends on: their runs are queued first. A refused stack does not stop the others. `onItem`: called for
 * each as soon as its run is known.
 */
export async function requestSyncs(
  context: Context,
  selector: readonly LabelCondition[],
  by: string,
  signal: AbortSignal,
  { fleet, ...options }: SyncsOptions = {},
  onItem: (item: RequestedSync) => void = () => {},
): Promise<RequestedSyncs> {
  const stacks = await selectedStacks(context, selector, fleet)
  const byName = new Map(stacks.map((stack) => [stack.spec.name, stack]))
  const requests = new Map<string, Promise<RequestedSync>>()
  const slices = new Slices(signal)
  const request = (stack: Stack): Promise<RequestedSync> => {
    const made = requests.get(stack.id) ?? requestInOrder(stack)
    requests.set(stack.id, made)
    return made
  }
  const requestInOrder = async (stack: Stack): Promise<RequestedSync> => {
    await slices.afterStep() // chains of dependencies may be longer than the call stack
    await Promise.all(stack.spec.dependsOn.flatMap((name) => byName.get(name) ?? []).map(request))
    const item = await requestOne(context, stack, by, signal, options)
    onItem(item)
    return item
  }
  return { items: await Promise.all(stacks.map(request)) }
}

async function requestOne(
  context: Context,
  stack: Stack,
  by: string,
  signal: AbortSignal,
  options: WindowOverrideOptions,
): Promise<RequestedSync> {
  const { name } = stack.spec
  try {
    const now = await findUsableStack(context, stack.id)
    return { name, run: await syncStack(context, now, by, signal, { ...options, awaitDependencies: true }) }
  } catch (cause) {
    const error = errorBody(cause)
    if (signal.aborted || error.status === 'internal') throw cause
    return { name, error }
  }
}

const perPage = 500

/** By name. */
async function selectedStacks(
  { store, scheduler }: Pick<Context, 'store' | 'scheduler'>,
  selector: readonly LabelCondition[],
  fleet: string | undefined,
): Promise<readonly Stack[]> {
  const stacks: Stack[] = []
  const filter = { selector, ...(fleet === undefined ? {} : { managedBy: fleetOwner(fleet) }) }
  const query = { limit: perPage, filter, liveStatus: scheduler.live }
  for (let after: string | null | undefined; after !== null;) {
    const page = await store.stacks.select({ ...query, after })
    stacks.push(...page.found.map(({ stack }) => stack))
    after = page.next
  }
  return stacks
}
