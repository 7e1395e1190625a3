import { Command, type CommanderError } from 'commander'
import { Bug, describeError, InvalidPackage, Refused, SyncError, tooManyOpen } from '../../model/errors.js'
import { printable, quoted } from '../../lib/text/printable.js'
import { withoutUndefined } from '../../lib/without-undefined.js'
import { shellWord } from '../../lib/text/shell-word.js'
import type { Problem } from '../../model/problem.js'
import { similarWord, suggestion } from '../../settings/did-you-mean.js'
import { CliError, UsageError } from '../errors/cli-error.js'
import { exitCode, exitCodeOfStatus } from '../exit-code.js'
import { hintLines } from './next-lines.js'
import { problemLines } from './problem-text.js'
import type { Style } from './text.js'

interface ErrorParts {
  readonly status: string
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly suggestion?: string
  readonly problems: readonly Problem[]
  readonly requestId?: string
  readonly exit: number
}

/** An error as lines: what happened, where, and what to do next. */
export function errorLines(error: unknown, style: Style): readonly string[] {
  const { status, message, hint, problems, requestId } = errorParts(error)
  const requestLine = status !== 'internal' || requestId === undefined ? [] : [`  requestId: ${printable(requestId)}`]
  const next = [...requestLine, ...hintLines(hint)]
  const same = problems.find((problem) => problem.message === message)
  if (same !== undefined)
    return [...problems.flatMap((problem) => problemLines(problem, style)), ...(same.hint === undefined ? next : [])]
  const listed = problems.flatMap((problem) => problemLines(problem, style).map((line) => `  ${line}`))
  const said = new Set(listed.map((line) => line.trim()))
  return [`${style.red('error:')} ${printable(message)}`, ...listed, ...next.filter((line) => !said.has(line.trim()))]
}

/** An error about a typo, with the command as it was typed, corrected. */
export function withCorrectedCommand(error: unknown, argv: readonly string[]): unknown {
  if (!(error instanceof CliError) || error.suggestion === undefined) return error
  const { exit, message, code, status, suggestion: meant, problems, requestId, cause } = error
  const words = argv.filter((word) => word !== meant && !word.startsWith('-'))
  const typed = similarWord(meant, words)
  if (typed === undefined || error.hint !== suggestion(meant)) return error
  const hint = `${error.hint} Type: ${commandLine(argv.with(argv.indexOf(typed), meant))}`
  const facts = { code, status, hint, suggestion: meant, problems, cause }
  return new CliError(exit, message, { ...facts, ...withoutUndefined({ requestId }) })
}

