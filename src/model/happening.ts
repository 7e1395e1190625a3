import type { ChannelMove } from './channel.js'
import type { Phase, Run } from './run.js'

/** A run came, entered a phase, or ended. `stack`: its id; `name`: the stack's name. */
export interface RunHappening {
  readonly type: 'run.queued' | 'run.phase' | 'run.ended'
  readonly stack: string
  readonly name: string
  /** Without plan and problems. */
  readonly run: Run
  readonly phase: Phase
}

/** A stack came, is another than before, or is gone. */
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

/** Something that happened, told to whoever watches. */
export type Happening = RunHappening | StackHappening | ChannelHappening

/** A happening in its place: `id` grows, and is no other process's; `at`: milliseconds since the epoch. */
export interface NumberedHappening {
  readonly id: string
  readonly at: number
  readonly happening: Happening
}
