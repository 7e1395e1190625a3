// Secrets and values that the settings of a stack refer to, and that cannot be read now: what is said of them.
import { quoted } from '../lib/text/printable.js'
import { shellWord } from '../lib/text/shell-word.js'
import { command, edit, type Blocker, type NextStep } from '../model/stacks/blocker.js'
import type { UnreadableInput } from '../model/resources/inputs.js'
import type { Failure, Stack } from '../model/stacks/stack.js'
import { ownerText } from '../model/stacks/stack-owner.js'

/** Reason of the blocker (also of a secret that nobody gave), and of the failure of a run that needed the input. */
export const unreadableInputReason = 'SecretMissing'

/** `The secret "slack" of stack alerts cannot be read now: The environment variable SLACK is not set.` */
export function unreadableInputMessage({ kind, key, why }: UnreadableInput, stack: string): string {
  return `The ${kind} ${quoted(key)} of stack ${stack} cannot be read now: ${why}`
}

export function unreadableInputSteps(
  { kind, key, fix }: UnreadableInput,
  { spec: { name }, managedBy }: Pick<Stack, 'spec' | 'managedBy'>,
): readonly NextStep[] {
  const option = `--secret ${shellWord(`${key}=env:VARIABLE`)}`
  const other =
    managedBy !== 'api'
      ? edit(`Or change \`${kind}s\` of ${name} in ${ownerText(managedBy)}`)
      : command('Or refer to another one', 'stack set', { stack: name, option }, `gitmoor stack set ${name} ${option}`)
  return [edit(fix), other]
}

/** Nothing failed yet: the next run would. An input that a failure names is not repeated. */
export function unreadableInputBlockers(
  stack: Pick<Stack, 'spec' | 'managedBy'>,
  inputs: readonly UnreadableInput[],
  failures: readonly Failure[],
): readonly Blocker[] {
  const said = new Set(failures.map(({ message }) => message))
  return inputs.flatMap((input) => {
    const message = unreadableInputMessage(input, stack.spec.name)
    if (said.has(message)) return []
    const next = unreadableInputSteps(input, stack)
    return [{ reason: unreadableInputReason, message, since: null, until: null, next }]
  })
}