/** The same for `--json`, in the form of API errors. */
export function errorValue(error: unknown): object {
  const { status, code, message, hint, suggestion: meant, problems, requestId } = errorParts(error)
  return {
    error: {
      status,
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(meant === undefined ? {} : { suggestion: meant }),
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

/**
 * An error of the argument parser; undefined: the command line had no verb, and the parser printed the help. `command`:
 * the command that the line names.
 */
export function usageError(
  error: CommanderError,
  argv: readonly string[],
  command: Command = new Command('gitmoor'),
): UsageError | undefined {
  if (error.code === 'commander.help') return undefined
  return new UsageError(usageMessage(error), usageHint(error, argv, command))
}

function usageMessage(error: CommanderError): string {
  const required = requiredOption(error)
  if (required !== undefined) return `The option ${required.option} is required.`
  const [line = ''] = error.message.split('\n')
  const bare = line.replace(/^error: /, '').replaceAll(/ <[^>]*>/g, '')
  const what = invalidValue(error)?.what ?? bare.replace(/([^.])$/, '$1.')
  return what.charAt(0).toUpperCase() + what.slice(1)
}

/** Where possible, the whole command as it was typed, corrected. */
function usageHint(error: CommanderError, argv: readonly string[], command: Command): string {
  const [, named = ''] = /'(.*?)'/.exec(error.message) ?? []
  const typed = invalidValue(error)?.value ?? named
  const familiar = error.code === 'commander.unknownCommand' ? familiarCommand(argv, typed, command) : undefined
  if (familiar !== undefined) return `Type: ${commandLine(familiar)}`
  const known = knownWords(error, command)
  const similar = familiarOption(typed, known) ?? similarWord(typed, known) ?? longerOption(typed, known)
  const at = argv.findLastIndex((word) => word === typed || word.startsWith(`${typed}=`) || word.endsWith(`=${typed}`))
  if (similar !== undefined) {
    const corrected = at < 0 ? '' : ` Type: ${commandLine(argv.with(at, argv[at]!.replace(typed, similar)))}`
    return suggestion(similar) + corrected
  }
  const format = /^--(markdown|json|yaml)$/.exec(typed)?.[1]
  if (format !== undefined && hasFormat(command, format) && at >= 0)
    return `Type: ${commandLine(argv.toSpliced(at, 1, '-o', format))}`
  const { option, value } = requiredOption(error) ?? {}
  if (option !== undefined) return `${commandLine(argv)} ${option} ${option === '--why' ? '"REASON"' : value}`
  const takesSelector = command.options.some(({ long }) => long === '--selector')
  if (error.code === 'commander.excessArguments' && takesSelector && command.registeredArguments.length === 1)
    return 'For several stacks, pass -l, --fleet or --all.'
  return `See the usage: ${commandPath(command)} --help`
}

/**
 * The command that does what the verb of another GitOps, infrastructure or container tool does there, or the whole name
 * of a command of channels; undefined: none is known. `command`: to which the unknown verb was given.
 */
function familiarCommand(argv: readonly string[], verb: string, command: Command): readonly string[] | undefined {
  const at = argv.indexOf(verb)
  if (verb === 'import' && command.name() === 'stack') return adoption(argv, at)
  if (command.parent !== null) return undefined
  const list = verb === 'get' || verb === 'list' ? familiarLists.get(argv[at + 1] ?? '') : undefined
  if (list !== undefined) return argv.toSpliced(at, 2, ...list)
  const isAboutOne = argv[at + 1]?.startsWith('-') === false
  const words = (isAboutOne ? familiarForOne : familiarForAll).get(verb)
  const selection = verb === 'reconcile' && at === argv.length - 1 ? ['--all'] : []
  return words && argv.toSpliced(at, 1, ...words, ...selection)
}

/** `stack adopt` for `import [NAME] ADDRESS [ID]`, with a placeholder for what is missing. */
function adoption(argv: readonly string[], at: number): readonly string[] {
  const before = argv.slice(0, at).filter((word) => word !== 'stack')
  const words = argv.slice(at + 1)
  if (words.some((word) => /^--id(=|$)/.test(word))) return [...before, 'stack', 'adopt', ...words]
  const address = words.findIndex((word) => /^[A-Z]\w*\//.test(word))
  const name = address > 0 ? words[address - 1]! : 'NAME'
  const id = address < 0 ? undefined : words[address + 1]
  return [...before, 'stack', 'adopt', name, words[address] ?? 'ADDRESS', '--id', id ?? 'ID']
}

/** The commands that list what `get stacks` and the like list in Kubernetes. */
const familiarLists: ReadonlyMap<string, readonly string[]> = new Map([
  ['channels', ['channel', 'list']],
  ['fleets', ['fleet', 'list']],
  ['resources', ['resource', 'list']],
  ['stacks', ['stack', 'list']],
  ['targets', ['target', 'list']],
  ['webhooks', ['webhook', 'list']],
])

const familiarForAll: ReadonlyMap<string, readonly string[]> = new Map([
  ['destroy', ['stack', 'delete', 'NAME', '--uninstall']],
  ['get', ['stack', 'list']],
  ['list', ['stack', 'list']],
  ['logs', ['history']],
  ['reconcile', ['sync']],
  ['status', ['stack', 'list']],
  ['version', ['--version']],
])

const familiarForOne: ReadonlyMap<string, readonly string[]> = new Map([
  ['create', ['stack', 'create']],
  ['delete', ['stack', 'delete']],
  ['describe', ['explain']],
  ['destroy', ['stack', 'delete', '--uninstall']],
  ['diff', ['plan']],
  ['get', ['stack', 'get']],
  ['logs', ['history']],
  ['pin', ['channel', 'pin']],
  ['promote', ['channel', 'promote']],
  ['reconcile', ['sync']],
  ['status', ['explain']],
  ['veto', ['channel', 'veto']],
])

const familiarOptions: ReadonlyMap<string, string> = new Map([
  ['--save', '--out'],
  ['-v', '--version'],
])

/** The option that other tools call so. */
function familiarOption(typed: string, known: readonly string[]): string | undefined {
  const option = familiarOptions.get(typed)
  return option !== undefined && known.includes(option) ? option : undefined
}

/** The letters of an option that a typo leaves intact at its beginning. */
const leastLetters = 5

/** The only option that begins like a shorter one, but for its last letter: `--detailed-exitcode` for `--detaild`. */
function longerOption(typed: string, known: readonly string[]): string | undefined {
  if (!typed.startsWith('--') || typed.length < '--'.length + leastLetters) return undefined
  const beginning = typed.slice(0, -1)
  const [longer, ...others] = new Set(known.filter((option) => option.startsWith(beginning)))
  return others.length === 0 ? longer : undefined
}

function hasFormat({ options }: Command, format: string): boolean {
  return options.some(({ long, argChoices }) => long === '--output' && argChoices?.includes(format) === true)
}

function requiredOption({ code, message }: CommanderError): { option: string; value: string } | undefined {
  const [, option, value = ''] = /(--[a-z-]+) <([A-Z]+)>/.exec(message) ?? []
  return code === 'commander.missingMandatoryOptionValue' && option !== undefined ? { option, value } : undefined
}

/** The words among which a wrong one has its correction: commands, options or the choices of a value. */
function knownWords({ code, message }: CommanderError, command: Command): readonly string[] {
  switch (code) {
    case 'commander.unknownCommand':
      return command.commands.map((one) => one.name())
    case 'commander.unknownOption':
      return [command, ...ancestors(command)].flatMap(({ options }) => options.flatMap(({ long }) => long ?? []))
    case 'commander.invalidArgument':
      return /Allowed choices are (.*?)\.$/m.exec(message)?.[1]?.split(', ') ?? []
    default:
      return []
  }
}

/** `option '--max-deletes <N>' argument 'abc' is invalid. It must …` in the words of other errors. */
function invalidValue({ code, message }: CommanderError): { what: string; value: string } | undefined {
  if (code !== 'commander.invalidArgument') return undefined
  const pattern = /'(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s
  const [, option, value = '', why = ''] = pattern.exec(message) ?? []
  if (option !== undefined) return { what: `Invalid value ${quoted(value)} for ${option}. ${why}`, value }
  const [, other, name, words] = /argument value '(.*)' is invalid for argument '(.*?)'\. (.*)$/s.exec(message) ?? []
  return other === undefined
    ? undefined
    : { what: `Invalid value ${quoted(other)} for ${name}. ${words}`, value: other }
}

function ancestors({ parent }: Command): readonly Command[] {
  return parent === null ? [] : [parent, ...ancestors(parent)]
}

function commandPath(command: Command): string {
  return [command, ...ancestors(command)]
    .map((one) => one.name())
    .reverse()
    .join(' ')
}

function commandLine(argv: readonly string[]): string {
  return `gitmoor ${argv.map(shellWord).join(' ')}`
}
