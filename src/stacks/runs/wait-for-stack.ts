// Waits until a stack is synced, or synced and healthy.
import { abortAfter } from '../../lib/async/abort-after.js'
import { Refused } from '../../model/errors.js'
import { hashDigits } from '../../model/sources/revision.js'
import type { AwaitedState, Stack } from '../../model/stacks/stack.js'
import type { StatusInput } from '../../status/axes.js'
import { isSynced, stackStatus } from '../../status/status.js'
import { waitRefusal } from '../../status/wait-refusal.js'
import type { StackView } from '../../views/stack.js'
import type { Context } from '../context.js'
import { viewStack } from '../queries/queries.js'
import { findStack, findUsableStack } from '../stacks.js'
import { awaitedRefusal, freshReads, namingRoot } from '../status/awaited-stacks.js'
import { readStatusInput, withPlan } from '../status/status-input.js'

/** `revision`: synced at this commit; absent: at the newest. `for`: default synced. */
export interface StackWait {
  readonly revision?: string
  readonly for?: AwaitedState
  readonly timeoutMs: number
}

/** How often a waiting request reads the stack anew: changes of the stacks that it depends on do not wake it. */
const recheckMs = 2_000

/** How often a request that waits for health has an unhealthy stack checked. */
const healthEveryMs = 5_000

/**
 * Polls, then waits until the stack is synced: see `isSynced`. For `healthy`, also until a check after that found no
 * unhealthy resource. Errors: see `waitRefusal` and `awaitedRefusal`; `Refused` conflict stacks/health-unchecked;
 * timeout.
 */
export async function waitForStack(
  context: Context,
  name: string,
  { revision, for: awaited = 'synced', timeoutMs }: StackWait,
  signal: AbortSignal,
): Promise<StackView> {
  const stack = await findUsableStack(context, name)
  const health = awaited === 'healthy' ? new HealthChecks(context) : undefined
  const timeout = abortAfter(timeoutMs)
  const both = AbortSignal.any([signal, timeout])
  const isReached = (input: StatusInput): boolean =>
    isSynced(input, revision) && (health === undefined || health.isHealthy(input))
  try {
    await context.scheduler.polls.poll(stack, both).catch(() => both.throwIfAborted())
    if (stack.checkedAt === null) context.scheduler.runs.wake(stack.id) // its drift check is due, but has no timer
    for (;;) {
      const recheck = abortAfter(recheckMs, both)
      const changed = context.scheduler.events.nextChange(stack.id, recheck)
      changed.catch(() => {})
      const input = await readStatusInput(context, await findStack(context, stack.id))
      if (isReached(input)) return await viewStack(context, input)
      if (isSynced(input, revision)) await health?.request(input)
      const refusal = waitRefusal(await withPlan(context, input), revision) ?? (await awaitedRefusal(context, input))
      if (refusal !== undefined) throw refusal
      await changed.catch((error: unknown) => {
        if (both.aborted || !recheck.aborted) throw error
      })
    }
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error
    const input = await readStatusInput(context, await findStack(context, stack.id))
    if (isReached(input)) return viewStack(context, input)
    const expected = revision === undefined ? awaited : `${awaited} at ${hashDigits(revision)}`
    throw await timeoutRefusal(context, input, `${name} is not ${expected} after ${timeoutMs / 1000} s.`)
  }
}

async function timeoutRefusal(context: Context, input: StatusInput, what: string): Promise<Refused> {
  const { stack } = input
  const blockers = await namingRoot(stack, input.blockers, freshReads(context))
  const { message, state } = stackStatus({ ...input, blockers })
  return new Refused('timeout', `${what} ${message}`.trim(), {
    ...(state === 'Degraded' && stack.unhealthy !== null && { code: 'stacks/unhealthy' }),
    hint: `See why: gitmoor explain ${stack.spec.name}`,
  })
}

/** The checks that a request has made while the stack is synced. */
class HealthChecks {
  readonly #context: Context
  /** The newest request, and the newest run then: a later run makes it void. */
  #requested: { readonly run: string | undefined; readonly at: number } | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** Of a synced stack: a check since it was synced found nothing unhealthy. */
  isHealthy({ stack, last }: StatusInput): boolean {
    return stack.unhealthy === null && this.#requested !== undefined && this.#requested.run === last?.id
  }

  /** Makes a check due, as a direct write does, but not more often than every 5 s. Errors: `Refused` conflict. */
  async request({ stack, last }: StatusInput): Promise<void> {
    const { store, scheduler, clock } = this.#context
    const requested = this.#requested
    const at = clock.elapsed()
    if (requested !== undefined && requested.run === last?.id && at < requested.at + healthEveryMs) return
    refuseUnchecked(stack)
    this.#requested = { run: last?.id, at }
    await store.stacks.change(stack.id, { checkedAt: null })
    scheduler.runs.wake(stack.id)
  }
}

function refuseUnchecked({ spec: { name, drift } }: Stack): void {
  if (drift !== 'ignore') return
  throw new Refused('conflict', `Nothing checks whether ${name} is healthy: it ignores drift.`, {
    code: 'stacks/health-unchecked',
    hint: `Have it checked: gitmoor stack set ${name} --drift report`,
  })
}
