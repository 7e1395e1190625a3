// completion: the words that can come next on a command line. Takes the tree of commands and the words so far; gives
// candidates, or the name of a list that only the agent knows. Pure.
import type { Argument, Command, Option } from 'commander'

/** A word that can come next, and its description. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

/** Known words and a list of the agent. Without either, the shell completes names of files. */
export interface Completion {
  readonly words: readonly Candidate[]
  readonly list?:
    | 'stacks'
    | 'fleets'
    | 'runs'
    | 'plans'
    | 'channels'
    | 'moves'
    | 'targets'
    | 'labels'
    | 'selectors'
    | 'target-selectors'
    | 'resources'
    | 'addresses'
    | 'webhooks'
    | 'deliveries'
    | 'receivers'
    | 'messages'
  /** The first argument of the line: the stack of `runs`, `plans` and `addresses`, the channel of `moves`. */
  readonly first?: string
  /** What comes before each candidate: the option in `--target=`. */
  readonly before?: string
}

/** By the name of an argument or a value; for an option alone, after its own name. */
const lists: Readonly<Record<string, Completion['list']>> = {
  NAME: 'stacks',
  FLEET: 'fleets',
  RUN: 'runs',
  DIGEST: 'plans',
  '--digest DIGEST': undefined,
  CHANNEL: 'channels',
  FROM: 'channels',
  TO: 'channels',
  MOVE: 'moves',
  AT: 'moves',
  TARGET: 'targets',
  SELECTOR: 'selectors',
  '--label KEY=VALUE': 'labels',
  '--target-label SELECTOR': 'target-selectors',
  WHICH: 'resources',
  ADDRESS: 'addresses',
  HOOK: 'webhooks',
  DELIVERY: 'deliveries',
  RECEIVER: 'receivers',
  MESSAGE: 'messages',
}

/** `typed`: the words after the name of the program. The last one is incomplete, perhaps ''. */
export function completionFor(program: Command, typed: readonly string[]): Completion {
  const current = typed.at(-1) ?? ''
  const { command, given, pending } = parseTyped(program, typed.slice(0, -1))
  if (pending !== undefined) return valueCompletion(pending, command, current)
  const [, name, value] = /^(--[a-z-]+)=(.*)$/s.exec(current) ?? []
  const option = everyOption(command).find(({ long, required }) => long === name && required)
  if (option !== undefined) return withBefore(valueCompletion(option, command, value!), `${name}=`)
  if (current.startsWith('-')) return { words: matching(optionCandidates(command), current) }
  if (command.commands.length > 0 && given.length === 0) return { words: matching(verbCandidates(command), current) }
  const argument = command.registeredArguments[given.length] ?? lastVariadic(command.registeredArguments)
  if (argument === undefined) return { words: [] }
  return {
    ...fromName(argument.name(), argument.argChoices ?? [], current),
    ...(given[0] === undefined ? {} : { first: given[0] }),
  }
}

/** The verb of the line, its arguments so far, and the option that needs a value next. */
function parseTyped(
  program: Command,
  typed: readonly string[],
): { readonly command: Command; readonly given: readonly string[]; readonly pending: Option | undefined } {
  let command = program
  let given: string[] = []
  let pending: Option | undefined
  for (const word of typed) {
    if (pending !== undefined) pending = undefined
    else if (word.startsWith('-')) pending = optionAwaitingValue(command, word)
    else {
      const next = given.length === 0 ? command.commands.find((one) => one.name() === word) : undefined
      if (next === undefined) given = [...given, word]
      else command = next
    }
  }
  return { command, given, pending }
}

function optionAwaitingValue(command: Command, word: string): Option | undefined {
  if (word.includes('=')) return undefined
  const option = everyOption(command).find(({ long, short }) => long === word || short === word)
  return option?.required === true || option?.optional === true ? option : undefined
}

function valueCompletion(option: Option, command: Command, current: string): Completion {
  const value = (/[<[]([^>\]]+)/.exec(option.flags)?.[1] ?? '').replace(/\.\.\.$/, '')
  const alone = `${option.long ?? ''} ${value}`
  const found = fromName(Object.hasOwn(lists, alone) ? alone : value, option.argChoices ?? [], current)
  const isOfTargets = found.list === 'selectors' && command.parent?.name() === 'target'
  return isOfTargets ? { ...found, list: 'target-selectors' } : found
}

function withBefore(completion: Completion, before: string): Completion {
  return { ...completion, before, words: completion.words.map((one) => ({ ...one, word: before + one.word })) }
}

function fromName(name: string, choices: readonly string[], current: string): Completion {
  const list = lists[name]
  return {
    words: matching(
      choices.map((word) => ({ word, about: '' })),
      current,
    ),
    ...(list === undefined ? {} : { list }),
  }
}

function lastVariadic(all: readonly Argument[]): Argument | undefined {
  const last = all.at(-1)
  return last?.variadic === true ? last : undefined
}

function everyOption(command: Command): readonly Option[] {
  return command.parent === null ? command.options : [...command.options, ...everyOption(command.parent)]
}

function optionCandidates(command: Command): readonly Candidate[] {
  const help = { word: '--help', about: 'print help' }
  return [
    ...everyOption(command).flatMap(({ long, description }) =>
      long == null ? [] : [{ word: long, about: description }],
    ),
    help,
  ]
}

function verbCandidates(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ word: one.name(), about: one.description() }))
}

export function matching(candidates: readonly Candidate[], current: string): readonly Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(current))
}
