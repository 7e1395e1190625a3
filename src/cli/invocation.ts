// What a verb gets, and how it is declared.
import { Option, type Argument, type Command } from 'commander'
import type { Readable } from 'node:stream'
import type { AddressOptions, Variables } from './client/agent-address.js'
import type { Client } from './client/client.js'
import type { Check } from '../model/agent/check.js'
import { reasonProblem } from '../model/reason.js'
import type { PlatformDescription } from '../platform/platform.js'
import type { Restored } from '../store/copies.js'
import { usageErrors } from './errors/usage-errors.js'
import { addHelpTexts } from './help.js'
import type { Output } from './output.js'

export interface AgentOptions {
  readonly config?: string
  readonly data?: string
  readonly listen?: string
  readonly log?: 'text' | 'json'
}

/** `data`: as typed. */
export interface RestoreOptions {
  readonly file: string
  readonly key?: string
  readonly data?: string
}

/** What the doctor checks if no agent runs. `data` is absolute. */
export interface OfflineOptions {
  readonly data: string
  readonly config?: string
}

export interface Invocation {
  readonly client: Client
  readonly out: Output
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly environment: Variables
  readonly cwd: string
  /** True if a person can answer questions and use an editor. */
  readonly interactive: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  readonly address: AddressOptions
  /** Runs the agent; resolves with its exit code. */
  readonly startAgent: (options: AgentOptions) => Promise<number>
  /** Creates a data directory from a backup. */
  readonly restore: (options: RestoreOptions) => Promise<Restored>
  /** The checks that need no agent. */
  readonly checkOffline: (options: OfflineOptions) => Promise<readonly Check[]>
  /** The platforms that packages and configuration files may name. */
  readonly platforms: () => Promise<readonly PlatformDescription[]>
}

/** Runs a verb and returns the exit code. `args`: in the order of its usage; an omitted one is ''. */
export type VerbAction<Options> = (cli: Invocation, args: readonly string[], options: Options) => Promise<number>

export interface Declaration {
  /** `history NAME [RUN]`, `validate PATH...`. */
  readonly usage: string
  readonly summary: string
  /** A command line without `gitmoor`. */
  readonly example: string
  readonly options?: readonly (Option | readonly [flags: string, description: string])[]
  /** Replace the arguments of `usage`, to list their choices. */
  readonly arguments?: readonly Argument[]
  /** More for `--help`. Each line is wrapped. */
  readonly notes?: string
  /** Not listed by `--help`. */
  readonly hidden?: boolean
}

/** Adds a verb to a command. */
export type Declare = <Options>(parent: Command, declaration: Declaration, action: VerbAction<Options>) => void

/** `run` calls a verb's action with streams, environment and signals. */
export function declareWith(
  run: (command: Command, action: (cli: Invocation) => Promise<number>) => Promise<void>,
): Declare {
  return (parent, { usage, summary, example, options = [], notes, hidden = false, ...more }, action) => {
    const [name = '', ...words] = usage.split(' ')
    const command = parent.command(name, { hidden }).description(summary)
    if (more.arguments !== undefined) for (const argument of more.arguments) command.addArgument(argument)
    else for (const word of words) command.argument(word.startsWith('[') ? word : `<${word}>`)
    for (const option of options) command.addOption(shownOption(option))
    addHelpTexts(command, { notes, example })
    command.action(() =>
      run(command, async (cli) => {
        refuseInvalidReason(command)
        return action(
          cli,
          command.processedArgs.flatMap((arg: unknown) =>
            Array.isArray(arg) ? (arg as string[]) : [(arg as string | undefined) ?? ''],
          ),
          command.opts() as Parameters<typeof action>[2],
        )
      }),
    )
  }
}

/** Before the verb asks anything: the API would refuse the reason, too. */
function refuseInvalidReason(command: Command): void {
  const { why = '' } = command.opts<{ why?: string }>()
  const isRequired = command.options.some(({ long, mandatory }) => long === '--why' && mandatory)
  const problem = isRequired && !/\S/.test(why) ? 'must not be empty.' : reasonProblem(why)
  if (problem !== undefined) throw usageErrors.invalidReason(problem)
}

/** The option, with its description marked if the verb requires it. */
function shownOption(declared: Option | readonly [flags: string, description: string]): Option {
  const option = declared instanceof Option ? declared : new Option(...declared)
  if (option.mandatory) option.description += ' (required)'
  return option
}

/** An option with a fixed set of values. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words)
}
