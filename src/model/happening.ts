import type { ChannelMove } from './channel.js'
import type { Phase, Run } from './run.js'

/** A run was queued, entered a phase, or ended. `stack`: its id; `name`: the stack's name. */
export interface RunHappening {
  readonly type: 'run.queued' | 'run.phase' | 'run.ended'
  readonly stack: string
  readonly name: string
  /** Without plan and problems. */
  readonly run: Run
  readonly phase: Phase
}

/** A stack was created, changed or deleted. */
export interface StackHappening {
  readonly type: 'stack.created' | 'stack.changed' | 'stack.deleted'
  readonly stack: string
  readonly name: string
}

/** A ref that stacks follow moved. */
export interface ChannelHappening {
  readonly type: 'channel.moved'
  readonly move: ChannelMove
}

/** An event for clients that watch. */
export type Happening = RunHappening | StackHappening | ChannelHappening

/** An event with its number: `id` grows, and differs between processes; `at`: milliseconds since the epoch. */
export interface NumberedHappening {
  readonly id: string
  readonly at: number
  readonly happening: Happening
}
