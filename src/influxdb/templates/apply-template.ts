// An apply: the package is pushed to its stack, and a run carries out exactly the plan of the preview.
import { randomBytes } from 'node:crypto'
import { Refused } from '../../model/errors.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import { planDigest } from '../../plan/digest.js'
import { lossMessage } from '../../plan/approval-rules.js'
import { overrideForTakeover } from '../../stacks/resources/override-windows.js'
import { storePackage } from '../../stacks/changes/push-package.js'
import { describeFailure } from './apply-failure.js'
import { templateOutcome, preview, documentSources, type PreviewInput, type Preview } from './preview.js'
import type { TemplateOutcome } from './template-answer.js'
import type { TemplateRequest } from './template-request.js'
import type { Context } from '../../stacks/context.js'
import { findStack } from '../../stacks/stacks.js'
import { endedRun } from '../../stacks/runs/await-run.js'
import { personCause } from '../../stacks/runs/request-run.js'
import { refuseSuspendedByPerson } from '../../stacks/runs/suspended.js'
import { refuseClosed } from '../../status/run-blockers.js'

interface Requester {
  readonly by: string
  readonly overrideWindow: string | undefined
}

/** Attempts to plan an apply whose target or stack changes between the plan and its run. */
const mostTries = 5

/** A client that disconnects does not stop an apply that has begun. */
const never = new AbortController().signal

/**
 * The caller runs no other apply to the organisation meanwhile. Errors: `Refused` failed, if the apply was undone;
 * the reasons for refusing it.
 */
export async function applyPrepared(
  context: Context,
  input: PreviewInput,
  request: TemplateRequest,
  by: string,
): Promise<TemplateOutcome> {
  let now = input
  for (let tries = 1; ; tries++) {
    const before = await preview(context, now, never)
    const outcome = await templateOutcome(before, request.stackID ?? '')
    if (outcome.invalid !== undefined) return outcome
    refuseEmpty(before, request)
    refuseProtected(before)
    refuseDataLoss(before, request.allowDataLoss ?? now.stack.spec.dataLoss === 'allow')
    refuseClosed({ spec: now.stack.spec, managedBy: 'api' }, context.clock.now(), request.overrideWindow)
    await overrideForTakeover(before.planned, request.overrideWindow, context) // checked again before the first write
    const stack = await stackToApply(context, now, by)
    const run = await carryOut(context, stack, before, { by, overrideWindow: request.overrideWindow }).catch(
      async (error: unknown) => {
        if (input.isNew && !context.scheduler.stopping) await takeBack(context, stack)
        throw error
      },
    )
    if (isDone(run)) return templateOutcome(before, stack.id, await context.store.ownership.of(stack.id))
    if (!isStale(run) || tries === mostTries) throw await failed(context, stack, run, input)
    now = { ...now, stack, isNew: false }
  }
}

/** The stack to apply to; a new one if the request names none. */
async function stackToApply(context: Context, { stack, isNew }: PreviewInput, by: string): Promise<Stack> {
  if (!isNew) return findStack(context, stack.id)
  const { targets } = context.sync
  const id = randomBytes(8).toString('hex')
  const spec = { ...stack.spec, name: `template-${id}` }
  const target = targets.liveSystem(spec.target)
  const made = await context.store.stacks.create(spec, {
    id,
    managedBy: 'api',
    target,
    cause: { kind: 'created', by },
    quietly: true,
  })
  return made.stack
}

async function carryOut(context: Context, stack: Stack, before: Preview, by: Requester): Promise<Run> {
  const { scheduler } = context
  const run = await scheduler.runs.exclusively(stack.id, never, () => queue(context, stack.id, before, by))
  scheduler.runs.wake(stack.id)
  return endedRun(context, stack, run, never)
}

/**
 * Nothing else runs for the stack meanwhile. The run waits for the poll that reads the pushed package. A poll that
 * was in progress may have returned the old package. Then the next poll queued a run, which this run replaces.
 */
async function queue(context: Context, id: string, before: Preview, { by, overrideWindow }: Requester): Promise<Run> {
  const { store, scheduler } = context
  const stack = await findStack(context, id)
  const override = overrideWindow === undefined ? {} : { overrideWindow }
  const cause = await personCause(context, stack, by, { note: 'a package was applied', ...override })
  refuseSuspendedByPerson(stack)
  if (stack.pinned !== null) await store.stacks.change(id, { pinned: null })
  const { declared } = before
  const { pushed, origins } = before.input
  const queued = { stack: id, cause, expects: digestFor(stack, before) }
  const whole = { ...pushed, sources: documentSources(declared, origins) }
  await storePackage(context, stack, whole, { by, signal: never })
  const run = await store.runs.add({ ...queued, revision: '' })
  scheduler.follow(stack) // after the push is stored, because it polls at once
  await scheduler.polls.poll(stack, never)
  const last = (await store.runs.unfinished(id)).at(-1)
  return last === undefined || last.id === run.id ? run : store.runs.add({ ...queued, revision: last.revision })
}

