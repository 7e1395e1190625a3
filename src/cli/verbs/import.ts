import { Option, type Command } from 'commander'
import type { ImportView } from '../../views/packages/import.js'
import { exitCode } from '../exit-code.js'
import type { Declare, Invocation } from '../invocation.js'
import { importLines } from '../text/import-text.js'
import { asPreview, planLines } from '../text/plan/plan-text.js'
import { problemLines } from '../text/problem-text.js'
import { section } from '../text/table.js'
import { inFull } from '../text/text.js'
import { createPreviewOptions, type CreatePreviewOptions } from './stack/create-preview-options.js'
import { inputNotes } from './stack/input-options.js'
import { namingMissing, stackDocument, stackOptionList, type StackOptions } from './stack/stack-options.js'

interface ImportOptions extends Omit<StackOptions, 'file' | 'inline'>, CreatePreviewOptions {
  readonly stackId?: string
  readonly name?: string
}

const notes =
  'The new stack owns the resources under the names of its package, and they keep their ids. Nothing is written to ' +
  'the target. If the first plan would write, the stack is suspended until you resume it.\n' +
  'Without --stack-id it takes over what the package declares and exists: by ids in names of `gitmoor export`, by ' +
  'unique names, and by names that only one resource has.\n' +
  inputNotes

/** import: a new stack that takes over existing resources. */
export function addImportVerb(program: Command, declare: Declare): void {
  const verb = {
    usage: 'import',
    summary: 'create a stack that takes over existing resources',
    example: 'import --target prod --stack-id 0a1b2c3d4e5f6071 --repo https://github.com/acme/boards',
    notes,
    options: [
      ['--stack-id <ID>', 'the stack that the target keeps itself, as `stack discover --target TARGET` lists it'],
      ['--name <NAME>', 'name of the new stack (default: from the name of that stack)'],
      ...stackOptionList({ defaults: true }).filter((one) => !(one instanceof Option && one.long === '--file')),
      ...createPreviewOptions,
    ],
  } as const
  declare<ImportOptions>(program, verb, async (cli, _, { stackId, name, ...options }) => {
    const { name: _name, ...settings } = await stackDocument(name ?? 'NAME', options, cli)
    const body = { ...settings, name, stackID: stackId }
    const isPreview = options.dryRun === true
    const path = isPreview ? '/api/v1/stacks/plan-import' : '/api/v1/stacks/import'
    const imported = await namingMissing(cli.client.request<ImportView>('POST', path, { body }), options, cli.cwd)
    report(cli, imported, options)
    return isPreview && options.detailedExitcode === true && imported.plan.changes.length > 0
      ? exitCode.changes
      : exitCode.ok
  })
}

const seeAll = 'the same command with --full'

function report(cli: Invocation, imported: ImportView, { full }: CreatePreviewOptions): void {
  const { plan, warnings, stack } = imported
  cli.out.answer(imported, (display) => [
    ...importLines(imported, display),
    ...section(stack === null ? planLines(asPreview(plan), inFull(display, full), seeAll) : []),
  ])
  if (cli.out.json) return
  cli.out.message(({ style }) => [
    ...plan.problems.flatMap((problem) => problemLines(problem, style)),
    ...warnings.flatMap((warning) => problemLines({ severity: 'warning', ...warning }, style)),
  ])
}
