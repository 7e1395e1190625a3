// Errors are failures of the environment: thrown, and caught at an edge. A subclass is a reaction, not a message.
import { faultText } from '../lib/text/fault-text.js'
import { countProblems, errorsOf, firstProblems, isTargetConflict, type Problem } from './problem.js'

export interface ErrorFacts {
  /** `source/ref-missing`: the room that reports it, then what is wrong. */
  readonly code: string
  readonly path?: string
  /** What to do next. */
  readonly hint?: string
  /** The existing name, ref or path of which the missing one is probably a typo. */
  readonly suggestion?: string
  /** The target refuses the credential that gitmoor has for it, or the credential lacks a permission. */
  readonly refusesAccess?: true
  readonly cause?: unknown
}

export class SyncError extends Error {
  readonly code: string
  readonly path?: string
  readonly hint?: string
  readonly suggestion?: string
  readonly refusesAccess?: true
  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = new.target.name
    this.code = facts.code
    if (facts.path !== undefined) this.path = facts.path
    if (facts.hint !== undefined) this.hint = facts.hint
    if (facts.suggestion !== undefined) this.suggestion = facts.suggestion
    if (facts.refusesAccess !== undefined) this.refusesAccess = facts.refusesAccess
  }
}

/** The longest delay that a server may ask for; longer ones are cut to this. */
export const mostRetryAfterMs = 900_000

/** The server is unreachable or failed; retrying soon may help. `retryAfterMs`: the delay that the server asked for. */
export class Unavailable extends SyncError {
  readonly retryAfterMs?: number
  constructor(message: string, facts: ErrorFacts & { readonly retryAfterMs?: number }) {
    super(message, facts)
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs
  }
}

/** The server refused; it will refuse again until something changes. */
export class Rejected extends SyncError {}

/**
 * Something else on the target has the name that a write needs. Nobody has to change the package: a later attempt reads
 * the target again.
 */
export class TargetConflict extends Rejected {}

/** A person must decide. */
export class Ambiguous extends SyncError {}

/** A package (or `what`) that cannot be applied because of errors; `problems` has the first of them. */
export class InvalidPackage extends SyncError {
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[], code = 'package/invalid', what = 'The package') {
    const errors = errorsOf(problems)
    super(errors.length === 1 ? errors[0]!.message : `${what} has ${countProblems(errors)} errors.`, {
      code,
      ...(errors.length === 1 && errors[0]!.hint !== undefined ? { hint: errors[0]!.hint } : {}),
    })
    this.problems = firstProblems(problems)
  }
}

/** The reason of a stack that a conflict on its target blocks. */
export const conflictReason = 'TargetConflict'

/** True if the conflict on the target is all that is wrong, so gitmoor retries. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof InvalidPackage)) return error instanceof TargetConflict
  const errors = errorsOf(error.problems)
  return errors.length > 0 && errors.every(isTargetConflict)
}

/** The plan that a person saw is not the current plan. */
export class StalePlan extends SyncError {}

export const refusedStatuses = [
  'usage',
  'auth',
  'source',
  'target',
  'needs-approval',
  'stale',
  'not-found',
  'locked',
  'timeout',
  'cancelled',
  'conflict',
  'failed',
] as const

export type RefusedStatus = (typeof refusedStatuses)[number]

/** A request that cannot be carried out. HTTP and the command line map `status` to an HTTP status and an exit code. */
export class Refused extends SyncError {
  readonly status: RefusedStatus
  readonly problems: readonly Problem[]
  constructor(
    status: RefusedStatus,
    message: string,
    facts: Partial<ErrorFacts> & { readonly problems?: readonly Problem[] } = {},
  ) {
    super(message, { code: `refused/${status}`, ...facts })
    this.status = status
    this.problems = firstProblems(facts.problems ?? [])
  }
}

/** A stack is not as the client read it. */
export class StackChanged extends Refused {
  readonly stackId: string
  constructor({ id, spec }: { readonly id: string; readonly spec: { readonly name: string } }) {
    super('stale', `${spec.name} changed since it was read: If-Match does not match.`, {
      code: 'stacks/changed',
      hint: `Read it again, and decide again: gitmoor stack get ${spec.name}`,
    })
    this.stackId = id
  }
}

/** A fleet is not as the client read it. */
export class FleetChanged extends Refused {
  readonly fleet: string
  constructor(fleet: string) {
    super('stale', `Fleet ${fleet} changed since it was read: If-Match does not match.`, {
      code: 'fleets/changed',
      hint: `Read it again, and decide again: gitmoor fleet get ${fleet} -o yaml`,
    })
    this.fleet = fleet
  }
}

/** A condition that gitmoor must never reach. */
export class Bug extends SyncError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'bug', hint: 'This is a fault in gitmoor. Please report it with the log around it.', cause })
  }
}

/** Any thrown value as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Bug('A value that is not an Error was thrown.', thrown)
}

/** Why a run was stopped. The reason of an AbortSignal. */
export class Stopped extends SyncError {
  readonly why: 'superseded' | 'cancelled' | 'suspended' | 'shutdown' | 'timeout'
  constructor(why: Stopped['why'], message: string) {
    super(message, { code: `run/${why}` })
    this.why = why
  }
}

/** A newer run, or another process, has the stack now: the run must write nothing more. */
export class LeaseLost extends SyncError {}

/**
 * The message and those of its causes that it does not repeat, for a person. An error of a file that no other error
 * describes names the file.
 */
export function describeError(error: unknown): string {
  const seen: string[] = []
  for (let at: unknown = error; at instanceof Error && seen.length < 5; at = at.cause) {
    const message = at === error ? withPath(at) : faultText(at)
    if (!seen.some((one) => one.includes(message))) seen.push(message)
  }
  return seen.length > 0
    ? seen.map((one, at) => (at < seen.length - 1 ? one.replace(/\.$/, '') : one)).join(': ')
    : String(error)
}

function withPath(error: Error): string {
  const { path, syscall } = error as NodeJS.ErrnoException
  return path === undefined || syscall === undefined ? faultText(error) : `${path}: ${faultText(error)}`
}

const machineMessages: Readonly<Record<string, { readonly message: string; readonly hint: string }>> = {
  EMFILE: {
    message: 'gitmoor has too many files and connections open (EMFILE).',
    hint: 'Raise the limit of open files: ulimit -n, or LimitNOFILE= of the systemd unit; then restart the agent.',
  },
  ENFILE: {
    message: 'This machine has too many files and connections open (ENFILE).',
    hint: 'Close programs, or raise fs.file-max of the machine.',
  },
}

/** The error to throw if an error or one of its causes is a lack of file descriptors; undefined: another cause. */
export function tooManyOpen(error: unknown): Unavailable | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const facts = machineMessages[(at as NodeJS.ErrnoException).code ?? '']
    if (facts !== undefined)
      return new Unavailable(facts.message, { code: 'machine/open-files', hint: facts.hint, cause: at })
  }
  return undefined
}

const fullDiskCodes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']

/** True if the error or one of its causes says that a disk is full. */
export function isFullDisk(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (fullDiskCodes.includes((at as NodeJS.ErrnoException).code ?? '')) return true
  return false
}

/** What to do before a start if the directory's disk is full. */
export function freeSpaceHint(directory: string): string {
  return `The disk is full. Free space on the disk of ${directory}, then start the agent again.`
}
