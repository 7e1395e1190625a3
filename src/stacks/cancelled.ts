import type { Failure, Stack } from '../model/stack.js'

const reason = 'Cancelled'

/** What a cancelled run means for its stack: the revision waits as a rejected one does (design: The journal). */
export function cancelledFailure({ spec }: Stack, message: string): Failure {
  return { reason, code: 'run/cancelled', message, retry: 'change', hint: `It waits for a new revision, or: gitmoor sync ${spec.name}` }
}

export function isCancelled({ failure }: Stack): boolean {
  return failure?.reason === reason
}
