// The check of a stack that waits for others: it names the stack at which they all wait.
import { nextText } from '../../model/stacks/blocker.js'
import { ok, problem, warning, type Check } from '../../model/agent/check.js'
import type { Stack } from '../../model/stacks/stack.js'
import { stackCommand } from '../../status/blockers.js'
import type { Context } from '../context.js'
import { awaitedStacks, isBroken } from '../status/awaited-stacks.js'

/** A problem if one of the stacks that it waits for needs a person. */
export async function dependencyCheck(context: Context, stack: Stack): Promise<Check> {
  const name = `stack ${stack.spec.name}`
  const awaited = await awaitedStacks(context, stack)
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
