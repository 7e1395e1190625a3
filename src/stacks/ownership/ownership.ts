// stacks/ownership: which resources a stack owns, changed without a write to the target. Takes a stack and an address;
// gives the run that records it. Promises: nothing else runs for the stack or writes to its target meanwhile, and no
// interrupted run is left.
import { familyOf, nameOf, type Address } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import type { Owned } from '../../model/resources/resource.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import { needsApproval } from '../../status/axes.js'
import type { ReleasedResource } from '../../views/resource.js'
import type { RunRow } from '../../views/run.js'
import type { Context } from '../context.js'
import { ifUnchanged, refuseChanged, type Precondition } from '../stack-tag.js'
import { findUsableStack } from '../stacks.js'
import { recoverInterrupted } from '../plans/plan-stack.js'
import { viewRunRow } from '../queries/view-stack.js'
import { queueRun } from '../runs/request-run.js'
import { lastRun } from '../status/status-input.js'
import { kindsByName, type Reached } from '../targets.js'
import { adopt, refuseUndeclared } from './adopt-resources.js'

/** Adopts an existing resource under an address. The package must declare it, unless it is pushed. */
export async function adoptResource(
  context: Context,
  name: string,
  request: Precondition & { readonly address: string; readonly id: string; readonly by: string },
  signal: AbortSignal,
): Promise<{ readonly run: RunRow }> {
  const { address, id, by } = request
  const stack = await findUsableStack(context, name)
  refuseChanged(stack, request)
  await refuseUndeclared(context, stack, address as Address, signal)
  const run = await whileSettled(context, stack, signal, async (reached) => {
    await refuseTaken(context, stack, address as Address)
    const adoptee = { kind: familyOf(address as Address), id, metaName: nameOf(address as Address) }
    const own = await adopt(context, stack, [adoptee], reached, signal)
    if (own[0]?.address !== address) throw alreadyOwned(stack, adoptee)
    const cause = { kind: 'person', by, note: `adopts ${address} (${id})` } as const
    return context.store.stacks.changeOwnership({ stack: stack.id, cause, own }, ifUnchanged(request))
  })
  await replacePlan(context, stack, run)
  return { run: viewRunRow(run) }
}

/** Gives up the resource with its parts. A stack that shares it becomes its owner. */
export async function releaseResource(
  context: Context,
  name: string,
  request: Precondition & { readonly address: string; readonly by: string },
  signal: AbortSignal,
): Promise<ReleasedResource> {
  const { address, by } = request
  const stack = await findUsableStack(context, name)
  refuseChanged(stack, request)
  const released = await whileSettled(context, stack, signal, async ({ platform }) => {
    const all = await context.store.ownership.of(stack.id)
    const owned = all.get(address as Address)
    if (owned === undefined || owned.partOf !== undefined)
      throw new Refused('not-found', `${stack.spec.name} has no ${address}.`, {
        code: 'resources/unknown',
        hint: `List its resources: gitmoor stack get ${stack.spec.name}`,
      })
    const { kind, identity } = owned
    const cause = { kind: 'person', by, note: `releases ${address} (${identity})` } as const
    const untrack = addressesWithParts([owned], all)
    const change = { stack: stack.id, cause, untrack }
    const run = await context.store.stacks.changeOwnership(change, ifUnchanged(request))
    return { run, id: identity, findsAgain: kindsByName(platform)(kind, owned.address)?.matching !== undefined }
  })
  await replacePlan(context, stack, released.run)
  await context.scheduler.runs.ownershipChanged(stack)
  return { ...released, run: viewRunRow(released.run) }
}

/** A plan that needs approval was made with the former ownership, so a new run replaces it. `change`: what changed. */
async function replacePlan(context: Context, stack: Stack, { cause }: Run): Promise<void> {
  const last = await lastRun(context, stack)
  if (stack.suspended !== null || last?.intent !== 'sync' || !needsApproval({ stack, last })) return
  await queueRun(context, stack, { revision: last.revision, orNewer: true, cause })
}

/** Runs `work` with the target locked, no run in progress for the stack, and no interrupted run left. */
export async function whileSettled<T>(
  { scheduler, sync }: Context,
  stack: Stack,
  signal: AbortSignal,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  return scheduler.runs.exclusively(stack.id, signal, () =>
    sync.targets.lock(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
      await recoverInterrupted(sync, stack.id, reached, signal)
      return work(reached)
    }),
  )
}

export function addressesWithParts(some: readonly Owned[], all: ReadonlyMap<Address, Owned>): readonly Address[] {
  const addresses = new Set(some.map(({ address }) => address))
  const parts = [...all.values()].filter(({ partOf }) => partOf !== undefined && addresses.has(partOf))
  return [...addresses, ...parts.map(({ address }) => address)]
}

async function refuseTaken({ store }: Context, stack: Stack, address: Address): Promise<void> {
  const owned = (await store.ownership.of(stack.id)).get(address)
  if (owned === undefined) return
  throw new Refused('conflict', `${stack.spec.name} has ${address} already: it is ${owned.identity}.`, {
    code: 'stacks/address-taken',
    hint: `Release that one first: gitmoor stack release ${stack.spec.name} ${address}`,
  })
}

function alreadyOwned({ spec }: Stack, { kind, id }: { readonly kind: string; readonly id: string }): Refused {
  return new Refused('conflict', `${spec.name} has ${kind}/${id} already, or the name is used in it.`, {
    code: 'stacks/address-taken',
    hint: `List its resources: gitmoor stack get ${spec.name}`,
  })
}
