// The errors of the command line: codes, wording and next steps. Errors repeat arguments as they were typed; control
// characters are escaped when an error is printed.
import { faultText } from '../lib/fault-text.js'
import type { Problem } from '../model/problem.js'
import { quoted } from '../lib/printable.js'
import { shellWord } from '../lib/shell-word.js'
import { typeName, type FileType } from '../lib/file-type.js'
import { CliError, UsageError } from './cli-error.js'
import { exitCode } from './exit-code.js'

/** Arguments that do not form a valid command. */
export const usageErrors = {
  noSource: (stack: string) =>
    new UsageError(
      'No source given. Use one of --repo URL, --url URL, --dir DIR, --inline, -f FILE.',
      `gitmoor stack create ${stack} --repo https://github.com/acme/${stack}`,
    ),
  noSettings: (stack: string) =>
    new UsageError('No settings given.', `For example, gitmoor stack set ${stack} --ref beta`),
  emptyRepository: () => new UsageError('--repo is empty.', 'For example, --repo https://github.com/acme/boards'),
  noRepository: () =>
    new UsageError('No repository given.', 'For example, gitmoor stack discover --repo https://github.com/acme/boards'),
  severalSources: (stack: string, count: number) =>
    new UsageError(
      `--dir is ambiguous: ${stack} has ${count} sources, and not exactly one git source among them.`,
      `Plan what its sources have: gitmoor plan ${stack}`,
    ),
  noPackage: (stack: string) =>
    new UsageError('No package given. Use -f FILE or -u URL.', `gitmoor stack push ${stack} -f package.yml`),
  nothingToExport: () =>
    new UsageError(
      'Nothing selected to export.',
      'Use --stack NAME, --resource KIND=ID, --named KIND=NAME, --kind KIND, --label LABEL or --all.',
    ),
  invalidSelector: (option: string, text: string, what: string) =>
    new UsageError(`Invalid ${option} ${text}: expected KIND=${what}.`, `For example, ${option} Bucket=…`),
  invalidReference: (key: string) =>
    new UsageError(
      `--secret ${key} takes a reference: env:NAME or file:PATH.`,
      `Put the secret into a file or a variable of the agent, then pass --secret ${key}=file:PATH`,
    ),
  invalidPair: (option: string, form: string) => new UsageError(`${option} takes ${form}.`),
  repeatedKey: (option: string, key: string) => new UsageError(`${option} sets ${key} twice.`),
  invalidFilter: () =>
    new UsageError('--filter takes kind=KIND or resource=KIND:NAME.', 'For example, --filter resource=Bucket:raw'),
  invalidDuration: (option: string, text: string) =>
    new UsageError(`${option} ${quoted(text)} is not a valid duration.`, 'For example, 30s, 5m, 2h or 1d.'),
  invalidReason: (problem: string) =>
    new UsageError(`--why ${problem}`, 'Write the reason, for example --why "the chart is wrong"'),
  invalidName: (name: string) => new UsageError(name === '' ? 'The name is empty.' : `Invalid name "${name}".`),
  /** `latest`: the command for the newest move. */
  noMove: (channel: string, latest: string) =>
    new UsageError(
      `No move of ${channel} given.`,
      `For the newest one: ${latest}. To list them: gitmoor channel log ${shellWord(channel)}`,
    ),
  /** `latest`: the command for the newest move of the only channel, or of CHANNEL. */
  noChannel: (latest: string, isOnly: boolean) =>
    new UsageError(
      'No channel given for the latest move.',
      isOnly ? `Name it: ${latest}` : `Name it: ${latest}. To list the channels: gitmoor channel list`,
    ),
  whichStacks: (ways: number) =>
    new UsageError(
      ways === 0 ? 'No stack given.' : 'NAME, --selector and --all exclude each other.',
      'Name a stack, or pass --all or -l SELECTOR. To list the stacks: gitmoor stack list',
    ),
  /** `runs`: commands for earlier runs. */
  noRun: (stack: string, runs: string) => new UsageError(`No run of ${stack} given.`, runs),
  /** `newest`: the newest run that applied something; `isWhole`: the history has no older runs than those read. */
  noEarlierRun: (
    stack: string,
    { newest, isWhole }: { readonly newest: string | undefined; readonly isWhole: boolean },
  ) =>
    new UsageError(
      `No run of ${stack} given.`,
      !isWhole
        ? `List the runs: gitmoor history ${stack}`
        : newest === undefined
          ? `It has not applied anything yet: gitmoor history ${stack}`
          : `There is nothing to go back to, because only run ${newest} applied something: gitmoor history ${stack}`,
    ),
  /** `root`: the directory that contains the path of the stack; undefined: it is not known. */
  noPathInDirectory: (stack: string, directory: string, below: string, root: string | undefined) =>
    new UsageError(
      `${directory} does not contain ${below}, which ${stack} reads.`,
      root === undefined
        ? `Pass the root of the package's repository. For example, in it: gitmoor plan ${stack} --dir ./`
        : `Pass the root: gitmoor plan ${stack} --dir ${shellWord(root)}`,
    ),
  followOfOneRun: (run: string) =>
    new UsageError('--follow cannot be combined with a run.', `Remove ${run} or --follow.`),
  invalidAssignment: (assignment: string) =>
    new UsageError(
      `Invalid --set ${assignment}: expected PATH=VALUE.`,
      'For example, --set retentionRules[0].everySeconds=3600',
    ),
  noSuchElement: (index: number, length: number) =>
    new UsageError(`Cannot set element ${index}: the list has ${length} elements.`),
  noTerminal: () =>
    new UsageError('No terminal for the editor.', 'Pass -f FILE or --set PATH=VALUE.', { code: 'cli/no-terminal' }),
  noEditor: () =>
    new UsageError('No editor is configured.', 'Set EDITOR, or pass -f FILE or --set PATH=VALUE.', {
      code: 'cli/no-editor',
    }),
  editorNotStarted: (program: string, cause: Error) =>
    new UsageError(`Cannot start editor ${program}: ${faultText(cause)}.`, undefined, { code: 'cli/no-editor', cause }),
} as const

