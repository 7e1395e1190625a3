// The check of a stack that waits for others: it names the stack at which they all wait.
import { edit, nextText } from '../../model/blocker.js'
import { ok, problem, warning, type Check } from '../../model/check.js'
import type { Stack } from '../../model/stack.js'
import type { StatusInput } from '../../status/axes.js'
import { stackCommand } from '../../status/blockers.js'
import { stackStatus, type StackStatus, type State } from '../../status/status.js'
import type { Context } from '../context.js'
import { dependenciesOf, readStatusInputWithPlan } from '../status/status-input.js'

interface AwaitedStack {
  readonly name: string
  readonly status: Pick<StackStatus, 'state' | 'reason' | 'message' | 'next'>
}

/** In these states a stack does not become ready by itself. */
const brokenStates: readonly State[] = ['Failed', 'Needs approval', 'Drifted', 'Degraded', 'Suspended', 'Pinned']

function isBroken({ status: { state, reason } }: AwaitedStack): boolean {
  return brokenStates.includes(state) || reason === 'Cancelled'
}

/** The most stacks of a chain that are read. */
const mostAwaited = 100

/** Its queued run waits for other stacks. */
export function isAwaiting({ blockers }: StatusInput): boolean {
  return blockers.some(({ reason }) => reason === 'Dependencies')
}

/** A problem if one of the stacks that it waits for needs a person. */
export async function dependencyCheck(context: Context, stack: Stack): Promise<Check> {
  const name = `stack ${stack.spec.name}`
  const awaited = await lastAwaited(context, stack, new Set())
  const broken = awaited.find(isBroken)
  const first = broken ?? awaited[0]
  if (first === undefined) return ok(name, 'The stacks that it depends on are ready now.')
  const { state, message, next: steps } = first.status
  const why = `It waits for ${first.name}, which is ${state}: ${message}`
  const next = nextText([
    ...(steps.length > 0 ? steps : [stackCommand('See why', 'explain', first.name)]),
    stackCommand('Or sync anyway', 'sync', stack.spec.name),
  ])
  return broken === undefined ? warning(name, why, next) : problem(name, why, next)
}

/** The stacks that it waits for; in place of one that only waits itself, the stacks that this one waits for. */
async function lastAwaited(context: Context, stack: Stack, seen: Set<string>): Promise<readonly AwaitedStack[]> {
  const found: AwaitedStack[] = []
  for (const { name, ready, why } of await dependenciesOf(context, stack)) {
    if (ready || seen.has(name)) continue
    seen.add(name)
    const there = await context.store.stacks.get(name)
    if (there?.spec.name !== name) {
      const next = [edit(`Create ${name}, or remove it from dependsOn`)]
      found.push({ name, status: { state: 'Failed', reason: 'Failed', message: why, next } })
      continue
    }
    const input = await readStatusInputWithPlan(context, there)
    if (isAwaiting(input) && seen.size < mostAwaited) found.push(...(await lastAwaited(context, there, seen)))
    else found.push({ name, status: stackStatus(input) })
  }
  return found
}
