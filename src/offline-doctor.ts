// The checks of the doctor while no agent runs: the machine, the data directory, and the configuration file: the given
// one, else that of the last agent.
import { machineChecks } from './agent/upkeep/machine-checks.js'
import { lastStart } from './cli/client/agent-address.js'
import type { OfflineOptions } from './cli/invocation.js'
import { readEnvironment } from './config/environment.js'
import { readConfiguration } from './config/config.js'
import { startCommand } from './model/agent/agent-start.js'
import { ok, problem, warning, type Check } from './model/agent/check.js'
import { connectionChecks } from './source/network/connection-checks.js'
import { errorsOf, formatProblem } from './model/problem.js'
import type { Adapters } from './agent-adapters.js'

/** Changes nothing and sends nothing. */
export async function checkOffline(
  { data, config }: OfflineOptions,
  { integrity, platforms }: Pick<Adapters, 'integrity' | 'platforms'>,
): Promise<readonly Check[]> {
  const last = lastStart(data)
  const start = startCommand(config === undefined ? last : { data, config }, process.cwd())
  const agent = problem('agent', `No agent is running on ${data}.`, start)
  const machine = await machineChecks({ data, integrity, searchPath: readEnvironment().path })
  if (config !== undefined)
    return [agent, ...machine, ...configurationChecks(config, { directory: process.cwd(), platforms })]
  return [
    agent,
    ...machine,
    ...(last.config === undefined
      ? []
      : configurationChecks(last.config, { directory: last.directory ?? process.cwd(), platforms })),
  ]
}

function configurationChecks(
  file: string,
  { directory, platforms }: Pick<Adapters, 'platforms'> & { readonly directory: string },
): readonly Check[] {
  const { value, problems } = readConfiguration(file, { platforms }, directory)
  const errors = new Set(errorsOf(problems))
  const found = problems.map((one) => {
    const next = one.hint ?? 'Fix the file; config/gitmoor.yaml explains every key.'
    return errors.has(one)
      ? problem('configuration', formatProblem(one), next)
      : warning('configuration', formatProblem(one), next)
  })
  if (value === undefined) return found
  const valid = found.length > 0 ? found : [ok('configuration', `${file} is valid.`)]
  return [...valid, ...connectionChecks(value.connections, Date.now())]
}
