// Plans the first sync of a stack that does not exist yet. Stores nothing.
import { withoutUndefined } from '../../lib/without-undefined.js'
import { blockedMoveCode } from '../../channel/blocked-move.js'
import { Refused, Rejected } from '../../model/errors.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import type { PlanView } from '../../views/plan.js'
import type { Context } from '../context.js'
import { planBlockers } from '../plans/plan-blockers.js'
import { newestRevision, planRevision } from '../plans/preview.js'
import { blockedMoves } from '../status/status-input.js'

/** `stack`: of `checkNewStack`. Errors: why the first sync would have no plan. */
export async function planNewStack(context: Context, stack: Stack, signal: AbortSignal): Promise<PlanView> {
  const plan = await planRevision(context, stack, await firstRevision(context, stack.spec, signal), signal)
  return { ...plan, blockers: await planBlockers(context, stack, { isDesired: true }) }
}

/** What the first sync of a new stack would apply. Errors: why there is nothing yet. */
export function firstRevision(context: Context, spec: StackSpec, signal: AbortSignal): Promise<string> {
  refuseInline(spec)
  return newestRevision(context, spec, signal).catch((error: unknown) => {
    throw error instanceof Refused && error.code === blockedMoveCode ? waiting(context, spec, error) : error
  })
}

/** Only a stack that exists has a pushed package. */
function refuseInline({ name, sources }: StackSpec): void {
  if (sources.every(({ kind }) => kind !== 'inline')) return
  const preview = sources.length === 1 ? `\nThen preview a package: gitmoor plan ${name} --dir DIR` : ''
  throw new Rejected(`There is nothing to plan: no package can be pushed to ${name} before it exists.`, {
    code: 'source/nothing-pushed',
    hint: `Create the stack. It applies nothing until you push.${preview}`,
  })
}

/** A person can decide about a move once a stack follows the channel. */
function waiting(context: Context, spec: StackSpec, { status, code, message, hint }: Refused): Refused {
  const isRecorded = blockedMoves(context, { spec }).length > 0
  const steps = [...(isRecorded ? [] : ['Create the stack, so gitmoor records the move.']), ...(hint ? [hint] : [])]
  return new Refused(status, `${message} ${spec.name} would apply nothing until a commit is released.`, {
    code,
    ...withoutUndefined({ hint: steps.length === 0 ? undefined : steps.join('\n') }),
  })
}
