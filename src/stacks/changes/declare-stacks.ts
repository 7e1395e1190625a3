// Declares the stacks of the configuration file. Stacks that are no longer declared are suspended, never deleted.
import type { Problem } from '../../model/problem.js'
import type { Stack, StackSpec, Suspension } from '../../model/stacks/stack.js'
import { keepMembers, type MemberDeps } from '../members/members.js'
import { everyStack } from '../stacks.js'
import type { UsedFiles } from './declared-elsewhere.js'

/**
 * Declares all stacks that are valid. Gives the problems of the others. `files`: given at a start; stacks that only the
 * former file declared say so.
 */
export async function declareStacks(
  specs: readonly StackSpec[],
  deps: MemberDeps,
  files?: UsedFiles,
): Promise<readonly Problem[]> {
  const gone = goneReason(files)
  const file = {
    managedBy: 'file',
    of: 'of the configuration file',
    code: 'config/stack',
    rename: 'Choose another name in the file',
    gone: () => gone,
  } as const
  const { problems } = await keepMembers(file, specs, deps)
  for await (const stack of everyStack(deps.sync.store)) if (hasTargetAgain(stack, deps)) await retry(stack, deps)
  return problems
}

function goneReason(files?: UsedFiles): Pick<Suspension, 'reason' | 'declaredIn'> {
  const former = files?.former.config
  return former === undefined || former === files?.file
    ? { reason: 'no longer declared in the configuration file' }
    : { reason: `declared in ${former}, and not in ${files?.file}`, declaredIn: former }
}

/** It failed because its target was not declared. */
function hasTargetAgain({ failure, spec }: Stack, { sync }: MemberDeps): boolean {
  return failure?.code === 'platform/target-missing' && sync.targets.has(spec.target)
}

async function retry({ id }: Stack, { sync, scheduler }: MemberDeps): Promise<void> {
  await sync.store.stacks.change(id, { retryAt: sync.clock.now() })
  scheduler.runs.wake(id)
}
