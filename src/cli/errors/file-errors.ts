// Errors of files that the command line names, and cannot use.
import { faultText } from '../../lib/text/fault-text.js'
import { typeName, type FileType } from '../../lib/file-type.js'
import { shellWord } from '../../lib/text/shell-word.js'
import { FileTooLarge } from '../../settings/bounded-file.js'
import type { Problem } from '../../model/problem.js'
import { CliError, UsageError } from './cli-error.js'

/** Files that the command line names and cannot use. `shown` is a path as it was typed. */
export const fileErrors = {
  unreadable: (shown: string, cause: unknown) =>
    new UsageError(`Cannot read ${shown}: ${faultText(cause)}.`, unreadableHint(cause), {
      code: 'cli/unreadable-file',
      cause,
    }),
  stdinTwice: () =>
    new UsageError('Standard input was read before: `-` can name only one file.', 'Pass the other one by its path.'),
  stdinIsNoOutput: () =>
    new UsageError(
      '`-` names standard input, so nothing can be written to it.',
      'Pass /dev/stdout, or ./- for a file.',
    ),
  unwritable: (shown: string, cause: unknown) =>
    new UsageError(`Cannot write ${shown}: ${faultText(cause)}.`, 'Check the path and its permissions.', {
      code: 'cli/unwritable-file',
      cause,
    }),
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
  notFleetDocument: (shown: string, problems: readonly Problem[]) =>
    invalid(`${shown} is not a valid fleet document.`, undefined, problems),
  otherFleet: (shown: string, inFile: string, typed: string) =>
    invalid(`${shown} describes fleet ${inFile}, not ${typed}.`, 'Use the same name in both.'),
  notToken: (shown: string) => invalid(`Token file ${shown} must contain exactly one token.`),
  empty: (shown: string) => invalid(`${shown} is empty.`),
} as const

function unreadableHint(cause: unknown): string {
  if (cause instanceof FileTooLarge) return `The limit is ${cause.limit}. Pass a smaller file, or split it.`
  return 'Check the path and its permissions.'
}

function invalid(message: string, hint?: string, problems: readonly Problem[] = []): UsageError {
  return new UsageError(message, hint, { code: 'cli/invalid-file', problems })
}

function irregular(message: string, hint?: string): UsageError {
  return new UsageError(message, hint, { code: 'cli/irregular-file' })
}
