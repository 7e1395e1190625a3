// Stacks of a configuration file that the agent was not started with. Without any file, they keep settings and state,
// and are neither polled nor applied; the file's channel policies still apply to stacks of the API. With another file,
// those that it does not declare are suspended: see declare-stacks.ts.
import { warning, type Check } from '../../model/check.js'
import { Rejected } from '../../model/errors.js'
import type { Stack } from '../../model/stack.js'
import type { Store } from '../../store/store.js'
import { everyStack } from '../stacks.js'

/** `file`: the configuration file of this agent. `former`: that of the last agent which had one, if it is known. */
export interface UsedFiles {
  readonly file: string | undefined
  readonly former: string | undefined
}

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

/** The warnings of an agent that runs without the file of an earlier one. */
export async function declaredElsewhere(
  store: Pick<Store, 'stacks' | 'channels'>,
  { file, former }: UsedFiles,
): Promise<readonly Check[]> {
  if (file !== undefined) return suspendedStacks(store, file)
  const checks = [await leftAlone(store, former), await policiesKept(store, former)]
  return checks.filter((check) => check !== undefined)
}

/** The most stacks that a warning names. */
const namesShown = 10

/** One for each earlier file whose stacks this one does not declare. */
async function suspendedStacks(store: Pick<Store, 'stacks'>, file: string): Promise<readonly Check[]> {
  const names = new Map<string, string[]>()
  for await (const { spec, suspended } of everyStack(store)) {
    const { declaredIn } = suspended ?? {}
    if (declaredIn === undefined || declaredIn === file) continue
    names.set(declaredIn, [...(names.get(declaredIn) ?? []), spec.name])
  }
  return [...names].map(([former, some]) => {
    const shown = some.slice(0, namesShown).join(', ') + (some.length > namesShown ? ', …' : '')
    const [stacks, them, each] =
      some.length === 1 ? ['1 stack is', 'it', 'it'] : [`${some.length} stacks are`, 'them', 'them one by one']
    const why = `${former} declared ${them}, but the agent was started with ${file}, which does not`
    const next = `${startText(former)}. Or declare ${them} in ${file}, or delete ${each}: gitmoor stack delete ${some[0]}`
    return warning('configuration', `${stacks} suspended (${shown}): ${why}.`, next)
  })
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
