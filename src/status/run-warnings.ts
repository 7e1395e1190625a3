// Warnings of the last run of a stack. Status, doctor and metrics read them here, so all of them report the same.
import { edit, type Blocker } from '../model/stacks/blocker.js'
import { placedMessage, type Problem } from '../model/problem.js'
import type { Run } from '../model/stacks/run.js'
import { unreadableInputReason } from './unreadable-inputs.js'

/** Code of the warning of a secret that the package uses, and that is neither on the target nor given. */
export const missingSecretCode = 'stacks/missing-secret'

type Warned = Pick<Run, 'problems'> | undefined

/** Secrets that the last run did not find: the stack is degraded, because resources on the target lack them. */
export function hasMissingSecrets(last: Warned): boolean {
  return last?.problems.some(isMissingSecret) === true
}

export function missingSecretBlockers(last: Pick<Run, 'problems' | 'finishedAt'> | undefined): readonly Blocker[] {
  return (last?.problems ?? []).filter(isMissingSecret).map((problem) => ({
    reason: unreadableInputReason,
    message: placedMessage(problem),
    since: last?.finishedAt ?? null,
    until: null,
    next: problem.hint === undefined ? [] : [edit(problem.hint)],
  }))
}

/** All other warnings of the last run. They change no state. */
export function runWarnings(last: Warned): readonly Problem[] {
  return (last?.problems ?? []).filter((problem) => problem.severity === 'warning' && !isMissingSecret(problem))
}

function isMissingSecret({ code }: Problem): boolean {
  return code === missingSecretCode
}
