import { withoutUndefined } from '../../lib/without-undefined.js'
import { Rejected } from '../../model/errors.js'
import type { Stack } from '../../model/stacks/stack.js'
import { failureHint } from '../../status/failure-blockers.js'
import type { Context } from '../context.js'

/** The error with the command that changes the setting which may end it, if there is one. */
export function withFix(stack: Stack, error: unknown): unknown {
  if (!(error instanceof Rejected)) return error
  const { code, message, path, suggestion } = error
  const hint = failureHint(stack, error)
  return new Rejected(message, { code, cause: error, ...withoutUndefined({ path, suggestion, hint }) })
}

/** Polls for a person. Errors say what to change. */
export async function pollForPerson({ scheduler }: Context, stack: Stack, signal: AbortSignal): Promise<void> {
  await scheduler.polls.poll(stack, signal).catch((error: unknown) => {
    throw withFix(stack, error)
  })
}
