// Why the configuration file does not declare a stack as it says: its entry was refused, or an error in its entry
// refused the whole reload.
import type { ConfigurationStatus } from '../../model/agent/configuration-status.js'
import { errorsOf, type Problem } from '../../model/problem.js'

/** Those of all stacks; each has the name of its stack. */
export function declarationRefusals({ refused, refusedStacks }: ConfigurationStatus): readonly Problem[] {
  return errorsOf([...refusedStacks, ...(refused?.problems ?? [])]).filter(({ stack }) => stack !== undefined)
}

/** Of a stack that exists, as warnings: its former settings stay in force. */
export function refusedSettings(configuration: ConfigurationStatus, name: string): readonly Problem[] {
  return declarationRefusals(configuration)
    .filter(({ stack }) => stack === name)
    .map((problem) => ({
      ...problem,
      severity: 'warning',
      message: `${problem.message} The former settings of ${name} stay in force.`,
    }))
}
