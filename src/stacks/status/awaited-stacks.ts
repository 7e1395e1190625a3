// The stacks at which a stack that depends on others waits in the end.
import { edit, hintOf, stackCommand, type RunBlocker } from '../../model/stacks/blocker.js'
import { Refused } from '../../model/errors.js'
import type { Stack } from '../../model/stacks/stack.js'
import { awaitsPerson, type StatusInput } from '../../status/axes.js'
import type { Dependency } from '../../status/dependency.js'
import { stackStatus, type StackStatus } from '../../status/status.js'
import type { Context } from '../context.js'
import { cycleFrom } from './dependencies.js'
import { dependenciesOf, readStatusInput, readStatusInputWithPlan } from './status-input.js'

/** `input`: undefined if there is no such stack, or if stacks wait for each other. */
export interface AwaitedStack {
  readonly name: string
  readonly status: Pick<StackStatus, 'state' | 'message' | 'next'>
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

/** As everything is now, with plans. */
export function freshReads(context: Context): ChainReads {
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

/**
 * The stacks that it waits for; in place of one that only waits itself, the stacks that this one waits for. If they
 * only wait for each other, the first one says so. Empty: they are ready by now.
 */
export async function awaitedStacks(stack: Stack, reads: ChainReads): Promise<readonly AwaitedStack[]> {
  const seen = new Map<string, Stack | undefined>()
  const ends = await chainEnds(stack, reads, seen)
  return ends.length > 0 ? ends : circleOf([...seen.values(), stack])
}

/** `seen`: the stacks of the chain, by name. */
async function chainEnds(
  stack: Stack,
  reads: ChainReads,
  seen: Map<string, Stack | undefined>,
): Promise<readonly AwaitedStack[]> {
  const ends: AwaitedStack[] = []
  for (const { name, ready } of await reads.dependencies(stack)) {
    if (ready || seen.has(name)) continue
    const found = await reads.find(name)
    const there = found?.spec.name === name ? found : undefined
    seen.set(name, there)
    if (there === undefined) ends.push(missing(name))
    else {
      const input = await reads.status(there)
      if (isAwaiting(input) && seen.size < mostAwaited) ends.push(...(await chainEnds(there, reads, seen)))
      else ends.push({ name, status: stackStatus(input), input })
    }
  }
  return ends
}

function missing(name: string): AwaitedStack {
  const next = [edit(`Create ${name}, or remove it from \`dependsOn\``)]
  return { name, status: { state: 'Failed', message: `There is no stack named ${name}.`, next }, input: undefined }
}

/** Settings are refused if stacks would wait for each other, but a restored or an older database may have such. */
function circleOf(chain: readonly (Stack | undefined)[]): readonly AwaitedStack[] {
  const dependsOn = new Map(chain.flatMap((one) => (one === undefined ? [] : [[one.spec.name, one.spec.dependsOn]])))
  for (const name of dependsOn.keys()) {
    const circle = cycleFrom(name, dependsOn)
    if (circle === undefined) continue
    const message = `The stacks wait for each other: ${circle.join(' → ')}.`
    const next = [edit('Remove one of these stacks from `dependsOn` of another one')]
    return [{ name, status: { state: 'Waiting', message, next }, input: undefined }]
  }
  return []
}

/** It does not become ready by itself. */
export function isBroken({ input }: AwaitedStack): boolean {
  return input === undefined || awaitsPerson(input)
}

/** The stack waits for one that does not become ready by itself. */
export async function awaitsBroken(input: StatusInput, reads: ChainReads): Promise<boolean> {
  return isAwaiting(input) && (await awaitedStacks(input.stack, reads)).some(isBroken)
}

/** The one that decides: a broken one, if there is one. */
export function decidingStack(awaited: readonly AwaitedStack[]): AwaitedStack | undefined {
  return awaited.find(isBroken) ?? awaited[0]
}

/** `It waits for base, which will not become ready by itself (Failed): There is nothing at dash …` */
export function awaitedText({ spec: { dependsOn } }: Stack, awaited: AwaitedStack): string {
  const { name, input } = awaited
  const { state, message } = awaited.status
  const verdict = isBroken(awaited) ? 'will not become ready by itself' : 'is not ready yet'
  const saysState = message.toLowerCase().includes(state.toLowerCase())
  const inState = input === undefined || saysState ? '' : ` (${state})`
  const isOnly = dependsOn.length === 1 && dependsOn[0] === name
  return `It waits for ${dependsOn.join(', ')}${isOnly ? ', which' : `. ${name}`} ${verdict}${inState}: ${message}`
}

/** With the stack at which a stack that waits for others waits in the end, and whether waiting for it is in vain. */
export async function namingRoot(
  stack: Stack,
  blockers: readonly RunBlocker[],
  reads: ChainReads,
): Promise<readonly RunBlocker[]> {
  if (!isAwaiting({ blockers })) return blockers
  const root = decidingStack(await awaitedStacks(stack, reads))
  if (root === undefined) return blockers
  const message = awaitedText(stack, root)
  const sync = stackCommand('Sync anyway', 'sync', stack.spec.name)
  const next = root.input === undefined ? root.status.next : [stackCommand('See why', 'explain', root.name)]
  const facts = { message, next: [...next, sync], until: endsAt(root) }
  return blockers.map((one) => (one.reason === 'Dependencies' ? { ...one, ...facts } : one))
}

/** When the window opens or the suspension ends that blocks the stack; null: something else blocks it. */
function endsAt(awaited: AwaitedStack): number | null {
  if (isBroken(awaited) || awaited.input === undefined) return null
  const { blockers, stack } = awaited.input
  return blockers.find(({ reason }) => reason === 'Window')?.until ?? stack.suspended?.until ?? null
}

/** Why waiting for a stack whose run waits for others is pointless. undefined: it may still be synced. */
export async function awaitedRefusal(context: Context, input: StatusInput): Promise<Refused | undefined> {
  if (!isAwaiting(input) || input.last?.outcome !== null) return undefined
  const { stack } = input
  const { name } = stack.spec
  const broken = (await awaitedStacks(stack, freshReads(context))).find(isBroken)
  if (broken === undefined) return undefined
  const hint = hintOf([...broken.status.next, stackCommand('Or sync anyway', 'sync', name)])
  return new Refused('locked', `${name} cannot sync: ${awaitedText(stack, broken)}`, {
    code: 'stacks/dependencies',
    hint,
  })
}