/** A failed apply to an existing stack is not retried. */
async function failed(context: Context, stack: Stack, run: Run, { isNew }: PreviewInput): Promise<Refused> {
  if (isNew) return describeFailure(run, (await takeBack(context, stack)) ? undefined : stack)
  await leaveFailed(context, stack)
  return describeFailure(run, undefined)
}

/**
 * Deletes the stack that was made for a failed apply. False: it stays, because something could not be undone or
 * because a person suspended it.
 */
async function takeBack(context: Context, { id }: Stack): Promise<boolean> {
  const { store, scheduler } = context
  const isGone = await scheduler.runs.exclusively(id, never, async () => {
    const isOpen = await store.journal.isOpen(id)
    const owned = await store.ownership.of(id)
    const now = await store.stacks.get(id)
    if (isOpen || owned.size > 0 || (now !== undefined && now.suspended !== null)) return false
    await store.stacks.delete(id)
    return true
  })
  if (isGone) scheduler.unfollow(id)
  else await leaveFailed(context, { id })
  return isGone
}

async function leaveFailed(context: Context, { id }: Pick<Stack, 'id'>): Promise<void> {
  const { store, scheduler } = context
  await scheduler.runs.exclusively(id, never, async () => {
    const isOpen = await store.journal.isOpen(id)
    const failure = (await store.stacks.get(id))?.failure ?? null
    if (isOpen || failure === null) return
    await store.stacks.change(id, { failure: { ...failure, retry: 'change' }, retries: 0, retryAt: null })
  })
}

/** The digest of the plan for the stack's final id: the preview of a new stack had a placeholder. */
function digestFor({ id }: Stack, { planned: { plan } }: Preview): string {
  return id === plan.stack ? plan.digest : planDigest({ ...plan, stack: id })
}

function isDone({ outcome }: Run): boolean {
  return outcome === 'applied' || outcome === 'unchanged'
}

function isStale({ outcome, problems }: Run): boolean {
  return outcome === 'superseded' || problems.some(({ code }) => code === 'plan/stale')
}

/** An empty package would remove every resource of the stack, so it needs `allowEmpty`. */
function refuseEmpty({ declared, planned }: Preview, { allowEmpty }: TemplateRequest): void {
  if (allowEmpty || declared.documents.length > 0) return
  const count = [...planned.owned.values()].filter(({ partOf }) => partOf === undefined).length
  if (count === 0) return
  throw new Refused(
    'needs-approval',
    `The package declares nothing and would remove all ${count} resources of the stack.`,
    {
      code: 'stacks/empty-package',
      hint: 'Uninstall the stack, or send `allowEmpty: true`.',
    },
  )
}

/** Without consent to data loss an apply is refused, and the error lists what would be lost. */
function refuseDataLoss({ planned: { plan } }: Preview, allowDataLoss: boolean): void {
  const losing = plan.changes.filter(({ losesData }) => losesData === true)
  if (allowDataLoss || losing.length === 0) return
  const shown = losing.slice(0, mostLosses).map((change) => lossMessage(change, change.displayName))
  const rest = losing.length - mostLosses
  const more = rest <= 0 ? '' : rest === 1 ? ' 1 more change loses data.' : ` ${rest} more changes lose data.`
  throw new Refused('needs-approval', `${shown.join(' ')}${more}`, {
    code: 'stacks/data-loss',
    hint: 'Keep it as it is in the package, or allow the loss with `allowDataLoss: true`.',
  })
}

/** Changes that the error of a refused package names. */
const mostLosses = 10

/** An apply consents to its package, but not to removing protected resources. */
function refuseProtected({ planned: { plan } }: Preview): void {
  const addresses = plan.needsApproval.filter(({ rule }) => rule === 'protect').map(({ address }) => address)
  if (addresses.length === 0) return
  throw new Refused(
    'needs-approval',
    `The stack protects ${addresses.slice(0, mostLosses).join(', ')}${addresses.length > mostLosses ? ' …' : ''}.`,
    {
      code: 'stacks/protected',
      hint: 'Keep it in the package, or take it out of `protect` of the stack.',
    },
  )
}
