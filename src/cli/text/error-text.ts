import type { CommanderError } from 'commander'
import { Bug, describeError, InvalidPackage, Refused, SyncError, tooManyOpen } from '../../model/errors.js'
import { printable } from '../../lib/printable.js'
import { shellWord } from '../../lib/shell-word.js'
import type { Problem } from '../../model/problem.js'
import { CliError, UsageError } from '../cli-error.js'
import { exitCode, exitCodeOfStatus } from '../exit-code.js'
import { problemLines } from './problem-text.js'
import type { Style } from './text.js'

interface ErrorParts {
  readonly status: string
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly problems: readonly Problem[]
  readonly requestId?: string
  readonly exit: number
}

/** An error as lines: what happened, where, and what to do next. */
export function errorLines(error: unknown, style: Style): readonly string[] {
  const { status, message, hint, problems, requestId } = errorParts(error)
  const requestLine = status !== 'internal' || requestId === undefined ? [] : [`  requestId: ${printable(requestId)}`]
  const next = [...requestLine, ...(hint === undefined ? [] : [`  next: ${printable(hint)}`])]
  const same = problems.find((problem) => problem.message === message)
  if (same !== undefined)
    return [...problems.flatMap((problem) => problemLines(problem, style)), ...(same.hint === undefined ? next : [])]
  const listed = problems.flatMap((problem) => problemLines(problem, style).map((line) => `  ${line}`))
  return [`${style.red('error:')} ${printable(message)}`, ...listed, ...next]
}

/** The same for `--json`, in the form of API errors. */
export function errorValue(error: unknown): object {
  const { status, code, message, hint, problems, requestId } = errorParts(error)
  return {
    error: {
      status,
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(problems.length === 0 ? {} : { problems }),
      ...(requestId === undefined ? {} : { requestId }),
    },
  }
}

export function exitCodeOfError(error: unknown): number {
  return errorParts(error).exit
}

/** Verbs that use no agent (`agent`, `validate`) throw errors of other rooms. */
function errorParts(given: unknown): ErrorParts {
  const error = tooManyOpen(given) ?? given
  if (error instanceof CliError) return error
  if (error instanceof SyncError && !(error instanceof Bug)) {
    const status = error instanceof Refused ? error.status : 'failed'
    const problems = error instanceof Refused || error instanceof InvalidPackage ? error.problems : []
    const { code, hint } = error
    return {
      status,
      code,
      message: describeError(error),
      problems,
      exit: exitCodeOfStatus(status),
      ...(hint === undefined ? {} : { hint }),
    }
  }
  const hint = 'This is a bug in gitmoor. Please report it.'
  return { status: 'internal', code: 'bug', message: describeError(error), hint, problems: [], exit: exitCode.error }
}

/** An error of the argument parser; undefined: the command line had no verb, and the parser printed the help. */
export function usageError(error: CommanderError, argv: readonly string[]): UsageError | undefined {
  if (error.code === 'commander.help') return undefined
  const what = error.message
    .split('\n')[0]!
    .replace(/^error: /, '')
    .replace(/([^.])$/, '$1.')
  return new UsageError(what.charAt(0).toUpperCase() + what.slice(1), usageHint(error, argv))
}

/** Where possible, the whole command as it was typed, corrected. */
function usageHint({ code, message }: CommanderError, argv: readonly string[]): string {
  const [, quoted = ''] = /'(.*?)'/.exec(message) ?? []
  const suggestion = /\(Did you mean (.*)\?\)$/.exec(message)?.[1]
  const at = argv.findIndex((word) => word === quoted || word.startsWith(`${quoted}=`))
  if (suggestion !== undefined && at >= 0 && !suggestion.includes(' ')) {
    const corrected = suggestion + argv[at]!.slice(quoted.length)
    return `Did you mean: ${commandLine(argv.with(at, corrected))}`
  }
  if (suggestion !== undefined) return `Did you mean ${suggestion}?`
  const [, option, value] = /(--[a-z-]+) <([A-Z]+)>/.exec(quoted) ?? []
  if (code === 'commander.missingMandatoryOptionValue' && option !== undefined)
    return `${commandLine(argv)} ${option} ${option === '--why' ? '"REASON"' : value}`
  return 'List the commands: gitmoor --help. List the options of a command: gitmoor COMMAND --help.'
}

function commandLine(argv: readonly string[]): string {
  return `gitmoor ${argv.map(shellWord).join(' ')}`
}
