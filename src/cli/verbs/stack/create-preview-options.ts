import { Option } from 'commander'

export interface CreatePreviewOptions {
  readonly dryRun?: true
  readonly full?: true
  readonly detailedExitcode?: true
}

/** `--dry-run` of `stack create`, and the options of `plan` that imply it. */
export const createPreviewOptions: readonly (Option | readonly [string, string])[] = [
  ['--dry-run', 'print the plan of the first sync, and create nothing'],
  new Option('--full', 'with --dry-run: print everything, also long values and empty fields').implies({ dryRun: true }),
  new Option('--detailed-exitcode', 'with --dry-run: exit with 2 if the plan has changes').implies({ dryRun: true }),
]
