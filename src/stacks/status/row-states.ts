// The states of stacks by their rows of the status table and by what the process knows. It reads stacks only if they
// follow a channel whose newest move is blocked, or if an agent without its configuration file leaves them alone.
import { chunks } from '../../lib/chunks.js'
import type { Stack } from '../../model/stacks/stack.js'
import { stackState, type State } from '../../status/status.js'
import type { StackStatusRow } from '../../store/feed.js'
import type { LiveStacks } from '../../store/stack-table.js'
import type { Context } from '../context.js'
import { blockedMoves } from './status-input.js'

type StateContext = Pick<Context, 'store' | 'sync' | 'scheduler' | 'configuration'>

/** `failed`: its last run or the last poll failed, or nothing is done for it. */
export interface RowState {
  readonly state: State
  readonly failed: boolean
}

/** The row of a stack, with the state that the process knows. */
export interface LiveRow {
  readonly row: StackStatusRow
  readonly state: State
}

/** Stacks whose state may be another one than what is stored alone says. */
export async function liveRows(context: StateContext): Promise<readonly LiveRow[]> {
  const { store, scheduler } = context
  const found: LiveRow[] = []
  for (const some of chunks(await store.feed.liveStacks({ live: liveStacks(context), liveStatus: scheduler.live }))) {
    const rows = await store.feed.statusesOf(some)
    const known = await rowStates(context, rows)
    found.push(...rows.map((row) => ({ row, state: known.get(row.stack)!.state })))
  }
  return found
}

/** By id. */
export function statesOf(rows: readonly LiveRow[]): ReadonlyMap<string, State> {
  return new Map(rows.map(({ row, state }) => [row.stack, state]))
}

/** The stacks of which the process may know something. */
export function liveStacks({ sync, scheduler, configuration }: StateContext): LiveStacks {
  return {
    stacks: [...followersOfBlocked({ scheduler })],
    exceptTargets: sync.targets.names,
    exceptManagedBy: configuration().file === null ? 'api' : undefined,
  }
}

/** By id. */
export async function rowStates(
  context: StateContext,
  rows: readonly StackStatusRow[],
): Promise<ReadonlyMap<string, RowState>> {
  const { store, configuration } = context
  const followers = followersOfBlocked(context)
  const isLeftAlone = (row: StackStatusRow): boolean => configuration().file === null && row.managedBy !== 'api'
  const whole = rows.filter((row) => followers.has(row.stack) || isLeftAlone(row)).map(({ stack }) => stack)
  const stacks = new Map((whole.length === 0 ? [] : await store.stacks.many(whole)).map((stack) => [stack.id, stack]))
  return new Map(rows.map((row) => [row.stack, rowState(context, row, stacks.get(row.stack))]))
}

function rowState(context: StateContext, row: StackStatusRow, stack: Stack | undefined): RowState {
  const { live } = context.scheduler
  const isTargetMissing = !context.sync.targets.has(row.target) && !row.undeclared
  const isRefused = stack !== undefined && context.scheduler.refusal(stack) !== undefined
  const failed = row.failing || live.pollFailure(row.stack) !== undefined || isTargetMissing || isRefused
  const state = stackState({
    ...row,
    isFailed: failed,
    isUnfinished: row.unfinished,
    isInProgress: live.inProgress.has(row.lastRun),
    isBlocked: live.blockers.has(row.stack),
    isDrifted: row.drifted > 0,
    isDegraded: row.secretMissing || live.unreadableInputs.has(row.stack) || row.unhealthy > 0,
    isSuspended: row.suspended,
    isPinned: row.pinned,
    blockedMoves: stack === undefined ? [] : blockedMoves(context, stack),
  })
  return { state, failed }
}

function followersOfBlocked({ scheduler }: Pick<Context, 'scheduler'>): ReadonlySet<string> {
  const { channels, polls } = scheduler
  return new Set([...channels.blockedRemotes].flatMap((remote) => [...(polls.followers.get(remote) ?? [])]))
}
