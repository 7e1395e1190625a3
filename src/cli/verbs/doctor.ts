import type { Command } from 'commander'
import type { Check } from '../../model/check.js'
import { printable } from '../../lib/printable.js'
import type { Diagnosis } from '../../views/diagnosis.js'
import { dataDirectory } from '../client/agent-address.js'
import { CliError } from '../cli-error.js'
import { exitCode } from '../exit-code.js'
import type { Declare, Invocation } from '../invocation.js'
import type { Style } from '../text/text.js'

export function addDoctorVerb(program: Command, declare: Declare): void {
  const doctor = {
    usage: 'doctor',
    summary: 'look at everything that is worth a look, and say what to do',
    example: 'doctor --config config/gitmoor.yaml',
    notes:
      'Exit code 1 where there is a problem. Where no agent runs, only what can be told without one; then --config is read, too.',
    options: [['--config <FILE>', 'configuration file to check where no agent runs']],
  } as const
  declare<{ config?: string }>(program, doctor, async (at, _, { config }) => {
    const diagnosis = await at.client
      .request<Diagnosis>('GET', '/api/v1/doctor')
      .catch((error: unknown) => offlineDiagnosis(at, config, error))
    at.out.answer(diagnosis, ({ style }) => diagnosis.checks.flatMap((check) => checkLines(check, style)))
    return diagnosis.worst === 'problem' ? exitCode.error : exitCode.ok
  })
}

/** An agent that is named by its address is on another machine, perhaps: nothing of it can be told here. */
async function offlineDiagnosis(at: Invocation, config: string | undefined, error: unknown): Promise<Diagnosis> {
  const unreached = error instanceof CliError && (error.code === 'cli/no-agent' || error.code === 'cli/no-answer')
  if (!unreached || (at.environment['GITMOOR_URL'] ?? '') !== '') throw error
  const data = dataDirectory(at.address, at.environment, at.cwd)
  const checks = await at.checkOffline({ data, ...(config === undefined ? {} : { config }) })
  return { checks, worst: 'problem' }
}

function checkLines({ name, state, message, next }: Check, style: Style): readonly string[] {
  const paint = { ok: style.green, warning: style.yellow, problem: style.red, skipped: style.dim }[state]
  const line = `${paint(state)}${' '.repeat(9 - state.length)}${printable(name)}: ${printable(message)}`
  return [line, ...(next === undefined ? [] : [`         next: ${printable(next)}`])]
}
