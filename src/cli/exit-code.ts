import type { MoveBlockerReason } from '../channel/blocked-move.js'
import type { RunBlocker } from '../model/stacks/blocker.js'
import type { Problem } from '../model/problem.js'
import type { Outcome } from '../model/stacks/run.js'
import type { StackRow } from '../views/stack.js'
import type { DeliveryView } from '../views/webhook.js'

/** Frozen: scripts rely on them. */
export const exitCode = {
  ok: 0,
  error: 1,
  /** Only with `--detailed-exitcode`. */
  changes: 2,
  usage: 3,
  auth: 4,
  source: 5,
  target: 6,
  /** A plan needs approval, or a safeguard refused the command. */
  needsApproval: 7,
  stale: 8,
  notFound: 9,
  /** Locked or suspended. */
  locked: 10,
  timeout: 11,
  cancelled: 12,
} as const

const byStatus: Readonly<Record<string, number>> = {
  usage: exitCode.usage,
  auth: exitCode.auth,
  source: exitCode.source,
  target: exitCode.target,
  'needs-approval': exitCode.needsApproval,
  stale: exitCode.stale,
  'not-found': exitCode.notFound,
  locked: exitCode.locked,
  timeout: exitCode.timeout,
  cancelled: exitCode.cancelled,
}

/** The exit code for the `status` of an API error; 1 for `conflict`, `failed`, `invalid`, `unavailable`, `internal`. */
export function exitCodeOfStatus(status: string): number {
  return byStatus[status] ?? exitCode.error
}

type QueuedRunBlocker = Pick<RunBlocker, 'reason'> & { readonly until: string | null; readonly stalled?: true }

/**
 * The exit code for a run that a command waited for. A failed run: by the room of its first error (source 5, package or
 * settings 1, claimed by another stack 7), else target 6. A blocked run: 7 if a channel blocks it or no window opens
 * later, 6 if its undo waits for the target, 5 if nobody pushed its package, 10 if it waits for a stack that does not
 * become ready by itself, else 0, because it starts by itself: also if that stack waits for a window that opens.
 */
export function exitCodeOfRun(run: {
  readonly phase: string
  readonly outcome: Outcome | null
  readonly problems: readonly Problem[]
  readonly blockers: readonly QueuedRunBlocker[]
}): number {
  if (run.phase === 'needs-approval') return exitCode.needsApproval
  const byOutcome: Readonly<Record<Outcome, number>> = {
    applied: exitCode.ok,
    unchanged: exitCode.ok,
    'needs-approval': exitCode.needsApproval,
    cancelled: exitCode.cancelled,
    failed: exitCodeOfProblems(run.problems),
    undone: exitCodeOfProblems(run.problems),
    superseded: exitCode.error,
    interrupted: exitCode.error,
  }
  return run.outcome === null ? exitCodeOfBlockers(run.blockers) : byOutcome[run.outcome]
}

const blockedMoves: readonly string[] = ['MoveNeedsApproval', 'MoveRefused', 'MoveVetoed'] satisfies MoveBlockerReason[]

/** A channel blocks a newer move until a person acts. */
export function isBlockedMove({ reason }: { readonly reason: string }): boolean {
  return blockedMoves.includes(reason)
}

/** The exit code of a stack after a sync that succeeded: 7 beside a blocked move. */
export function exitCodeOfSynced({ status: { reason, also } }: Pick<StackRow, 'status'>): number {
  return [reason, ...also].some((one) => isBlockedMove({ reason: one })) ? exitCode.needsApproval : exitCode.ok
}

/** The exit code of a delivery that a person sent: 5 if the poll failed, 1 if gitmoor refused it or failed itself. */
export function exitCodeOfDelivery({ result }: Pick<DeliveryView, 'result'>): number {
  if (result === 'failed') return exitCode.source
  return result === 'refused' || result === 'error' || result === 'interrupted' ? exitCode.error : exitCode.ok
}

const worstFirst: readonly number[] = [
  exitCode.error,
  exitCode.target,
  exitCode.source,
  exitCode.auth,
  exitCode.usage,
  exitCode.notFound,
  exitCode.stale,
  exitCode.timeout,
  exitCode.needsApproval,
  exitCode.locked,
  exitCode.cancelled,
  exitCode.changes,
]

/** The exit code of a command on several stacks. docs/reference/cli.md#several-stacks states the order. */
export function worstExitCode(codes: readonly number[]): number {
  return worstFirst.find((code) => codes.includes(code)) ?? exitCode.ok
}

function exitCodeOfBlockers(blockers: readonly QueuedRunBlocker[]): number {
  if (blockers.some(({ reason, until }) => reason === 'Channel' || (reason === 'Window' && until === null)))
    return exitCode.needsApproval
  if (blockers.some(({ reason }) => reason === 'Undoing')) return exitCode.target
  if (blockers.some(({ reason }) => reason === 'Suspended')) return exitCode.locked
  if (blockers.some(({ reason }) => reason === 'PackageMissing')) return exitCode.source
  if (blockers.some(({ stalled, until }) => stalled === true && until === null)) return exitCode.locked
  return blockers.length > 0 ? exitCode.ok : exitCode.error
}

/** The package, or the settings and inputs of the stack, must change. */
const declaringRooms: readonly string[] = ['package', 'kinds', 'graph', 'expand', 'stacks']

function exitCodeOfProblems(problems: readonly Problem[]): number {
  const room = problems.find((problem) => problem.severity === 'error')?.code.split('/')[0]
  if (room === 'source') return exitCode.source
  if (room !== undefined && declaringRooms.includes(room)) return exitCode.error
  if (room === 'plan') return exitCode.needsApproval
  return exitCode.target
}
