import type { Failure, Stack } from '../model/stack.js'

const reason = 'Cancelled'

/** The failure of a stack whose run was cancelled. Like a rejected revision, its revision is not retried. */
export function cancelledFailure({ spec }: Stack, message: string): Failure {
  return {
    reason,
    code: 'run/cancelled',
    message,
    retry: 'change',
    hint: `It waits for a new revision, or: gitmoor sync ${spec.name}`,
  }
}

export function isCancelled({ failure }: Stack): boolean {
  return failure?.reason === reason
}
