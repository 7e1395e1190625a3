import type { ChannelMove } from '../sources/channel.js'
import type { ResourceIdentity } from '../resources/resource.js'
import type { Phase, Run } from './run.js'

/** A run was queued, entered a phase, or ended. `stack`: its id; `name`: the stack's name. */
export interface RunEvent {
  readonly type: 'run.queued' | 'run.phase' | 'run.ended'
  readonly stack: string
  readonly name: string
  /** Without plan and problems. */
  readonly run: Run
  readonly phase: Phase
}

/** A stack was created, changed or deleted. */
export interface StackEvent {
  readonly type: 'stack.created' | 'stack.changed' | 'stack.deleted'
  readonly stack: string
  readonly name: string
}

/** A ref that stacks follow moved. */
export interface ChannelEvent {
  readonly type: 'channel.moved'
  readonly move: ChannelMove
}

/** A client changed a resource on a target itself, through an API of the target's platform: no stack did. */
export interface TargetEvent {
  readonly type: 'target.changed'
  readonly target: string
  readonly resource: ResourceIdentity
  readonly operation: 'create' | 'update' | 'remove'
}

/** An event for clients that watch. */
export type Event = RunEvent | StackEvent | ChannelEvent | TargetEvent

/** An event with its number: `id` grows, and differs between processes; `at`: milliseconds since the epoch. */
export interface NumberedEvent {
  readonly id: string
  readonly at: number
  readonly event: Event
}
