// Stacks of a configuration file while the agent runs without one: they keep settings and state, and are neither polled
// nor applied. The file's channel policies still apply to stacks of the API.
import { warning, type Check } from '../../model/check.js'
import { Rejected } from '../../model/errors.js'
import type { Stack } from '../../model/stack.js'
import type { Store } from '../../store/store.js'
import { everyStack } from '../stacks.js'

/**
 * Why the agent does nothing for the stack; undefined: it does. `former`: the configuration file of the last agent that
 * had one, if it is known.
 */
export function notDeclaredHere(
  { managedBy, spec }: Pick<Stack, 'managedBy' | 'spec'>,
  former: string | undefined,
): Rejected | undefined {
  if (managedBy !== 'file') return undefined
  return new Rejected(
    `${spec.name} is declared in ${fileText(former)}, but the agent was started without ${articleText(former)}.`,
    { code: 'config/not-given', hint: `${startText(former)}. Until then gitmoor changes nothing of ${spec.name}.` },
  )
}

/** The warnings of an agent that runs without a configuration file. */
export async function withoutFile(
  store: Pick<Store, 'stacks' | 'channels'>,
  former: string | undefined,
): Promise<readonly Check[]> {
  const checks = [await leftAlone(store, former), await policiesKept(store, former)]
  return checks.filter((check) => check !== undefined)
}

async function policiesKept(
  { channels }: Pick<Store, 'channels'>,
  former: string | undefined,
): Promise<Check | undefined> {
  const { length } = await channels.policies()
  if (length === 0) return undefined
  const policies =
    length === 1
      ? '1 channel policy of the configuration file still applies'
      : `${length} channel policies of the configuration file still apply`
  const message = `${policies}, but the agent was started without the file.`
  return warning(
    'channels',
    message,
    `${startText(former)}. To remove the policies, start it with a file that declares none.`,
  )
}

async function leftAlone(store: Pick<Store, 'stacks'>, former: string | undefined): Promise<Check | undefined> {
  let count = 0
  for await (const { managedBy } of everyStack(store)) if (managedBy === 'file') count++
  if (count === 0) return undefined
  const [stacks, them] = count === 1 ? ['1 stack is', 'it'] : [`${count} stacks are`, 'them']
  const message =
    `${stacks} declared in ${fileText(former)}, but the agent was started without ${articleText(former)}: ` +
    `gitmoor neither polls nor applies ${them}.`
  return warning('configuration', message, `${startText(former)}.`)
}

function fileText(former: string | undefined): string {
  return former ?? 'a configuration file'
}

function articleText(former: string | undefined): string {
  return former === undefined ? 'one' : 'a configuration file'
}

function startText(former: string | undefined): string {
  return `Start the agent again with --config ${former ?? 'FILE'}`
}
