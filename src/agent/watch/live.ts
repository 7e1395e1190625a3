import type { RunBlocker } from '../../model/stacks/blocker.js'
import type { UnreadableInput } from '../../model/resources/inputs.js'
import type { Phase, Run } from '../../model/stacks/run.js'
import type { Failure } from '../../model/stacks/stack.js'
import type { LiveFacts, PollDelay } from '../../stacks/scheduler.js'
import { PollFailures } from './poll-failures.js'

/** What only the process knows of stacks, remotes and runs. Polls and runs write it, everything else reads it. */
export class Live implements LiveFacts {
  /** Remotes of stacks whose last poll failed. */
  readonly unreachable = new PollFailures()
  /** Why nothing could be stored about a stack: the database failed. */
  readonly stuck = new Map<string, Failure>()
  /** Stacks with a drift check in progress that queues a correction of what it finds. */
  readonly correcting = new Set<string>()
  readonly blockers = new Map<string, readonly RunBlocker[]>()
  readonly unreadableInputs = new Map<string, readonly UnreadableInput[]>()
  /** Phases of the runs in progress, by run. */
  readonly inProgress = new Map<string, Phase>()
  /** Why the next poll of a remote is later than its interval says. */
  readonly pollDelays = new Map<string, PollDelay>()

  /** Copied at each call: `pollFailure` is for one stack. */
  get pollFailures(): ReadonlyMap<string, Failure> {
    return new Map([...this.unreachable.failures, ...this.stuck])
  }

  pollFailure(stack: string): Failure | undefined {
    return this.stuck.get(stack) ?? this.unreachable.failureOf(stack)
  }

  isCorrecting(stack: string): boolean {
    return this.correcting.has(stack)
  }

  blockersOf(stack: string): readonly RunBlocker[] {
    return this.blockers.get(stack) ?? []
  }

  setBlockers(stack: string, blockers: readonly RunBlocker[]): void {
    if (blockers.length === 0) this.blockers.delete(stack)
    else this.blockers.set(stack, blockers)
  }

  unreadableInputsOf(stack: string): readonly UnreadableInput[] {
    return this.unreadableInputs.get(stack) ?? []
  }

  setUnreadableInputs(stack: string, inputs: readonly UnreadableInput[]): void {
    if (inputs.length === 0) this.unreadableInputs.delete(stack)
    else this.unreadableInputs.set(stack, inputs)
  }

  phaseOf({ id }: Pick<Run, 'id'>): Phase | undefined {
    return this.inProgress.get(id)
  }

  /** A run in progress entered a phase. */
  setPhase({ id }: Pick<Run, 'id'>, phase: Phase): void {
    if (this.inProgress.has(id)) this.inProgress.set(id, phase)
  }

  /** The stack was deleted. */
  remove(stack: string): void {
    this.unreachable.remove(stack)
    this.blockers.delete(stack)
    this.unreadableInputs.delete(stack)
  }
}
