// Requests that a suspended stack refuses.
import { Refused } from '../../model/errors.js'
import { isUndeclared, suspensionText, uninstalled, type Stack } from '../../model/stack.js'

/** Throws if the stack is suspended. */
export function refuseSuspended(stack: Stack): void {
  const { spec, suspended } = stack
  if (suspended === null) return
  throw new Refused('locked', `${spec.name} is suspended${suspensionText(suspended)}.`, {
    code: 'stacks/suspended',
    hint: isUndeclared(stack)
      ? `Declare ${spec.name} in the configuration file again and send the signal HUP to the agent. ` +
        `Or delete it: gitmoor stack delete ${spec.name}`
      : `Resume it first: gitmoor resume ${spec.name}`,
  })
}

/** Throws if the configuration file no longer declares the stack: only the file ends this suspension. */
export function refuseUndeclared(stack: Stack): void {
  if (isUndeclared(stack)) refuseSuspended(stack)
}

/** Throws if a person suspended the stack. The suspension after an uninstall does not count. */
export function refuseSuspendedByPerson(stack: Stack): void {
  if (!isUninstalled(stack)) refuseSuspended(stack)
}

export function isUninstalled({ suspended }: Stack): boolean {
  return suspended?.reason === uninstalled
}
