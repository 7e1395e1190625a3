// What a verb is handed, and how it is declared.
import { Option, type Argument, type Command } from 'commander'
import type { Readable } from 'node:stream'
import type { AddressOptions, Variables } from './client/agent-address.js'
import type { Client } from './client/client.js'
import type { Check } from '../model/check.js'
import type { Restored } from '../store/copies.js'
import type { Output } from './output.js'

export interface AgentOptions {
  readonly config?: string
  readonly data?: string
  readonly listen?: string
}

/** `data`: as on the command line. */
export interface RestoreOptions {
  readonly file: string
  readonly key?: string
  readonly data?: string
}

/** Where to look while no agent runs. `data` is absolute. */
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
  /** Of the person who sits there: asked questions, shown an editor. */
  readonly interactive: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  readonly address: AddressOptions
  /** Becomes the agent; resolves with its exit code. */
  readonly startAgent: (options: AgentOptions) => Promise<number>
  /** Makes a data directory from a backup. */
  readonly restore: (options: RestoreOptions) => Promise<Restored>
  /** What the doctor can tell without an agent. */
  readonly checkOffline: (options: OfflineOptions) => Promise<readonly Check[]>
}

/** Does a verb; gives the exit code. `args` in the order of its usage; one that was left out is ''. */
export type VerbAction<Options> = (at: Invocation, args: readonly string[], options: Options) => Promise<number>

export interface Declaration {
  /** `history NAME [RUN]`, `validate PATH...`. */
  readonly usage: string
  readonly summary: string
  /** What one would type, without `gitmoor`. */
  readonly example: string
  readonly options?: readonly (Option | readonly [flags: string, description: string])[]
  /** In place of those that `usage` names: with the words they may be. */
  readonly arguments?: readonly Argument[]
  /** More for `--help`. */
  readonly notes?: string
  /** For programs: `--help` does not list it. */
  readonly hidden?: boolean
}

/** Adds a verb to a command. */
export type Declare = <Options>(parent: Command, declaration: Declaration, act: VerbAction<Options>) => void

/** `run` turns what a verb does into what the program does: it knows streams, environment and signals. */
export function declareWith(
  run: (command: Command, act: (at: Invocation) => Promise<number>) => Promise<void>,
): Declare {
  return (parent, { usage, summary, example, options = [], notes, hidden = false, ...more }, act) => {
    const [name = '', ...words] = usage.split(' ')
    const command = parent.command(name, { hidden }).description(summary)
    if (more.arguments !== undefined) for (const argument of more.arguments) command.addArgument(argument)
    else for (const word of words) command.argument(word.startsWith('[') ? word : `<${word}>`)
    for (const option of options) command.addOption(option instanceof Option ? option : new Option(...option))
    command.addHelpText('after', `${notes === undefined ? '' : `\n${notes}\n`}\nExample:\n  gitmoor ${example}`)
    command.action(() =>
      run(command, (at) =>
        act(
          at,
          command.processedArgs.flatMap((arg: unknown) =>
            Array.isArray(arg) ? (arg as string[]) : [(arg as string | undefined) ?? ''],
          ),
          command.opts() as Parameters<typeof act>[2],
        ),
      ),
    )
  }
}

/** An option that takes one of a few words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words)
}
