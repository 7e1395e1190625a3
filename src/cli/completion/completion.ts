// What can be typed next. Pure: from the tree of commands and the words so far.
import type { Argument, Command, Option } from 'commander'

/** One word that may come next, and what it is for. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

/** Words that are known, and a list that only the agent knows; neither: a file, which the shell completes by itself. */
export interface Completion {
  readonly words: readonly Candidate[]
  readonly list?:
    'stacks' | 'runs' | 'channels' | 'moves' | 'targets' | 'resources' | 'addresses' | 'webhooks' | 'deliveries'
  /** The stack whose runs or addresses are meant. */
  readonly stack?: string
}

const lists: Readonly<Record<string, Completion['list']>> = {
  NAME: 'stacks',
  RUN: 'runs',
  CHANNEL: 'channels',
  FROM: 'channels',
  TO: 'channels',
  MOVE: 'moves',
  TARGET: 'targets',
  WHICH: 'resources',
  ADDRESS: 'addresses',
  HOOK: 'webhooks',
  DELIVERY: 'deliveries',
}

/** `typed`: the words after the program's name, the last of which is being typed, perhaps ''. */
export function completionFor(program: Command, typed: readonly string[]): Completion {
  const current = typed.at(-1) ?? ''
  const { command, given, waiting } = parseTyped(program, typed.slice(0, -1))
  if (waiting !== undefined) return valueCompletion(waiting, current)
  if (current.startsWith('-')) return { words: matching(optionCandidates(command), current) }
  if (command.commands.length > 0 && given.length === 0) return { words: matching(verbCandidates(command), current) }
  const argument = command.registeredArguments[given.length] ?? lastVariadic(command.registeredArguments)
  if (argument === undefined) return { words: [] }
  return {
    ...fromName(argument.name(), argument.argChoices ?? [], current),
    ...(given[0] === undefined ? {} : { stack: given[0] }),
  }
}

/** Where a line has come to: the verb, its arguments so far, and the option that waits for its value. */
function parseTyped(
  program: Command,
  typed: readonly string[],
): { readonly command: Command; readonly given: readonly string[]; readonly waiting: Option | undefined } {
  let command = program
  let given: string[] = []
  let waiting: Option | undefined
  for (const word of typed) {
    if (waiting !== undefined) waiting = undefined
    else if (word.startsWith('-')) waiting = optionAwaitingValue(command, word)
    else {
      const next = given.length === 0 ? command.commands.find((one) => one.name() === word) : undefined
      if (next === undefined) given = [...given, word]
      else command = next
    }
  }
  return { command, given, waiting }
}

function optionAwaitingValue(command: Command, word: string): Option | undefined {
  if (word.includes('=')) return undefined
  const option = everyOption(command).find(({ long, short }) => long === word || short === word)
  return option?.required === true || option?.optional === true ? option : undefined
}

function valueCompletion(option: Option, current: string): Completion {
  const value = /[<[]([^>\]]+)/.exec(option.flags)?.[1] ?? ''
  return fromName(value.replace(/\.\.\.$/, ''), option.argChoices ?? [], current)
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
  const help = { word: '--help', about: 'print what it does' }
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
