// Requests that a suspended stack refuses.
import { Refused } from '../../model/errors.js'
import { uninstalled, type Stack } from '../../model/stack.js'

/** Throws if the stack is suspended. */
export function refuseSuspended({ spec, suspended }: Stack): void {
  if (suspended === null) return
  throw new Refused('locked', `${spec.name} is suspended by ${suspended.by}: ${suspended.reason}.`, {
    code: 'stacks/suspended',
    hint: `Resume it first: gitmoor resume ${spec.name}`,
  })
}

/** Throws if a person suspended the stack. The suspension after an uninstall does not count. */
export function refuseSuspendedByPerson(stack: Stack): void {
  if (!isUninstalled(stack)) refuseSuspended(stack)
}

export function isUninstalled({ suspended }: Stack): boolean {
  return suspended?.reason === uninstalled
}
