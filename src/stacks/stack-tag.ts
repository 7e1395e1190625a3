// The entity tag of a stack, and the precondition of a change: docs/reference/api.md#change-only-what-you-have-read.
import { createHash } from 'node:crypto'
import { StackChanged } from '../model/errors.js'
import type { Stack } from '../model/stack.js'

/** Changes happen only to a stack with one of these tags. Absent: to any. */
export interface Precondition {
  readonly ifMatch?: readonly string[]
}

const tagDigits = 32

/** Changes with the settings and with the decisions of people (suspended, pinned), and with nothing else. */
export function stackTag({ id, managedBy, spec, suspended, pinned }: Stack): string {
  const decided = JSON.stringify([id, managedBy, spec, suspended, pinned])
  return `"${createHash('sha256').update(decided).digest('hex').slice(0, tagDigits)}"`
}

/** Errors: `StackChanged`. */
export function refuseChanged(stack: Stack, { ifMatch }: Precondition): void {
  if (ifMatch !== undefined && !ifMatch.includes(stackTag(stack))) throw new StackChanged(stack)
}
