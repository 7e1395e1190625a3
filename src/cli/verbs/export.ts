import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { ExportView } from '../../views/export.js'
import { UsageError } from '../cli-error.js'
import { exitCode } from '../exit-code.js'
import { fileErrorText } from '../files/input-file.js'
import { choice, type Declare, type Invocation } from '../invocation.js'
import { problemLines } from '../text/problem-text.js'

interface ExportOptions {
  readonly stack?: string
  readonly resource?: readonly string[]
  readonly named?: readonly string[]
  readonly all?: true
  readonly kind?: readonly string[]
  readonly label?: readonly string[]
  readonly target?: string
  readonly withVariables?: true
  readonly output?: 'yaml' | 'json'
  readonly file?: string
}

const notes = `Selectors are added up. KIND is a kind or a family (Check, NotificationEndpoint). --kind and --label narrow --all, and imply it.
Labels come along with what bears them, a rule's endpoint with the rule. Warnings go to stderr.`

/** export: existing resources as a package (docs/export.md). */
export function addExportVerb(program: Command, declare: Declare): void {
  const verb = {
    usage: 'export',
    summary: 'print what is there as a package that declares it',
    example: 'export --stack boards -f boards.yml',
    notes,
    options: [
      ['--stack <NAME>', 'what a stack has, under the names that it gave'],
      ['--resource <KIND=ID...>', 'a thing by its id on the target'],
      ['--named <KIND=NAME...>', 'every thing of this name'],
      ['--all', 'everything on the target'],
      ['--kind <KIND...>', 'of everything only these kinds'],
      ['--label <LABEL...>', 'of everything only what bears one of these labels'],
      ['--target <TARGET>', 'the target (default: local, and of --resource and --named all)'],
      ['--with-variables', 'the variables that queries speak of, too'],
      choice('-o, --output <format>', 'yaml (default) or json', ['yaml', 'json']),
      new Option('-f, --file <FILE>', 'write it there; .json means json'),
    ],
  } as const
  declare<ExportOptions>(program, verb, async (at, _, options) => {
    const exported = await at.client.request<ExportView>('POST', '/api/v1/export', { body: exportRequest(options) })
    at.out.message(({ style }) =>
      at.out.json ? [] : exported.problems.flatMap((problem) => problemLines(problem, style)),
    )
    if (options.file === undefined) await print(at, exported, options)
    else await save(at, exported, { ...options, file: options.file })
    return exitCode.ok
  })
}

function exportRequest({
  stack,
  resource = [],
  named = [],
  all,
  kind,
  label,
  target,
  withVariables,
}: ExportOptions): object {
  const ids = resource.map((text) => splitPair(text, '--resource', 'ID')).map(([of, id]) => ({ kind: of, id }))
  const names = named.map((text) => splitPair(text, '--named', 'NAME')).map(([of, name]) => ({ kind: of, name }))
  const everything = all === true || kind !== undefined || label !== undefined
  if (stack === undefined && ids.length + names.length === 0 && !everything)
    throw new UsageError('What is exported?', 'Give --stack NAME, --resource KIND=ID, --named KIND=NAME or --all.')
  return {
    stack,
    resources: [...ids, ...names],
    ...(everything ? { targets: [{ target: target ?? 'local', kinds: kind, labels: label }] } : {}),
    target,
    withVariables,
  }
}

function splitPair(text: string, flag: string, what: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at <= 0 || at === text.length - 1)
    throw new UsageError(`${flag} ${text} is not KIND=${what}.`, `For example ${flag} Bucket=…`)
  return [text.slice(0, at), text.slice(at + 1)]
}

async function print(at: Invocation, exported: ExportView, { output }: ExportOptions): Promise<void> {
  if (at.out.json) return at.out.answerJson(exported)
  if (output === 'json') return at.out.answerJson(exported.documents)
  const { printYamlPackage } = await import('../../package/print-package.js')
  const text = printYamlPackage(exported.documents)
  at.out.answer(exported, () => text.trimEnd().split('\n'))
}

async function save(
  at: Invocation,
  exported: ExportView,
  { output, file }: ExportOptions & { readonly file: string },
): Promise<void> {
  const { printJsonPackage, printYamlPackage } = await import('../../package/print-package.js')
  const { documents, problems } = exported
  const isJson = output === undefined ? file.endsWith('.json') : output === 'json'
  const text = isJson ? printJsonPackage(documents, 2) : printYamlPackage(documents)
  await writeFile(resolve(at.cwd, file), text).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be written: ${fileErrorText(error)}`)
  })
  const things = documents.length === 1 ? '1 resource' : `${documents.length} resources`
  at.out.answer({ file, resources: documents.length, problems }, () => [`${things} in ${printable(file)}.`])
}
