// Stacks that a configuration file declares, under an agent that was started without one: they keep their settings and their state, and nothing is done for them.
import { warning, type Check } from '../model/check.js'
import { Rejected } from '../model/errors.js'
import type { Stack } from '../model/stack.js'
import type { Store } from '../store/store.js'
import { everyStack } from './every-stack.js'

const hint = 'Start the agent again with --config FILE. To give a stack up: gitmoor stack delete NAME'

/** Why a stack is left alone; undefined: it is not. */
export function notDeclaredHere({ managedBy, spec }: Pick<Stack, 'managedBy' | 'spec'>): Rejected | undefined {
  if (managedBy !== 'file') return undefined
  return new Rejected(`${spec.name} is declared in a configuration file, and the agent was started without one.`, {
    code: 'config/not-given',
    hint,
  })
}

/** What the log and the doctor say of them; undefined: there are none. */
export async function leftAlone(store: Pick<Store, 'stacks'>): Promise<Check | undefined> {
  let count = 0
  for await (const { managedBy } of everyStack(store)) if (managedBy === 'file') count++
  if (count === 0) return undefined
  const [stacks, them] = count === 1 ? ['1 stack is', 'it'] : [`${count} stacks are`, 'them']
  const message = `${stacks} declared in a configuration file, and the agent was started without one: nothing is done for ${them}.`
  return warning('configuration', message, hint)
}
