// What keeps a plan from being applied at this moment, or from being that of the newest revision.
import type { Stack } from '../../model/stacks/stack.js'
import { stackBlockers } from '../../status/status.js'
import { closedWindow } from '../../status/run-blockers.js'
import type { BlockerView } from '../../views/status.js'
import type { Context } from '../context.js'
import { viewBlocker } from '../queries/view-stack.js'
import { freshReads, namingRoot } from '../status/awaited-stacks.js'
import { readRunBlockers, statusInput } from '../status/status-input.js'

/** They block whatever is planned. */
const stackReasons = ['ConfigurationMissing', 'Suspended']

/** They keep the stack, and so its plan, at an older revision. */
const revisionReasons = ['Pinned', 'ChannelPinned', 'MoveWaiting', 'MoveNeedsApproval', 'MoveRefused', 'MoveVetoed']

/**
 * The blockers of a plan, in the order in which people should deal with them. `isDesired`: it is of the revision that a
 * sync applies now, not of another ref or of uncommitted files. A sync of the stack by name heeds all of them but
 * dependencies, which block what gitmoor does by itself.
 */
export async function planBlockers(
  context: Context,
  stack: Stack,
  { isDesired }: { readonly isDesired: boolean },
): Promise<readonly BlockerView[]> {
  const reasons = isDesired ? [...stackReasons, ...revisionReasons] : stackReasons
  const blockers = stackBlockers(statusInput(context, stack, undefined)).filter(({ reason }) =>
    reasons.includes(reason),
  )
  const window = closedWindow(stack, context.clock.now(), true)
  const dependencies = (await readRunBlockers(context, stack)).filter(({ reason }) => reason === 'Dependencies')
  const named = await namingRoot(stack, dependencies, freshReads(context))
  return [...blockers, ...(window === undefined ? [] : [window]), ...named].map(viewBlocker)
}
