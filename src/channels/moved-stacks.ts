import { compareText } from '../lib/compare-text.js'
import type { Run } from '../model/run.js'
import type { Context } from '../stacks/context.js'
import { versionsIn } from '../stacks/queries/channel-facts.js'
import type { MovedStackView } from '../views/channel.js'

/** The stacks that a decision moves, by name, each with the newest of its runs. */
export async function movedStacks(context: Context, runs: readonly Run[]): Promise<readonly MovedStackView[]> {
  const newest = new Map(runs.map((run) => [run.stack, run]))
  const stacks = await context.store.stacks.many([...newest.keys()])
  const moved = await Promise.all(
    stacks.map(async (stack) => {
      const { id, revision } = newest.get(stack.id)!
      const versions = await versionsIn(context, stack, [revision])
      const suspended = stack.suspended === null ? {} : { suspended: true as const }
      return { stack: stack.spec.name, run: id, revision, ...versions, ...suspended }
    }),
  )
  return moved.sort((a, b) => compareText(a.stack, b.stack))
}
