import type { Run } from './run.js'

/** A deleted stack with its newest runs, newest first, without plans. `at`: milliseconds since the epoch. */
export interface DeletedStack {
  readonly id: string
  readonly name: string
  readonly target: string
  readonly at: number
  readonly by: string
  readonly runs: readonly Run[]
}

/** One entry of the list of deleted stacks. `seq`: decimal; a later deletion has a greater one. */
export interface StackDeletion extends Omit<DeletedStack, 'runs'> {
  readonly seq: string
}
