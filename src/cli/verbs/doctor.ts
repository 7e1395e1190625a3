import type { Command } from 'commander'
import type { Diagnosis } from '../../views/diagnosis.js'
import { dataDirectory } from '../client/agent-address.js'
import { CliError } from '../errors/cli-error.js'
import { exitCode } from '../exit-code.js'
import type { Declare, Invocation } from '../invocation.js'
import { diagnosisLines } from '../text/diagnosis-text.js'
import { inFull } from '../text/text.js'

export function addDoctorVerb(program: Command, declare: Declare): void {
  const doctor = {
    usage: 'doctor',
    summary: 'diagnose problems and suggest fixes',
    example: 'doctor --config config/gitmoor.yaml',
    notes:
      'Exit code 1 if there is a problem. If no agent runs, it checks the data directory and the file of --config.',
    options: [
      ['--config <FILE>', 'configuration file to check if no agent runs'],
      ['--full', 'print every check with its result, also those that passed'],
    ],
  } as const
  declare<{ config?: string; full?: true }>(program, doctor, async (cli, _, { config, full }) => {
    const diagnosis = await cli.client
      .request<Diagnosis>('GET', '/api/v1/doctor')
      .catch((error: unknown) => offlineDiagnosis(cli, config, error))
    cli.out.answer(diagnosis, (display) => diagnosisLines(diagnosis, inFull(display, full)))
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
