import { Command } from 'commander'
import type { Declare } from './invocation.js'
import type { Stream } from './output.js'

const notes = `
Where the agent is: GITMOOR_URL (with GITMOOR_TOKEN or --token-file) where set,
else agent.json in the data directory: --data, else GITMOOR_DATA, else ./.gitmoor.

With --json stdout holds one JSON document (--watch, --follow: one a line), and errors are one on stderr:
{"error":{"status","code","message","hint"?,"problems"?,"requestId"?}}. Times are UTC.

Exit codes: 0 ok, 1 error, 2 changes (plan --detailed-exitcode), 3 usage, 4 auth,
5 source, 6 target, 7 held or guard refused, 8 stale plan, 9 not found,
10 locked or suspended, 11 timeout, 12 cancelled. Verbs that wait for a run end
with 0 where it applied or found nothing to change; a run that a newer one
replaced is followed by that one.

Example:
  gitmoor stack create boards --repo https://github.com/acme/boards --ref stable`

/** Where each verb is declared. Only what was typed is loaded: it is most of the time that a short command takes. */
const groups: Readonly<Record<string, () => Promise<(program: Command, declare: Declare) => void>>> = {
  agent: async () => (await import('./verbs/agent.js')).addAgentVerb,
  stack: async () => (await import('./verbs/stack/stack.js')).addStackVerbs,
  plan: async () => (await import('./verbs/plan.js')).addPlanVerb,
  apply: async () => (await import('./verbs/plan.js')).addApplyVerb,
  approve: async () => (await import('./verbs/sync.js')).addApproveVerb,
  cancel: async () => (await import('./verbs/sync.js')).addCancelVerb,
  sync: async () => (await import('./verbs/sync.js')).addSyncVerb,
  wait: async () => (await import('./verbs/sync.js')).addWaitVerb,
  history: async () => (await import('./verbs/history.js')).addHistoryVerb,
  rollback: async () => (await import('./verbs/rollback.js')).addRollbackVerb,
  unpin: async () => (await import('./verbs/rollback.js')).addUnpinVerb,
  suspend: async () => (await import('./verbs/suspend.js')).addSuspendVerb,
  resume: async () => (await import('./verbs/suspend.js')).addResumeVerb,
  doctor: async () => (await import('./verbs/doctor.js')).addDoctorVerb,
  explain: async () => (await import('./verbs/explain.js')).addExplainVerb,
  channel: async () => (await import('./verbs/channel.js')).addChannelVerbs,
  webhook: async () => (await import('./verbs/webhook.js')).addWebhookVerbs,
  export: async () => (await import('./verbs/export.js')).addExportVerb,
  resource: async () => (await import('./verbs/resource/resource.js')).addResourceVerbs,
  backup: async () => (await import('./verbs/backup.js')).addBackupVerb,
  restore: async () => (await import('./verbs/backup.js')).addRestoreVerb,
  validate: async () => (await import('./verbs/validate.js')).addValidateVerb,
}

/** These have to know all others. */
const completion = async (): Promise<(program: Command, declare: Declare) => void> =>
  (await import('./completion/completion-verbs.js')).addCompletionVerbs

export interface ProgramOptions {
  readonly version: string
  readonly stdout: Stream
  readonly stderr: Stream
  readonly declare: Declare
}

/**
 * Everything that can be typed; of a line that begins with a known verb, only that verb. Options of the program are
 * understood before and after it.
 */
export async function buildProgram(
  argv: readonly string[],
  { version, stdout, stderr, declare }: ProgramOptions,
): Promise<Command> {
  const program = new Command('gitmoor')
    .description('Keeps platforms moored to git.')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this')
    .option('--data <DIR>', 'data directory of the agent')
    .option('--token-file <FILE>', 'file that holds the token')
    .option('--json', 'print one JSON document')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // Printed once, in gitmoor's own form, by who catches it.
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    })
    .addHelpText('after', notes)
  const typed = groups[firstWord(argv) ?? '']
  for (const load of typed === undefined ? [...Object.values(groups), completion] : [typed])
    (await load())(program, declare)
  return program
}

/** `help stack create` is `stack create --help`. */
export function withoutHelpVerb(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((_, index) => isVerb(argv, index))
  return argv[at] === 'help' ? [...argv.slice(0, at), ...argv.slice(at + 1), '--help'] : argv
}

/** The first word that is no option of the program and no value of one. */
function firstWord(argv: readonly string[]): string | undefined {
  return argv.find((_, at) => isVerb(argv, at))
}

function isVerb(argv: readonly string[], at: number): boolean {
  return !argv[at]!.startsWith('-') && argv[at - 1] !== '--data' && argv[at - 1] !== '--token-file'
}
