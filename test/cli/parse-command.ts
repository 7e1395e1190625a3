// Parses a command line with the real program, without running it.
import { CommanderError, type Command } from 'commander'
import { PassThrough } from 'node:stream'
import { declareWith } from '../../src/cli/invocation.js'
import { buildProgram } from '../../src/cli/program.js'

/** The program with the verb of `argv`, or with all verbs. Its verbs do nothing. */
export function quietProgram(argv: readonly string[] = []): Promise<Command> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  return buildProgram(argv, {
    version: '0',
    ...streams,
    environment: {},
    declare: declareWith(() => Promise.resolve()),
  })
}

/** `line`: without `gitmoor`. Errors: those of the parser. */
export async function parseCommand(line: string): Promise<void> {
  const argv = wordsOf(line)
  await (await quietProgram(argv)).parseAsync([...argv], { from: 'user' }).catch((error: unknown) => {
    const isHelp = error instanceof CommanderError && error.exitCode === 0
    if (!isHelp) throw error
  })
}

/** All commands with an action that the help lists, by their words: `stack create`. */
export async function everyCommand(): Promise<ReadonlyMap<string, Command>> {
  const below = (command: Command, path: readonly string[]): readonly (readonly [string, Command])[] =>
    command.commands.length === 0
      ? [[path.join(' '), command]]
      : command.commands.flatMap((one) => below(one, [...path, one.name()]))
  return new Map(below(await quietProgram(), []).filter(([name]) => name !== 'complete'))
}

/** Words as a shell splits them, without quotes. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/["']/g, ''))
}
