import type { Problem } from '../model/problem.js'

export interface CliErrorFacts {
  /** `api/token`: the room, then what. Default `cli/STATUS`. */
  readonly code?: string
  readonly status?: string
  /** What to do next. */
  readonly hint?: string
  readonly problems?: readonly Problem[]
  /** Of the request that the agent refused. */
  readonly requestId?: string
  readonly cause?: unknown
}

/** Why a verb ends without having done what was asked. Printed once, at the end; `exit` is the process's exit code. */
export class CliError extends Error {
  readonly exit: number
  readonly code: string
  readonly status: string
  readonly hint?: string
  readonly problems: readonly Problem[]
  readonly requestId?: string
  constructor(exit: number, message: string, facts: CliErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.exit = exit
    this.status = facts.status ?? 'failed'
    this.code = facts.code ?? `cli/${this.status}`
    if (facts.hint !== undefined) this.hint = facts.hint
    this.problems = facts.problems ?? []
    if (facts.requestId !== undefined) this.requestId = facts.requestId
  }
}

/** The command line, or a file it names, is not as it should be. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string, problems: readonly Problem[] = []) {
    super(3, message, { status: 'usage', problems, ...(hint === undefined ? {} : { hint }) })
  }
}
