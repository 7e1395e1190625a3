import { compareText } from '../lib/compare-text.js'
import type { Run } from '../model/run.js'
import type { Context } from '../stacks/context.js'
import type { MovedStackView } from '../views/channel.js'

/** The stacks that a decision moves, by name, each with the newest of its runs. */
export async function movedStacks(
  { store }: Pick<Context, 'store'>,
  runs: readonly Run[],
): Promise<readonly MovedStackView[]> {
  const newest = new Map(runs.map((run) => [run.stack, run]))
  const stacks = await store.stacks.many([...newest.keys()])
  const moved = stacks.map(({ id: stack, spec, suspended }) => {
    const { id, revision } = newest.get(stack)!
    return { stack: spec.name, run: id, revision, ...(suspended === null ? {} : { suspended: true as const }) }
  })
  return moved.sort((a, b) => compareText(a.stack, b.stack))
}
