// A stack that does not exist yet: whether it can be created.
import { Refused, SyncError } from '../../model/errors.js'
import type { Problem } from '../../model/problem.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { withoutUndefined } from '../../lib/without-undefined.js'
import { nameTaken } from '../../store/stack-table.js'
import type { Context } from '../context.js'
import { refuseSources } from '../load-package/remotes.js'
import { refusePlainValues } from './refuse-plain-values.js'
import { checkSettings } from './stack-settings.js'
import { refuseDependencies } from './update-stack.js'

/**
 * The stack as a creation would store it, without an id. Errors: why it cannot be created; of several reasons,
 * `Refused` usage with all of them.
 */
export async function checkNewStack(context: Context, spec: StackSpec): Promise<Stack> {
  const { targets, inputs } = context.sync
  const stack = unstoredStack(spec, context.clock.now())
  const refusals = await refusalsOf([
    () => refuseTaken(context, spec),
    () => targets.refuseUnknown(spec.target),
    () => checkSettings(spec, targets),
    ...spec.sources.map((source) => () => refuseSources(context, { ...spec, sources: [source] })),
    () => refuseDependencies(context, spec),
    () => inputs.refuseReferences(spec),
    () => refusePlainValues(context, stack, Object.keys(spec.values ?? {})),
  ])
  const [first, ...others] = refusals
  if (first === undefined) return stack
  throw others.length === 0 ? first : severalRefusals(spec, refusals)
}

/** A stack of which nothing is observed, applied or decided yet. */
export function unstoredStack(spec: StackSpec, now: number): Stack {
  return {
    id: '',
    spec,
    managedBy: 'api',
    createdAt: now,
    suspended: null,
    pinned: null,
    pushed: null,
    observed: null,
    attempted: null,
    applied: null,
    consent: null,
    checkedAt: null,
    drifted: 0,
    driftedSince: null,
    unhealthy: null,
    unhealthySince: null,
    failure: null,
    retries: 0,
    retryAt: null,
  }
}

async function refuseTaken({ store }: Context, { name }: StackSpec): Promise<void> {
  if ((await store.stacks.get(name)) !== undefined) throw nameTaken(name)
}

async function refusalsOf(checks: readonly (() => void | Promise<void>)[]): Promise<readonly SyncError[]> {
  const refusals: SyncError[] = []
  for (const check of checks) {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof SyncError)) throw error
      refusals.push(error)
    }
  }
  return refusals
}

function severalRefusals({ name }: StackSpec, refusals: readonly SyncError[]): Refused {
  const problems = refusals.flatMap(problemsOf)
  return new Refused('usage', `${name} cannot be created: it has ${problems.length} problems.`, {
    code: 'stacks/not-creatable',
    problems,
  })
}

/** Problems without a hint get that of their refusal. */
function problemsOf(refusal: SyncError): readonly Problem[] {
  const hint = withoutUndefined({ hint: refusal.hint })
  if (refusal instanceof Refused && refusal.problems.length > 0)
    return refusal.problems.map((problem) => ({ ...hint, ...problem }))
  return [{ severity: 'error', code: refusal.code, message: refusal.message, ...hint }]
}
