import { Command } from 'commander'
import { addHelpTexts, helpSettings } from './help.js'
import type { Declare } from './invocation.js'
import type { Variables } from './client/agent-address.js'
import type { Stream } from './output.js'
import { terminalWidth } from './text/text.js'
import { addVerbs } from './verbs/verbs.js'

const notes =
  'Address of the agent: GITMOOR_URL, with the token from GITMOOR_TOKEN or --token-file. Without GITMOOR_URL: ' +
  'agent.json in the data directory (--data, else GITMOOR_DATA, else ./.gitmoor).\n\n' +
  'With --json, stdout is one JSON document (--watch and --follow: one per line). Errors are one JSON document on ' +
  'stderr: {"error": {"status", "code", "message", "hint"?, "problems"?, "requestId"?}}. Times are in UTC.\n\n' +
  'Exit codes: 0 ok, 1 error, 2 changes (plan --detailed-exitcode), 3 usage, 4 authentication, 5 source, 6 target, ' +
  '7 needs approval or refused by a safeguard, 8 stale plan, 9 not found, 10 locked or suspended, 11 timeout, ' +
  '12 cancelled. Commands that wait for a run exit with 0 if it applied changes or found none, and with 7 if a ' +
  'person must also decide about a newer move of the channel. If a newer run replaces the run, they wait for the ' +
  'newer one.'

export interface ProgramOptions {
  readonly version: string
  readonly stdout: Stream
  readonly stderr: Stream
  readonly environment: Variables
  readonly declare: Declare
}

/**
 * The commander program with the verb that `argv` begins with, or with all verbs. Options of the program are accepted
 * before and after the verb.
 */
export async function buildProgram(
  argv: readonly string[],
  { version, stdout, stderr, environment, declare }: ProgramOptions,
): Promise<Command> {
  const program = new Command('gitmoor')
    .description('Keeps targets in sync with Git.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--data <DIR>', 'data directory of the agent')
    .option('--token-file <FILE>', 'file with the API token')
    .option('--json', 'print JSON')
    .exitOverride()
    .configureHelp(helpSettings)
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // runCli prints errors in gitmoor's own form.
      outputError: () => {},
      getOutHelpWidth: () => terminalWidth(stdout, environment) ?? Infinity,
      getErrHelpWidth: () => terminalWidth(stderr, environment) ?? Infinity,
    })
  addHelpTexts(program, { notes, example: 'stack create boards --repo https://github.com/acme/boards --ref stable' })
  await addVerbs(program, declare, verbsIn(argv)[0])
  for (const command of [program, ...program.commands])
    if (command.commands.length > 0) command.helpCommand('help [COMMAND]', 'print the help of a command')
  return program
}

/** Turns `help stack create` into `stack create --help`. */
export function withoutHelpVerb(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((_, index) => isVerb(argv, index))
  return argv[at] === 'help' ? [...argv.slice(0, at), ...argv.slice(at + 1), '--help'] : argv
}

/**
 * The words to parse. If they ask for the help of an unknown command, they end with its name, because the parser
 * prints the help of its group without an error.
 */
export function wordsToParse(program: Command, argv: readonly string[]): readonly string[] {
  if (!argv.includes('--help') && !argv.includes('-h')) return argv
  const words = verbsIn(argv)
  let command = program
  for (const [at, word] of words.entries()) {
    if (command.commands.length === 0) break
    const next = command.commands.find((one) => one.name() === word)
    if (next === undefined) return words.slice(0, at + 1)
    command = next
  }
  return argv
}

/** The command that the words name, as far as it exists. */
export function namedCommand(program: Command, argv: readonly string[]): Command {
  let command = program
  for (const word of verbsIn(argv)) {
    const next = command.commands.find((one) => one.name() === word)
    if (next === undefined) break
    command = next
  }
  return command
}

/** The words that are neither options nor values of options of the program. */
function verbsIn(argv: readonly string[]): readonly string[] {
  return argv.filter((_, at) => isVerb(argv, at))
}

function isVerb(argv: readonly string[], at: number): boolean {
  return !argv[at]!.startsWith('-') && argv[at - 1] !== '--data' && argv[at - 1] !== '--token-file'
}