/** Files that the command line names and cannot use. `shown` is a path as it was typed. */
export const fileErrors = {
  unreadable: (shown: string, cause: unknown) =>
    new UsageError(`Cannot read ${shown}: ${faultText(cause)}.`, undefined, { code: 'cli/unreadable-file', cause }),
  unwritable: (shown: string, cause: unknown) =>
    new UsageError(`Cannot write ${shown}: ${faultText(cause)}.`, undefined, { code: 'cli/unwritable-file', cause }),
  notReplaceable: (shown: string) =>
    irregular(`${shown} is not a regular file, so gitmoor does not replace it.`, 'Name another file.'),
  symbolicLink: (shown: string) =>
    irregular(
      `${shown} is a symbolic link. gitmoor does not follow symbolic links.`,
      'Replace it with the file, or list it in .gitmoorignore.',
    ),
  irregular: (shown: string, type: FileType) =>
    type.isSymbolicLink()
      ? fileErrors.symbolicLink(shown)
      : irregular(
          `${shown} is a ${typeName(type)}. gitmoor reads only regular files.`,
          'Remove it, or list it in .gitmoorignore.',
        ),
  neitherFileNorDirectory: (shown: string) => irregular(`${shown} is not a regular file or a directory.`),
  exists: (shown: string) =>
    new UsageError(`${shown} already exists.`, 'Choose another name, or pass --force to replace it.', {
      code: 'cli/file-exists',
    }),
  tooLarge: (shown: string, limit: string, hint: string) =>
    new UsageError(`${shown} has ${limit}.`, hint, { code: 'cli/input-too-large' }),
  /** In place of the agent's refusal of a directory. */
  noDirectory: (shown: string, { exit, code, status }: CliError) =>
    new CliError(exit, `There is no directory ${shown}.`, { code, status, hint: 'Check the path.' }),
  noPackageFile: (shown: string) => invalid(`No package file (.yml, .yaml, .json, .jsonnet) in ${shown}.`),
  notUtf8: (shown: string) => invalid(`${shown} is not UTF-8 text.`, 'Save it as UTF-8.'),
  notYaml: (shown: string, reason: string) => invalid(`Cannot read ${shown}: ${reason}`),
  notMap: (shown: string) => invalid(`${shown} must contain one YAML or JSON object.`),
  notSavedPlan: (shown: string) => invalid(`${shown} is not a saved plan.`, 'Save one: gitmoor plan NAME --out FILE'),
  editedPlan: (shown: string, stack: string) =>
    invalid(
      `${shown} was changed after it was saved. gitmoor applies only plans that it computed.`,
      `Change the package, then save a new plan: gitmoor plan ${shellWord(stack)} --out FILE`,
    ),
  notResource: (shown: string) =>
    invalid(
      `${shown} needs the fields \`family\` and \`desired\`.`,
      'For example, {"family": "Bucket", "desired": {"name": "raw"}}',
    ),
  notStackDocument: (shown: string, problems: readonly Problem[]) =>
    invalid(`${shown} is not a valid stack document.`, undefined, problems),
  otherStack: (shown: string, inFile: string, typed: string) =>
    invalid(`${shown} describes stack ${inFile}, not ${typed}.`, 'Use the same name in both.'),
  notToken: (shown: string) => invalid(`Token file ${shown} must contain exactly one token.`),
  empty: (shown: string) => invalid(`${shown} is empty.`),
} as const

