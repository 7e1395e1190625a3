// What is refused of a suspended stack.
import { Refused } from '../../model/errors.js'
import { uninstalled, type Stack } from '../../model/stack.js'

export function suspendedRefusal({ spec, suspended }: Stack): Refused {
  return new Refused('locked', `${spec.name} is suspended by ${suspended!.by}: ${suspended!.reason}.`, {
    code: 'stacks/suspended',
    hint: `Resume it first: gitmoor resume ${spec.name}`,
  })
}

export function isUninstalled({ suspended }: Stack): boolean {
  return suspended?.reason === uninstalled
}

/** Throws where a person suspended it. */
export function refuseSuspended(stack: Stack): void {
  if (stack.suspended !== null && !isUninstalled(stack)) throw suspendedRefusal(stack)
}
