// Stacks of a configuration file that the agent was not started with, and stacks on its targets. Without any file, they
// keep settings and state, and are neither polled nor applied; the file's channel policies still apply to the others.
// With another file, those that it does not declare are suspended: see declare-stacks.ts.
import { startCommand, type AgentStart } from '../../model/agent/agent-start.js'
import { problem, warning, type Check } from '../../model/agent/check.js'
import { Rejected } from '../../model/errors.js'
import type { Stack } from '../../model/stacks/stack.js'
import { fleetOf, fleetOwner } from '../../model/stacks/stack-owner.js'
import type { Store } from '../../store/store.js'
import { everyFleet } from '../fleets/every-fleet.js'
import { everyStack } from '../stacks.js'
import type { Targets } from '../targets.js'

/**
 * `file`: the configuration file of this agent. `former`: how the last agent was started that had one; without `config`
 * if that is not known.
 */
export interface UsedFiles {
  readonly file: string | undefined
  readonly former: AgentStart
}

interface StartedWithout {
  readonly former: AgentStart
  readonly targets: Pick<Targets, 'has'>
}

interface RefusedWithout extends StartedWithout {
  /** True for a fleet that the file declares. */
  readonly isFleetOfFile: (fleet: string) => boolean
}

/**
 * Why an agent without a file does nothing for the stack: the file declares the stack, or its target; undefined:
 * neither.
 */
export function notDeclaredHere(
  { managedBy, spec: { name, target } }: Pick<Stack, 'managedBy' | 'spec'>,
  { former, targets, isFleetOfFile }: RefusedWithout,
): Rejected | undefined {
  const fleet = fleetOf(managedBy)
  if (managedBy === 'file') return notGiven(name, former, name)
  if (fleet !== undefined && isFleetOfFile(fleet)) return notGiven(`Fleet ${fleet} of ${name}`, former, name)
  return targets.has(target) ? undefined : targetNotGiven(target, former, name)
}

/** The error for a target that no file declares, because the agent was started without one. */
export function targetNotGiven(target: string, former: AgentStart, stack?: string): Rejected {
  return notGiven(`Target ${target}`, former, stack)
}

function notGiven(what: string, former: AgentStart, stack: string | undefined): Rejected {
  const started = `the agent was started without ${articleText(former)}`
  const message = `${what} is declared in ${fileText(former)}, but ${started}.`
  const meanwhile = stack === undefined ? '' : `gitmoor changes nothing of ${stack} meanwhile. `
  return new Rejected(message, { code: 'config/not-given', hint: meanwhile + startText(former) })
}

/** The warnings of an agent that runs without the file of an earlier one. */
export async function declaredElsewhere(
  {
    store,
    targets,
  }: { readonly store: Pick<Store, 'stacks' | 'channels' | 'fleets'>; readonly targets: Pick<Targets, 'has'> },
  { file, former }: UsedFiles,
): Promise<readonly Check[]> {
  if (file !== undefined) return suspendedStacks(store, file, former)
  const checks = [await leftAlone(store, { former, targets }), await policiesKept(store, former)]
  return checks.filter((check) => check !== undefined)
}

/** The most stacks that a warning names. */
const namesShown = 10

/** One for each earlier file whose stacks this one does not declare. */
async function suspendedStacks(
  store: Pick<Store, 'stacks'>,
  file: string,
  { data }: AgentStart,
): Promise<readonly Check[]> {
  const names = new Map<string, string[]>()
  for await (const { spec, suspended } of everyStack(store)) {
    const { declaredIn } = suspended ?? {}
    if (declaredIn === undefined || declaredIn === file) continue
    names.set(declaredIn, [...(names.get(declaredIn) ?? []), spec.name])
  }
  return [...names].map(([config, some]) => {
    const shown = some.slice(0, namesShown).join(', ') + (some.length > namesShown ? ', …' : '')
    const [stacks, them, each] =
      some.length === 1 ? ['1 stack is', 'it', 'it'] : [`${some.length} stacks are`, 'them', 'them one by one']
    const why = `${config} declared ${them}, but the agent was started with ${file}, which does not`
    const deletion = `Or delete ${each}: gitmoor stack delete ${some[0]}`
    const next = `${startText({ data, config })}\nOr declare ${them} in ${file}\n${deletion}`
    return warning('configuration', `${stacks} suspended (${shown}): ${why}.`, next)
  })
}

async function policiesKept({ channels }: Pick<Store, 'channels'>, former: AgentStart): Promise<Check | undefined> {
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
    `To remove the policies, start the agent with a file that declares none. To change them: ${startText(former)}`,
  )
}

async function leftAlone(
  store: Pick<Store, 'stacks' | 'fleets'>,
  { former, targets }: StartedWithout,
): Promise<Check | undefined> {
  const ofFile = new Set<string>(['file'])
  for await (const { spec, managedBy } of everyFleet(store)) if (managedBy === 'file') ofFile.add(fleetOwner(spec.name))
  let declared = 0
  let bound = 0
  for await (const { managedBy, spec } of everyStack(store)) {
    if (ofFile.has(managedBy)) declared++
    else if (!targets.has(spec.target)) bound++
  }
  if (declared + bound === 0) return undefined
  const what = [
    ...(declared === 0 ? [] : [declared === 1 ? '1 stack' : `${declared} stacks`]),
    ...(bound === 0 ? [] : [bound === 1 ? 'the target of 1 stack' : `the targets of ${bound} stacks`]),
  ].join(' and ')
  const isOne = declared + bound === 1
  const them = bound > 0 ? (isOne ? 'this stack' : 'these stacks') : isOne ? 'it' : 'them'
  const message =
    `${what.charAt(0).toUpperCase()}${what.slice(1)} ${isOne ? 'is' : 'are'} declared in ${fileText(former)}, ` +
    `but the agent was started without ${articleText(former)}: gitmoor neither polls nor applies ${them}.`
  return problem('configuration', message, startText(former))
}

function fileText({ config }: AgentStart): string {
  return config ?? 'a configuration file'
}

function articleText({ config }: AgentStart): string {
  return config === undefined ? 'one' : 'a configuration file'
}

function startText(former: AgentStart): string {
  return `Stop this agent, then start it with the file: ${startCommand({ config: 'FILE', ...former }, process.cwd())}`
}
