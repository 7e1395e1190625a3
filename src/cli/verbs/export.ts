import { writeFile } from 'node:fs/promises'
import { Option, type Command } from 'commander'
import { printable } from '../../lib/text/printable.js'
import type { ExportView } from '../../views/packages/export.js'
import { UsageError } from '../errors/cli-error.js'
import { outputFile } from '../files/output-file.js'
import { fileErrors } from '../errors/file-errors.js'
import { usageErrors } from '../errors/usage-errors.js'
import { exitCode } from '../exit-code.js'
import { choice, type Declare, type Invocation } from '../invocation.js'
import { numberOf } from '../text/short-forms.js'
import { problemLines } from '../text/problem-text.js'

interface ExportOptions {
  readonly stack?: string
  readonly resource?: readonly string[]
  readonly named?: readonly string[]
  readonly all?: true
  readonly unmanaged?: true
  readonly kind?: readonly string[]
  readonly label?: readonly string[]
  readonly target?: string
  readonly withVariables?: true
  readonly output?: 'yaml' | 'json'
  readonly file?: string
}

const notes =
  'Selectors combine with OR. KIND: a kind, or a family (Check, NotificationEndpoint).\n' +
  '--kind and --label select from all resources; --all is not needed. With both, a resource must match both; --unmanaged restricts them, too.\n' +
  'Labels are exported with their resources, and endpoints with their rules. Warnings go to stderr.'

/** export: existing resources as a package. */
export function addExportVerb(program: Command, declare: Declare): void {
  const verb = {
    usage: 'export',
    summary: 'export existing resources as a package',
    example: 'export --stack boards -f boards.yml',
    notes,
    options: [
      ['--stack <NAME>', 'resources of a stack, with the names of its package'],
      ['--resource <KIND=ID...>', 'a resource by its ID on the target'],
      ['--named <KIND=NAME...>', 'all resources with this name'],
      ['--all', 'all resources of the target'],
      ['--unmanaged', 'all resources of the target that no stack manages'],
      ['--kind <KIND...>', 'all resources of these kinds'],
      ['--label <LABEL...>', 'all resources with one of these labels'],
      ['--target <TARGET>', 'target (default: local; for --resource and --named: all targets)'],
      ['--with-variables', 'also export the variables that queries use'],
      choice('-o, --output <FORMAT>', 'yaml (default) or json', ['yaml', 'json']),
      new Option('-f, --file <FILE>', 'write to this file; a name with .json selects JSON'),
    ],
  } as const
  declare<ExportOptions>(program, verb, async (cli, _, options) => {
    const exported = await cli.client.request<ExportView>('POST', '/api/v1/export', { body: exportRequest(options) })
    cli.out.message(({ style }) =>
      cli.out.json ? [] : exported.problems.flatMap((problem) => problemLines(problem, style)),
    )
    if (options.file === undefined) await print(cli, exported, options)
    else await save(cli, exported, { ...options, file: options.file })
    return exitCode.ok
  })
}

function exportRequest({
  stack,
  resource = [],
  named = [],
  all,
  unmanaged,
  kind,
  label,
  target,
  withVariables,
}: ExportOptions): object {
  const ids = resource.map((text) => splitPair(text, '--resource', 'ID')).map(([of, id]) => ({ kind: of, id }))
  const names = named.map((text) => splitPair(text, '--named', 'NAME')).map(([of, name]) => ({ kind: of, name }))
  const everything = all === true || unmanaged === true || kind !== undefined || label !== undefined
  if (stack === undefined && ids.length + names.length === 0 && !everything) throw usageErrors.nothingToExport()
  return {
    stack,
    resources: [...ids, ...names],
    ...(everything ? { targets: [{ target: target ?? 'local', kinds: kind, labels: label, unmanaged }] } : {}),
    target,
    withVariables,
  }
}

function splitPair(text: string, flag: string, what: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at <= 0 || at === text.length - 1) throw usageErrors.invalidSelector(flag, text, what)
  return [text.slice(0, at), text.slice(at + 1)]
}

async function print(cli: Invocation, exported: ExportView, { output }: ExportOptions): Promise<void> {
  if (cli.out.json) return cli.out.answerJson(exported)
  if (output === 'json') return cli.out.answerJson(exported.documents)
  const { printYamlPackage } = await import('../../package/print-package.js')
  const text = printYamlPackage(exported.documents)
  cli.out.answer(exported, () => text.trimEnd().split('\n'))
}

async function save(
  cli: Invocation,
  exported: ExportView,
  { output, file }: ExportOptions & { readonly file: string },
): Promise<void> {
  const { printJsonPackage, printYamlPackage } = await import('../../package/print-package.js')
  const { documents, problems } = exported
  const isJson = output === undefined ? file.endsWith('.json') : output === 'json'
  const text = isJson ? printJsonPackage(documents, 2) : printYamlPackage(documents)
  await writeText(file, cli.cwd, text)
  const count = numberOf(documents.length, 'resource')
  cli.out.answer({ file, resources: documents.length, problems }, () => [`Wrote ${count} to ${printable(file)}.`])
}

async function writeText(path: string, cwd: string, text: string): Promise<void> {
  try {
    await writeFile((await outputFile(path, cwd)).file, text)
  } catch (error) {
    throw error instanceof UsageError ? error : fileErrors.unwritable(path, error)
  }
}
