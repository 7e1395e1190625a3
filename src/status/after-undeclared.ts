// What a person does with a stack that its owner no longer declares.
import { command, edit, type NextStep } from '../model/stacks/blocker.js'
import type { Stack, Suspension } from '../model/stacks/stack.js'
import { fleetOf } from '../model/stacks/stack-owner.js'

/** How its owner declares a stack again, and how to delete it. */
export function afterUndeclared({ spec: { name }, managedBy }: Stack, { declaredIn }: Suspension): readonly NextStep[] {
  const deletion = (purpose: string): NextStep =>
    command(purpose, 'stack delete', { stack: name }, `gitmoor stack delete ${name}`)
  const removal = command(
    'Or delete it with its resources',
    'stack delete',
    { stack: name, option: '--uninstall' },
    `gitmoor stack delete ${name} --uninstall`,
  )
  const fleet = fleetOf(managedBy)
  if (fleet !== undefined)
    return [edit(`Bring it back into fleet ${fleet}`), deletion('Or delete it and keep its resources'), removal]
  const declare = declaredIn === undefined ? 'Declare' : `Start the agent again with --config ${declaredIn}, or declare`
  return [edit(`${declare} ${name} in the configuration file again`), deletion('Or delete it')]
}
