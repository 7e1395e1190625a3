import { Command } from 'commander'
import type { Declare } from './invocation.js'
import type { Stream } from './output.js'
import { loadVerbs } from './verbs/verbs.js'

const notes = `
Address of the agent: GITMOOR_URL, with the token from GITMOOR_TOKEN or --token-file.
Without GITMOOR_URL: agent.json in the data directory (--data, else GITMOOR_DATA,
else ./.gitmoor).

With --json, stdout is one JSON document (--watch and --follow: one per line). Errors
are one JSON document on stderr:
{"error":{"status","code","message","hint"?,"problems"?,"requestId"?}}. Times are in UTC.

Exit codes: 0 ok, 1 error, 2 changes (plan --detailed-exitcode), 3 usage,
4 authentication, 5 source, 6 target, 7 needs approval or refused by a safeguard,
8 stale plan, 9 not found, 10 locked or suspended, 11 timeout, 12 cancelled.
Commands that wait for a run exit with 0 if it applied changes or found none. If a
newer run replaces the run, they wait for the newer one.

Example:
  gitmoor stack create boards --repo https://github.com/acme/boards --ref stable`

export interface ProgramOptions {
  readonly version: string
  readonly stdout: Stream
  readonly stderr: Stream
  readonly declare: Declare
}

/**
 * The commander program with the verb that `argv` begins with, or with all verbs. Options of the program are accepted
 * before and after the verb.
 */
export async function buildProgram(
  argv: readonly string[],
  { version, stdout, stderr, declare }: ProgramOptions,
): Promise<Command> {
  const program = new Command('gitmoor')
    .description('Keeps targets in sync with Git.')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .option('--data <DIR>', 'data directory of the agent')
    .option('--token-file <FILE>', 'file with the API token')
    .option('--json', 'print JSON')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // runCli prints errors in gitmoor's own form.
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    })
    .addHelpText('after', notes)
  for (const addVerbs of await loadVerbs(firstWord(argv))) addVerbs(program, declare)
  return program
}

/** Turns `help stack create` into `stack create --help`. */
export function withoutHelpVerb(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((_, index) => isVerb(argv, index))
  return argv[at] === 'help' ? [...argv.slice(0, at), ...argv.slice(at + 1), '--help'] : argv
}

/** The first word that is neither an option of the program nor the value of one. */
function firstWord(argv: readonly string[]): string | undefined {
  return argv.find((_, at) => isVerb(argv, at))
}

function isVerb(argv: readonly string[], at: number): boolean {
  return !argv[at]!.startsWith('-') && argv[at - 1] !== '--data' && argv[at - 1] !== '--token-file'
}
