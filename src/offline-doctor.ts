// The checks of the doctor while no agent runs: the machine, the data directory, and the configuration file if it is
// given.
import { machineChecks } from './agent/upkeep/machine-checks.js'
import type { OfflineOptions } from './cli/invocation.js'
import { readEnvironment } from './config/environment.js'
import { readConfiguration } from './config/config.js'
import { ok, problem, warning, type Check } from './model/check.js'
import { connectionChecks } from './source/network/connection-checks.js'
import { errorsOf, formatProblem } from './model/problem.js'
import type { Adapters } from './open-agent.js'

/** Changes nothing and sends nothing. */
export async function checkOffline(
  { data, config }: OfflineOptions,
  { integrity }: Pick<Adapters, 'integrity'>,
): Promise<readonly Check[]> {
  const agent = problem('agent', `No agent is running on ${data}.`, `gitmoor agent --data ${data}`)
  const machine = await machineChecks({ data, integrity, searchPath: readEnvironment().path })
  return [agent, ...machine, ...(config === undefined ? [] : configurationChecks(config))]
}

function configurationChecks(file: string): readonly Check[] {
  const { value, problems } = readConfiguration(file)
  if (problems.length === 0)
    return [ok('configuration', `${file} is valid.`), ...connectionChecks(value!.connections, Date.now())]
  const errors = new Set(errorsOf(problems))
  return problems.map((one) => {
    const next = one.hint ?? 'Fix the file; config/gitmoor.yaml explains every key.'
    return errors.has(one)
      ? problem('configuration', formatProblem(one), next)
      : warning('configuration', formatProblem(one), next)
  })
}
