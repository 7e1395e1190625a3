import { compareText } from '../lib/text/compare-text.js'
import type { Run } from '../model/stacks/run.js'
import type { Context } from '../stacks/context.js'
import { versionsOf } from '../stacks/queries/channel-facts.js'
import type { MovedStackView } from '../views/channel.js'

/** The stacks that a decision moves, by name, each with the newest of its runs. */
export async function movedStacks(context: Context, runs: readonly Run[]): Promise<readonly MovedStackView[]> {
  const newest = new Map(runs.map((run) => [run.stack, run]))
  const stacks = await context.store.stacks.many([...newest.keys()])
  const found = stacks.map((stack) => ({ stack, run: newest.get(stack.id)! }))
  const versions = await versionsOf(
    context,
    found.map(({ stack, run: { revision } }) => ({ stack, revisions: [revision] })),
  )
  const moved = found.map(({ stack: { spec, suspended }, run: { id, revision } }, at) => ({
    stack: spec.name,
    run: id,
    revision,
    ...versions[at],
    ...(suspended === null ? {} : { suspended: true as const }),
  }))
  return moved.sort((a, b) => compareText(a.stack, b.stack))
}
