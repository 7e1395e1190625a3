// Requests that a suspended stack refuses.
import { Refused } from '../../model/errors.js'
import { isUndeclared, isUninstalled, suspensionText, type Stack } from '../../model/stacks/stack.js'
import { fleetOf } from '../../model/stacks/stack-owner.js'

/** Throws if the stack is suspended. */
export function refuseSuspended(stack: Stack): void {
  const { spec, suspended } = stack
  if (suspended === null) return
  throw new Refused('locked', `${spec.name} is suspended${suspensionText(suspended)}.`, {
    code: 'stacks/suspended',
    hint: isUndeclared(stack) ? declareHint(stack) : `Resume it first: gitmoor resume ${spec.name}`,
  })
}

function declareHint({ spec: { name }, managedBy }: Stack): string {
  const fleet = fleetOf(managedBy)
  const again =
    fleet === undefined
      ? `Declare ${name} in the configuration file again and send the signal HUP to the agent.`
      : `Bring it back into fleet ${fleet}.`
  return `${again}\nOr delete it: gitmoor stack delete ${name}`
}

/** Throws if its owner no longer declares the stack: only the owner ends this suspension. */
export function refuseUndeclared(stack: Stack): void {
  if (isUndeclared(stack)) refuseSuspended(stack)
}

/** Throws if a person suspended the stack. The suspension after an uninstall does not count. */
export function refuseSuspendedByPerson(stack: Stack): void {
  if (!isUninstalled(stack)) refuseSuspended(stack)
}
