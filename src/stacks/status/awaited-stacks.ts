// The stacks at which a stack that depends on others waits in the end.
import { edit, hintOf, stackCommand, type RunBlocker } from '../../model/stacks/blocker.js'
import { Refused } from '../../model/errors.js'
import type { Stack } from '../../model/stacks/stack.js'
import { needsPerson, type StatusInput } from '../../status/axes.js'
import type { Dependency } from '../../status/dependency.js'
import { stackStatus, type StackStatus, type State } from '../../status/status.js'
import { waitRefusal } from '../../status/wait-refusal.js'
import type { Context } from '../context.js'
import { dependenciesOf, readStatusInput, readStatusInputWithPlan } from './status-input.js'

/** `input`: undefined if there is no such stack. */
export interface AwaitedStack {
  readonly name: string
  readonly status: Pick<StackStatus, 'state' | 'reason' | 'message' | 'next'>
  readonly input: StatusInput | undefined
}

/** The most stacks of a chain that are read. */
const mostAwaited = 100

/** Its queued run waits for other stacks. */
export function isAwaiting({ blockers }: Pick<StatusInput, 'blockers'>): boolean {
  return blockers.some(({ reason }) => reason === 'Dependencies')
}

/** How the stacks of chains are read. */
export interface ChainReads {
  readonly find: (name: string) => Promise<Stack | undefined>
  readonly dependencies: (stack: Stack) => Promise<readonly Dependency[]>
  readonly status: (stack: Stack) => Promise<StatusInput>
}

function freshReads(context: Context): ChainReads {
  return {
    find: (name) => context.store.stacks.get(name),
    dependencies: (stack) => dependenciesOf(context, stack),
    status: (stack) => readStatusInputWithPlan(context, stack),
  }
}

/** Reads each stack once, for the chains of a list; without plans. */
export function sharedReads(context: Context): ChainReads {
  const fresh = freshReads(context)
  return {
    find: once(fresh.find, (name) => name),
    dependencies: once(fresh.dependencies, ({ id }) => id),
    status: once(
      (stack) => readStatusInput(context, stack),
      ({ id }) => id,
    ),
  }
}

function once<Key, Value>(read: (of: Key) => Promise<Value>, keyOf: (of: Key) => string): typeof read {
  const known = new Map<string, Promise<Value>>()
  return (of) => {
    const found = known.get(keyOf(of)) ?? read(of)
    known.set(keyOf(of), found)
    return found
  }
}

/** The stacks that it waits for; in place of one that only waits itself, the stacks that this one waits for. */
export async function awaitedStacks(
  context: Context,
  stack: Stack,
  reads: ChainReads = freshReads(context),
  seen = new Set<string>(),
): Promise<readonly AwaitedStack[]> {
  const found: AwaitedStack[] = []
  for (const { name, ready, why } of await reads.dependencies(stack)) {
    if (ready || seen.has(name)) continue
    seen.add(name)
    const there = await reads.find(name)
    if (there?.spec.name !== name) {
      const next = [edit(`Create ${name}, or remove it from dependsOn`)]
      found.push({ name, status: { state: 'Failed', reason: 'Failed', message: why, next }, input: undefined })
      continue
    }
    const input = await reads.status(there)
    if (isAwaiting(input) && seen.size < mostAwaited) found.push(...(await awaitedStacks(context, there, reads, seen)))
    else found.push({ name, status: stackStatus(input), input })
  }
  return found
}

/** In these states a stack does not become ready by itself. */
const brokenStates: readonly State[] = ['Failed', 'Needs approval', 'Drifted', 'Degraded', 'Suspended', 'Pinned']

export function isBroken({ status: { state, reason }, input }: AwaitedStack): boolean {
  return brokenStates.includes(state) || reason === 'Cancelled' || (input !== undefined && needsPerson(input))
}

/** The stack waits for one that does not become ready by itself. */
export async function awaitsBroken(context: Context, input: StatusInput, reads: ChainReads): Promise<boolean> {
  return isAwaiting(input) && (await awaitedStacks(context, input.stack, reads)).some(isBroken)
}

/** If the stack waits for one that only waits itself, its blocker names the stack at which both wait. */
export async function namingRoot(
  context: Context,
  stack: Stack,
  blockers: readonly RunBlocker[],
  reads?: ChainReads,
): Promise<readonly RunBlocker[]> {
  if (!isAwaiting({ blockers })) return blockers
  const { spec } = stack
  const awaited = await awaitedStacks(context, stack, reads)
  const root = awaited.find(isBroken) ?? awaited[0]
  if (root === undefined || spec.dependsOn.includes(root.name)) return blockers
  const named = (blocker: RunBlocker): RunBlocker => ({
    ...blocker,
    message: `${blocker.message} ${root.name} is ${root.status.state}: ${root.status.message}`,
    next: [stackCommand('See why', 'explain', root.name), stackCommand('Sync anyway', 'sync', spec.name)],
  })
  return blockers.map((one) => (one.reason === 'Dependencies' ? named(one) : one))
}

/**
 * Why waiting for a stack whose run waits for others is pointless: waiting for one of these is. undefined: it may still
 * be synced.
 */
export async function awaitedRefusal(context: Context, input: StatusInput): Promise<Refused | undefined> {
  if (!isAwaiting(input) || input.last?.outcome !== null) return undefined
  const { name } = input.stack.spec
  for (const { name: root, status, input: awaited } of await awaitedStacks(context, input.stack)) {
    const refusal = awaited === undefined ? { message: status.message } : waitRefusal(awaited)
    if (refusal === undefined) continue
    const hint = 'hint' in refusal && refusal.hint !== undefined ? [edit(refusal.hint)] : status.next
    return new Refused('locked', `${name} cannot sync: It waits for ${root}. ${refusal.message}`, {
      code: 'stacks/dependencies',
      hint: hintOf([...hint, stackCommand('Or sync anyway', 'sync', name)]),
    })
  }
  return undefined
}
