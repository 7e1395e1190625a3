// Commands that a person ended, or must confirm.
import type { Problem } from '../../model/problem.js'
import { exitCode } from '../exit-code.js'
import { CliError } from './cli-error.js'

/** Commands that a person ended, or must confirm. */
export const interruptions = {
  /** `options`: those that confirm. */
  needsConfirmation: (question: string, losses: readonly string[], options: string) =>
    new CliError(exitCode.needsApproval, `Confirmation needed, but there is no terminal to ask: ${question}`, {
      code: 'cli/needs-confirmation',
      status: 'needs-approval',
      problems: lossProblems(losses),
      hint: `Pass ${options} to confirm.`,
    }),
  /** `options`: those that are missing. */
  needsConsent: (losses: readonly string[], options: string) =>
    new CliError(exitCode.needsApproval, 'Consent needed. Nothing was changed.', {
      code: 'cli/needs-consent',
      status: 'needs-approval',
      problems: lossProblems(losses),
      hint: `Pass ${options} to consent.`,
    }),
  declined: () => cancelled('Nothing was changed.'),
  interruptedQuestion: (cause: unknown) => cancelled('Interrupted. Nothing was changed.', { cause }),
  interruptedRequest: (cause: unknown) => cancelled('Interrupted.', { cause }),
  editorExited: (code: number | null) =>
    cancelled(`The editor exited with ${code ?? 'a signal'}. Nothing was changed.`),
  stoppedWaiting: (stack: string, run: string, cause: unknown) =>
    cancelled(`Stopped waiting. Run ${run} of ${stack} continues.`, {
      hint: `Cancel it: gitmoor cancel ${stack}\nShow its result: gitmoor history ${stack} ${run}`,
      cause,
    }),
  stoppedWaitingForAll: (cause: unknown) =>
    cancelled('Interrupted. Work that the agent began continues.', {
      hint: 'Show the stacks: gitmoor stack list',
      cause,
    }),
} as const

const lossesListed = 10

/** The first losses, and how many more there are. */
export function firstLosses(losses: readonly string[]): readonly string[] {
  const rest = losses.length - lossesListed
  return [...losses.slice(0, lossesListed), ...(rest > 0 ? [`And ${rest} more.`] : [])]
}

function lossProblems(losses: readonly string[]): readonly Problem[] {
  return firstLosses(losses).map((message) => ({ severity: 'error', code: 'cli/needs-consent', message }))
}

function cancelled(message: string, facts: { readonly hint?: string; readonly cause?: unknown } = {}): CliError {
  return new CliError(exitCode.cancelled, message, { code: 'cli/cancelled', status: 'cancelled', ...facts })
}
