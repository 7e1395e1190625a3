import { Refused } from '../model/errors.js'
import type { Stack } from '../model/stack.js'
import type { Store } from '../store/store.js'

interface Stored {
  readonly store: Pick<Store, 'stacks'>
}

/** By its name, else by its id. Errors: `Refused` not-found. */
export async function findStack({ store }: Stored, name: string): Promise<Stack> {
  const stack = await store.stacks.get(name)
  if (stack !== undefined) return stack
  throw new Refused('not-found', `There is no stack named ${name}.`, {
    hint: 'See which there are: gitmoor stack list',
  })
}

/** By its id alone. Errors: `Refused` not-found. */
export async function findStackById({ store }: Stored, id: string): Promise<Stack> {
  const [stack] = await store.stacks.many([id])
  if (stack !== undefined) return stack
  throw new Refused('not-found', `There is no stack with the id ${id}.`)
}

/** A stack whose settings the API may change. Errors: `Refused` conflict, if the configuration file declares it. */
export async function findChangeableStack(context: Stored, name: string): Promise<Stack> {
  const stack = await findStack(context, name)
  if (stack.managedBy !== 'file' || stack.suspended?.by === 'file') return stack
  throw new Refused('conflict', `The configuration file declares ${name} (managedBy: file). Change it there.`, {
    code: 'stacks/managed-by-file',
    hint: 'Change the file, then send the signal HUP to the agent.',
  })
}
