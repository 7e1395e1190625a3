import type { Command } from 'commander'
import type { Check } from '../../model/agent/check.js'
import { printable } from '../../lib/text/printable.js'
import type { Diagnosis } from '../../views/diagnosis.js'
import { dataDirectory } from '../client/agent-address.js'
import { CliError } from '../errors/cli-error.js'
import { exitCode } from '../exit-code.js'
import type { Declare, Invocation } from '../invocation.js'
import { wrappedLines } from '../text/next-lines.js'
import { numberOf } from '../text/short-forms.js'
import { cutMiddle } from '../text/table.js'
import type { Display } from '../text/text.js'

export function addDoctorVerb(program: Command, declare: Declare): void {
  const doctor = {
    usage: 'doctor',
    summary: 'diagnose problems and suggest fixes',
    example: 'doctor --config config/gitmoor.yaml',
    notes:
      'Exit code 1 if there is a problem. If no agent runs, it checks the data directory and the file of --config.',
    options: [['--config <FILE>', 'configuration file to check if no agent runs']],
  } as const
  declare<{ config?: string }>(program, doctor, async (cli, _, { config }) => {
    const diagnosis = await cli.client
      .request<Diagnosis>('GET', '/api/v1/doctor')
      .catch((error: unknown) => offlineDiagnosis(cli, config, error))
    cli.out.answer(diagnosis, (display) => ownChecks(diagnosis).flatMap((check) => checkLines(check, display)))
    return diagnosis.worst === 'problem' ? exitCode.error : exitCode.ok
  })
}

/** The checks without an agent. Rethrows the error for GITMOOR_URL, whose agent may run on another machine. */
async function offlineDiagnosis(cli: Invocation, config: string | undefined, error: unknown): Promise<Diagnosis> {
  const unreached = error instanceof CliError && (error.code === 'cli/no-agent' || error.code === 'cli/no-answer')
  if (!unreached || (cli.environment['GITMOOR_URL'] ?? '') !== '') throw error
  const data = dataDirectory(cli.address, cli.environment, cli.cwd)
  const checks = await cli.checkOffline({ data, ...(config === undefined ? {} : { config }) })
  return { checks, worst: 'problem' }
}

/** Without stacks that another check names: each cause is printed once. */
function ownChecks({ checks }: Diagnosis): readonly Check[] {
  const causes = new Set(checks.filter(({ affects }) => affects !== undefined).map(({ name }) => name))
  return checks.filter(({ cause }) => cause === undefined || !causes.has(cause))
}

function checkLines({ name, state, message, next, affects }: Check, { style, width }: Display): readonly string[] {
  const paint = { ok: style.green, warning: style.yellow, problem: style.red, skipped: style.dim }[state]
  return [
    ...wrappedLines(
      paint(state) + ' '.repeat(indent.length - state.length),
      `${printable(name)}: ${printable(message)}`,
      width,
    ),
    ...(affects === undefined ? [] : [indent + affectedText(affects, width)]),
    ...(next?.split('\n') ?? []).flatMap((step) => wrappedLines(`${indent}next: `, printable(step), width)),
  ]
}

const indent = ' '.repeat(9)

/** On a terminal, a long list of names is cut in its middle. */
function affectedText({ count, stacks }: NonNullable<Check['affects']>, width: number | undefined): string {
  const head = `affects ${numberOf(count, 'stack')}: `
  const more = count > stacks.length ? `, and ${count - stacks.length} more` : ''
  const names = stacks.map(printable).join(', ')
  const room = (width ?? Number.POSITIVE_INFINITY) - indent.length - head.length - more.length
  return head + cutMiddle(names, Math.max(leastNames, room)) + more
}

const leastNames = 10
