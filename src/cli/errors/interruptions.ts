// Commands that a person ended, or must confirm.
import type { Problem } from '../../model/problem.js'
import { exitCode } from '../exit-code.js'
import { CliError } from './cli-error.js'

/** `options`: those that confirm or consent. `approval`: the command that must follow. */
interface MissingConfirmation {
  readonly options: string
  readonly approval: string | undefined
}

/** Commands that a person ended, or must confirm. */
export const interruptions = {
  needsConfirmation: (question: string, losses: readonly string[], missing: MissingConfirmation) =>
    new CliError(exitCode.needsApproval, `Confirmation needed, but there is no terminal to ask: ${question}`, {
      code: 'cli/needs-confirmation',
      status: 'needs-approval',
      problems: lossProblems(losses),
      hint: confirmationHint(missing, 'confirm'),
    }),
  needsConsent: (losses: readonly string[], missing: MissingConfirmation) =>
    new CliError(exitCode.needsApproval, 'Consent needed. Nothing was changed.', {
      code: 'cli/needs-consent',
      status: 'needs-approval',
      problems: lossProblems(losses),
      hint: confirmationHint(missing, 'consent'),
    }),
  declined: () => cancelled('Nothing was changed: only the answer yes continues.'),
  interruptedQuestion: (cause: unknown) => cancelled('Interrupted. Nothing was changed.', { cause }),
  interruptedRequest: (cause: unknown) => cancelled('Interrupted.', { cause }),
  editorExited: (code: number | null) =>
    cancelled(`The editor exited with ${code ?? 'a signal'}. Nothing was changed.`),
  /** `run`: undefined, if it is not known. */
  stoppedWaiting: (stack: string, run: string | undefined, cause: unknown) => {
    const what = run === undefined ? `A run of ${stack} that has begun` : `Run ${run} of ${stack}`
    const show = `gitmoor history ${stack}${run === undefined ? '' : ` ${run}`}`
    return cancelled(`Stopped waiting. ${what} continues.`, {
      hint: `Cancel it: gitmoor cancel ${stack}\nShow its result: ${show}`,
      cause,
    })
  },
  stoppedWaitingForAll: (cause: unknown) =>
    cancelled('Interrupted. Work that the agent began continues.', {
      hint: 'Show the stacks: gitmoor stack list',
      cause,
    }),
} as const

function confirmationHint({ options, approval }: MissingConfirmation, purpose: 'confirm' | 'consent'): string {
  const pass = `Pass ${options} to ${purpose}.`
  return approval === undefined ? pass : `${pass}\nThen approve the plan: ${approval}`
}

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