function invalid(message: string, hint?: string, problems: readonly Problem[] = []): UsageError {
  return new UsageError(message, hint, { code: 'cli/invalid-file', problems })
}

function irregular(message: string, hint?: string): UsageError {
  return new UsageError(message, hint, { code: 'cli/irregular-file' })
}

/** The agent, the connection to it and its responses. `start`: the command that starts the agent. */
export const agentErrors = {
  noToken: () =>
    new CliError(exitCode.auth, 'GITMOOR_URL is set, but no token is.', {
      code: 'cli/no-token',
      status: 'auth',
      hint: 'Set GITMOOR_TOKEN or pass --token-file FILE.',
    }),
  /** The agent refused the token. */
  wrongToken: (message: string) =>
    new CliError(exitCode.auth, message, {
      code: 'api/token',
      status: 'auth',
      hint:
        'Set GITMOOR_TOKEN or pass --token-file FILE. ' +
        'The token is in agent.json in the data directory of the agent.',
    }),
  invalidUrl: () =>
    new UsageError('GITMOOR_URL is not an http or https URL.', 'For example, GITMOOR_URL=http://127.0.0.1:4470'),
  urlWithPassword: () =>
    new UsageError(
      'GITMOOR_URL contains a username or password.',
      'Remove it. Pass the token in GITMOOR_TOKEN or --token-file.',
    ),
  unreadableAgentFile: (path: string, cause: unknown) =>
    new CliError(exitCode.error, `Cannot read ${path}: ${faultText(cause)}.`, {
      code: 'cli/unreadable-file',
      hint: 'Run this command as the user who started the agent.',
      cause,
    }),
  invalidAgentFile: (path: string, start: string) =>
    new CliError(exitCode.error, `${path} is not a valid agent.json.`, {
      code: 'cli/invalid-file',
      hint: `Restart the agent: ${start}`,
    }),
  noAgent: (data: string, start: string) =>
    new CliError(exitCode.error, `No agent uses the data directory ${data}.`, {
      code: 'cli/no-agent',
      hint: `If an agent runs, pass its data directory with --data or GITMOOR_DATA. Otherwise start one: ${start}`,
    }),
  noResponse: (url: string, details: string, hint: string, cause: Error) =>
    new CliError(exitCode.error, `No response from the agent at ${url} (${details}).`, {
      code: 'cli/no-answer',
      hint,
      cause,
    }),
  /** The process of its agent.json has ended. */
  notRunning: (
    url: string,
    { reason, pid, path, start }: { reason: string; pid: number; path: string; start: string },
    cause: Error,
  ) =>
    new CliError(
      exitCode.error,
      `The agent is not running: process ${pid} of ${path} has ended, and nothing answers at ${url} (${reason}).`,
      { code: 'cli/no-answer', hint: `Start it: ${start}`, cause },
    ),
  silent: (url: string, timeoutMs: number) =>
    new CliError(exitCode.timeout, `The agent at ${url} sent nothing for ${Math.round(timeoutMs / 1000)} s.`, {
      code: 'cli/timeout',
      status: 'timeout',
    }),
  responseTooLarge: (what: string, maximumBytes: number) =>
    new CliError(exitCode.error, `${what} of the agent is larger than ${maximumBytes / 1024 ** 2} MiB.`, {
      code: 'cli/bad-response',
    }),
  unexpectedResponse: (url: string, httpStatus: number) =>
    new CliError(exitCode.error, `Unexpected response from ${url} (HTTP ${httpStatus}): it is not a gitmoor agent.`, {
      code: 'cli/bad-response',
      hint: 'Check GITMOOR_URL, and any proxy in front of the agent.',
    }),
  pathOutside: (path: string, directory: string) =>
    new CliError(exitCode.error, `The path of the stack, ${path}, is outside of ${directory}. Nothing was sent.`, {
      code: 'cli/bad-response',
      hint: 'Check GITMOOR_URL: an agent accepts no such path.',
    }),
  incompleteBackup: () =>
    new CliError(exitCode.error, 'The backup is incomplete: its size or checksum differs.', {
      code: 'cli/bad-response',
      hint: 'Nothing was written. Try again.',
    }),
} as const

