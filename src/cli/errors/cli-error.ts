import type { Problem } from '../../model/problem.js'
import { exitCode } from '../exit-code.js'

export interface CliErrorFacts {
  /** `cli/no-agent`: the room, then what happened. */
  readonly code: string
  /** As in errors of the API. Default: failed. */
  readonly status?: string
  /** What to do next. */
  readonly hint?: string
  /** The existing name of which a word of the command is probably a typo. */
  readonly suggestion?: string
  readonly problems?: readonly Problem[]
  /** The id of the request that the agent refused. */
  readonly requestId?: string
  readonly cause?: unknown
}

/** Ends a verb. It is printed once, at the end; `exit` is the exit code of the process. */
export class CliError extends Error {
  readonly exit: number
  readonly code: string
  readonly status: string
  readonly hint?: string
  readonly suggestion?: string
  readonly problems: readonly Problem[]
  readonly requestId?: string
  constructor(exit: number, message: string, facts: CliErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.exit = exit
    this.status = facts.status ?? 'failed'
    this.code = facts.code
    if (facts.hint !== undefined) this.hint = facts.hint
    if (facts.suggestion !== undefined) this.suggestion = facts.suggestion
    this.problems = facts.problems ?? []
    if (facts.requestId !== undefined) this.requestId = facts.requestId
  }
}

/** Invalid arguments, or an unusable file that they name. `code` defaults to `cli/usage`. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string, { code = 'cli/usage', ...facts }: Partial<CliErrorFacts> = {}) {
    super(exitCode.usage, message, { ...facts, code, status: 'usage', ...(hint === undefined ? {} : { hint }) })
  }
}
