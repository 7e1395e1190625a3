// Errors of commands that were typed wrong. They repeat arguments as they were typed: control characters are escaped
// when an error is printed.
import { faultText } from '../../lib/text/fault-text.js'
import { quoted } from '../../lib/text/printable.js'
import { shellWord } from '../../lib/text/shell-word.js'
import { UsageError } from './cli-error.js'

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
    new UsageError(
      'No repository given.',
      'For example, gitmoor stack discover --repo https://github.com/acme/boards\n' +
        'To list what no stack manages on a target: gitmoor stack discover --target TARGET',
    ),
  fleetExists: (fleet: string) =>
    new UsageError(
      `Fleet ${fleet} already exists.`,
      `Choose another name, or change it: gitmoor fleet get ${fleet} -o yaml`,
    ),
  nothingToFollow: () =>
    new UsageError(
      'No directory to follow: stacks read all packages already, or they contain other packages.',
      'See why: gitmoor stack discover --repo URL',
    ),
  noFleetFile: () => new UsageError('No fleet document given.', 'For example, gitmoor fleet apply -f boards.yaml'),
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
      'Use --stack NAME, --resource KIND=ID, --named KIND=NAME, --kind KIND, --label LABEL, --unmanaged or --all.',
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
  invalidDigest: (stack: string, digest: string) =>
    new UsageError(
      `${quoted(digest)} is not the digest of a plan, which has 12 to 64 hex digits.`,
      `The plan prints it after the counts: gitmoor plan ${stack}`,
    ),
  savedUninstall: (stack: string, digest: string) =>
    new UsageError(
      `The plan of ${stack} is an uninstall that needs approval, and is not saved.`,
      `Approve it: gitmoor approve ${stack} ${digest.slice(0, 12)}\nOr drop it: gitmoor cancel ${stack}`,
    ),
  invalidDuration: (option: string, text: string) =>
    new UsageError(`${option} ${quoted(text)} is not a valid duration.`, 'For example, 30s, 5m, 2h or 1d.'),
  nothingPushed: (stack: string) =>
    new UsageError(
      '--wait healthy needs a package: nothing is pushed to a new inline stack yet.',
      `Create and push it, then wait: gitmoor wait ${stack} --for healthy`,
    ),
  timeoutOfNothing: () => new UsageError('--timeout needs --wait healthy.'),
  invalidRun: (stack: string, text: string) =>
    new UsageError(`${quoted(text)} is not the number of a run.`, `List its runs: gitmoor history ${shellWord(stack)}`),
  shortRevision: (option: string, text: string) =>
    new UsageError(`${option} ${quoted(text)} is too short.`, 'Write 7 or more digits of the commit.'),
  shortDuration: (option: string, text: string, least: string) =>
    new UsageError(`${option} ${quoted(text)} is too short: at least ${least}.`),
  longDuration: (option: string, text: string, most: string) =>
    new UsageError(`${option} ${quoted(text)} is too long: at most ${most}.`),
  invalidReason: (problem: string) =>
    new UsageError(`--why ${problem}`, 'Write the reason, for example --why "the chart is wrong"'),
  invalidName: (name: string) => new UsageError(name === '' ? 'The name is empty.' : `Invalid name "${name}".`),
  /** `latest`: the command for the newest move. */
  noMove: (channel: string, latest: string) =>
    new UsageError(
      `No move of ${channel} given.`,
      `For the newest one: ${latest}\nTo list them: gitmoor channel log ${shellWord(channel)}`,
    ),
  /** `latest`: the command for the newest move of the only channel, or of CHANNEL. */
  noChannel: (latest: string, isOnly: boolean) =>
    new UsageError(
      'No channel given for the latest move.',
      isOnly ? `Name it: ${latest}` : `Name it: ${latest}\nTo list the channels: gitmoor channel list`,
    ),
  whichStacks: (ways: number) =>
    new UsageError(
      ways === 0 ? 'No stack given.' : 'NAME, --selector, --fleet and --all exclude each other.',
      'Name a stack, or pass --all, -l SELECTOR or --fleet FLEET.\nTo list the stacks: gitmoor stack list',
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
