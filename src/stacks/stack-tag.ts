// The entity tag of a stack, and the precondition of a change: docs/reference/api.md#change-only-what-you-have-read.
import { hash } from 'node:crypto'
import { StackChanged } from '../model/errors.js'
import type { Stack } from '../model/stacks/stack.js'
import type { StackCheck } from '../store/stack-table.js'
import { specDigest } from './settings-digest.js'

/** Changes happen only to a stack with one of these tags. Absent: to any. */
export interface Precondition {
  readonly ifMatch?: readonly string[]
}

const tagDigits = 32

/** Changes with what people decide: settings, suspension, pin and pushed package. Nothing else changes it. */
export function stackTag({ id, managedBy, spec, suspended, pinned, pushed }: Stack): string {
  const decided = JSON.stringify([id, managedBy, specDigest(spec), suspended, pinned, pushed])
  return `"${hash('sha256', decided).slice(0, tagDigits)}"`
}

/** Refuses a request before it begins. Errors: `StackChanged`. */
export function refuseChanged(stack: Stack, precondition: Precondition): void {
  ifUnchanged(precondition)?.(stack)
}

/**
 * The same check for the transaction in which the request takes effect: the stack may change until then. undefined:
 * there is nothing to check.
 */
export function ifUnchanged({ ifMatch }: Precondition): StackCheck | undefined {
  if (ifMatch === undefined) return undefined
  return (stack) => {
    if (!ifMatch.includes(stackTag(stack))) throw new StackChanged(stack)
  }
}