export const moveErrors = {
  noSuchMove: (channel: string, which: string) =>
    new CliError(exitCode.notFound, `${channel} has no ${which === 'latest' ? 'moves' : `move ${which}`}.`, {
      code: 'cli/no-move',
      status: 'not-found',
      hint: `List its moves: gitmoor channel log ${channel}`,
    }),
} as const

/** Selections of stacks. */
export const stackErrors = {
  /** `and`: what else must be true of a stack: ` and is suspended`. */
  noneSelected: (selector: string, and = '') =>
    new CliError(exitCode.notFound, `No stack matches ${selector}${and}.`, {
      code: 'cli/none-selected',
      status: 'not-found',
      hint: 'List the stacks with their labels: gitmoor stack list --show-labels',
    }),
} as const

/** Commands that a person ended, or must confirm. */
export const interruptions = {
  /** `options`: those that confirm. */
  needsConfirmation: (question: string, losses: readonly string[], options: string) =>
    new CliError(exitCode.needsApproval, `${question} Confirmation needed, but there is no terminal.`, {
      code: 'cli/needs-confirmation',
      status: 'needs-approval',
      problems: lossProblems(losses),
      hint: `Pass ${options} to confirm.`,
    }),
  /** `options`: those that are missing. */
  needsConsent: (losses: readonly string[], options: string) =>
    new CliError(exitCode.needsApproval, 'Consent needed: this loses data, or removes a protected resource.', {
      code: 'cli/needs-consent',
      status: 'needs-approval',
      problems: lossProblems(losses),
      hint: `Pass ${options} to consent.`,
    }),
  declined: () => cancelled('Nothing was changed.'),
  interruptedQuestion: (cause: unknown) => cancelled('Interrupted. Nothing was changed.', { cause }),
  interruptedRequest: (cause: unknown) => cancelled('Interrupted.', { cause }),
  editorExited: (code: number | null) =>
    cancelled(`The editor exited with ${code ?? 'a signal'}. Nothing was changed.`),
  stoppedWaiting: (stack: string, run: string, cause: unknown) =>
    cancelled(`Stopped waiting. Run ${run} of ${stack} continues.`, {
      hint: `Cancel it: gitmoor cancel ${stack}. Show its result: gitmoor history ${stack} ${run}`,
      cause,
    }),
  stoppedWaitingForAll: (cause: unknown) =>
    cancelled('Interrupted. Work that the agent began continues.', {
      hint: 'Show the stacks: gitmoor stack list',
      cause,
    }),
} as const

const lossesListed = 10

function lossProblems(losses: readonly string[]): readonly Problem[] {
  const rest = losses.length - lossesListed
  const messages = [...losses.slice(0, lossesListed), ...(rest > 0 ? [`And ${rest} more.`] : [])]
  return messages.map((message) => ({ severity: 'error', code: 'cli/needs-consent', message }))
}

function cancelled(message: string, facts: { readonly hint?: string; readonly cause?: unknown } = {}): CliError {
  return new CliError(exitCode.cancelled, message, { code: 'cli/cancelled', status: 'cancelled', ...facts })
}
