// Errors of names that select nothing.
import { exitCode } from '../exit-code.js'
import { CliError } from './cli-error.js'

export const moveErrors = {
  noSuchMove: (channel: string, which: string) =>
    new CliError(exitCode.notFound, `${channel} has no ${which === 'latest' ? 'moves' : `move ${which}`}.`, {
      code: 'cli/no-move',
      status: 'not-found',
      hint: `List its moves: gitmoor channel log ${channel}`,
    }),
} as const

/** Selections of stacks. */
export const stackErrors = {
  /** `and`: what else must be true of a stack: ` and is suspended`. */
  noneSelected: (selector: string, and = '') =>
    new CliError(exitCode.notFound, `No stack matches ${selector}${and}.`, {
      code: 'cli/none-selected',
      status: 'not-found',
      hint: 'List the stacks with their labels: gitmoor stack list --show-labels',
    }),
  noneOfFleet: (fleet: string, and = '') =>
    new CliError(exitCode.notFound, `No stack is of fleet ${fleet}${and}.`, {
      code: 'cli/none-selected',
      status: 'not-found',
      hint: 'List the fleets: gitmoor fleet list',
    }),
} as const
