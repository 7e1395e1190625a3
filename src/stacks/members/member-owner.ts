import type { StackOwner } from '../../model/stacks/stack-owner.js'
import type { Stack, StackSpec, Suspension } from '../../model/stacks/stack.js'

/** Who declares stacks, and how messages and the history name it. */
export interface MemberOwner {
  readonly managedBy: StackOwner
  /** After `Stack boards`: `of the configuration file`. */
  readonly of: string
  /** The code of problems of single stacks. */
  readonly code: string
  /** How to give a stack another name. */
  readonly rename: string
  /** Why stacks that it no longer declares are suspended. */
  readonly gone: (stack: Stack) => Pick<Suspension, 'reason' | 'declaredIn'>
  /** What of its declaration made or changed a stack, for the history: `teams/web at stable@2f1c9ab`. */
  readonly origin?: (spec: StackSpec) => string
  /** A problem of one stack changes nothing of any. Default: the others are kept. */
  readonly allOrNothing?: true
  /** Settings that this owner must not declare. Errors: `Refused`. */
  readonly refuse?: (spec: StackSpec) => void
}
