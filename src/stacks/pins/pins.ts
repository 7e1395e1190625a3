// stacks/pins: a stack stays at the revision of an earlier run. Takes a stack and a run; gives the run that goes there.
// Promises: a pin stays until a person ends it, or a revision that was never attempted changes the package.
import { hintOf } from '../../model/stacks/blocker.js'
import { Refused } from '../../model/errors.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { TaggedRun } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import type { Context } from '../context.js'
import { ifUnchanged, refuseChanged, stackTag, type Precondition } from '../stack-tag.js'
import { findUsableStack } from '../stacks.js'
import { getStack } from '../queries/queries.js'
import { viewRunRow } from '../queries/view-stack.js'
import { foundVeto } from '../queries/channel-facts.js'
import { personCause, queueRun } from '../runs/request-run.js'
import { refuseSuspended } from '../runs/suspended.js'
import { refuseWaitingUninstall } from '../runs/waiting-uninstall.js'
import { blockedMoves } from '../status/status-input.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'

/** The run that ended applied, whose files are stored. Errors: `Refused` not-found, usage. */
export async function rollbackRun(context: Context, { id: stack, spec: { name } }: Stack, id: string): Promise<Run> {
  const run = await context.store.runs.get(id)
  if (run === undefined || run.stack !== stack)
    throw new Refused('not-found', `${name} has no run ${id}.`, {
      code: 'runs/unknown',
      hint: `List its runs: gitmoor history ${name}`,
    })
  const files = run.files === null ? undefined : await context.store.files.get(run.files)
  if (run.outcome === 'applied' && files !== undefined) return run
  throw new Refused('usage', `Cannot roll back to run ${id}: ${noPackage(run)}.`, {
    hint: `Choose a run that applied a package: gitmoor history ${name}`,
  })
}

/** Why the run has no package to return to. */
function noPackage({ intent, outcome, phase }: Run): string {
  if (outcome !== 'applied') return `it ended ${outcome ?? phase}`
  switch (intent) {
    case 'sync':
      return 'its files are no longer stored'
    case 'uninstall':
    case 'delete':
      return 'it uninstalled the stack, so it has no package to return to'
    case 'ownership':
      return 'it applied no package'
  }
}

/** Pins the stack to the revision of a run that ended applied. Gives the run and the tag of the pinned stack. */
export async function rollBack(
  context: Context,
  name: string,
  id: string,
  why: string,
  by: string,
  options: WindowOverrideOptions & Precondition = {},
): Promise<TaggedRun> {
  const stack = await findUsableStack(context, name)
  refuseChanged(stack, options)
  refuseSuspended(stack)
  await refuseWaitingUninstall(context.store, stack, 'A rollback')
  const run = await rollbackRun(context, stack, id)
  const note = `roll back to run ${id}${why === '' ? '' : `: ${why}`}`
  const cause = await personCause(context, stack, by, { note, decision: 'rollback', ...options })
  const pinned = { run: id, revision: run.revision, by, why, at: context.clock.now() }
  let etag = ''
  const check = ifUnchanged(options)
  const change = { pinned, failure: null, retries: 0, retryAt: null }
  const queued = await queueRun(context, stack, { revision: run.revision, cause, change }, (now) => {
    check?.(now)
    etag = stackTag({ ...now, pinned })
  })
  context.scheduler.runs.add(queued)
  return { ...viewRunRow(queued), ...(await foundVeto(context, queued, stack)), etag }
}

export async function unpinStack(
  context: Context,
  name: string,
  by: string,
  options: WindowOverrideOptions & Precondition = {},
): Promise<{ readonly stack: StackView; readonly run: string | null }> {
  const stack = await findUsableStack(context, name)
  refuseChanged(stack, options)
  if (stack.pinned === null) throw notPinned(context, stack)
  await refuseWaitingUninstall(context.store, stack, 'The end of the rollback')
  const cause = await personCause(context, stack, by, { note: 'unpin', decision: 'unpin', ...options })
  const revision = stack.observed?.revision ?? ''
  const run = await queueRun(
    context,
    stack,
    { revision, orNewer: true, cause, change: { pinned: null } },
    ifUnchanged(options),
  )
  return { stack: await getStack(context, stack.id), run: run.id }
}

/** A stack whose state is `Pinned` may be so by its channel. */
function notPinned(context: Context, stack: Stack): Refused {
  const { name } = stack.spec
  const channelPin = blockedMoves(context, stack).find(({ reason }) => reason === 'ChannelPinned')
  if (channelPin === undefined) return new Refused('conflict', `${name} is not pinned.`)
  const { message, next } = channelPin
  return new Refused('conflict', `${name} is not pinned, but its channel is. ${message}`, { hint: hintOf(next) })
}
