// Why the configuration file does not declare a stack as it says: its entry was refused, or an error in its entry
// refused the whole reload.
import type { ConfigurationStatus } from '../../model/agent/configuration-status.js'
import { errorsOf, type Problem } from '../../model/problem.js'
import type { Failure } from '../../model/stacks/stack.js'

/** Those of all stacks; each has the name of its stack. */
export function declarationRefusals({ refused, refusedStacks }: ConfigurationStatus): readonly Problem[] {
  return errorsOf([...refusedStacks, ...(refused?.problems ?? [])]).filter(({ stack }) => stack !== undefined)
}

/**
 * Of a stack that exists, as warnings: its former settings stay in force, and so do the former credentials, which
 * matters to a stack that a server refuses.
 */
export function refusedSettings(
  configuration: ConfigurationStatus,
  name: string,
  failure: Failure | null | undefined,
): readonly Problem[] {
  const settings: readonly Problem[] = declarationRefusals(configuration)
    .filter(({ stack }) => stack === name)
    .map((problem) => ({
      ...problem,
      severity: 'warning',
      message: `${problem.message} The former settings of ${name} stay in force.`,
    }))
  return failure?.code === 'source/unauthorized' ? [...settings, ...refusedCredentials(configuration)] : settings
}

function refusedCredentials({ refused }: ConfigurationStatus): readonly Problem[] {
  if (refused === null) return []
  return [
    {
      severity: 'warning',
      code: 'config/reload-refused',
      message: 'The last reload of the configuration file was refused, so its credentials are not used.',
      hint: 'See why: gitmoor doctor',
    },
  ]
}
