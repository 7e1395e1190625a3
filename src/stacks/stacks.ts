// stacks: what people can do with stacks, as use cases: functions of a context (context.ts), one folder for each group.
// Takes names and settings; gives views. Promises: what the configuration file declares is changed there and nowhere
// else; every error says what to do next; the scheduler decides when polls and runs start. This file finds stacks.
import { Refused } from '../model/errors.js'
import type { ConfigurationStatus } from '../model/agent/configuration-status.js'
import type { DeletedStack } from '../model/stacks/deleted-stack.js'
import { timeText } from '../lib/text/time-text.js'
import { formatProblem } from '../model/problem.js'
import { isUndeclared, type Stack } from '../model/stacks/stack.js'
import { fleetOf } from '../model/stacks/stack-owner.js'
import { correction } from '../settings/did-you-mean.js'
import type { Store } from '../store/store.js'
import type { Scheduler } from './scheduler.js'
import { declarationRefusals } from './status/declaration-refusals.js'

interface Stored {
  readonly store: Pick<Store, 'stacks'>
  /** Absent: the configuration is of no importance to the caller. */
  readonly configuration?: () => ConfigurationStatus
}

/** For reads: by its name, else by its id. Errors: `Refused` not-found. */
export async function findStack({ store, configuration }: Stored, name: string): Promise<Stack> {
  const stack = await store.stacks.get(name)
  if (stack !== undefined) return stack
  const refused = configuration && declarationRefusals(configuration()).find((one) => one.stack === name)
  if (refused !== undefined)
    throw new Refused('not-found', `There is no stack named ${name}. ${formatProblem(refused)}`, {
      code: 'stacks/unknown',
      hint: refused.hint ?? 'Fix it in the configuration file, and reload the file.',
    })
  const deleted = await store.stacks.deleted(name)
  if (deleted !== undefined)
    throw new Refused('not-found', `There is no stack named ${name}: ${deletionText(deleted)}.`, {
      code: 'stacks/unknown',
      hint: `Its history: gitmoor history ${name}`,
    })
  const names = await store.stacks.names(mostCompared)
  throw new Refused('not-found', `There is no stack named ${name}.`, {
    code: 'stacks/unknown',
    ...correction(name, names, 'List the stacks: gitmoor stack list'),
  })
}

/** `ann deleted it at 2026-11-23 16:52:12Z`. */
function deletionText({ by, at }: DeletedStack): string {
  return `${by} deleted it at ${timeText(at)}`
}

/** Stacks that a wrong name is compared with. */
const mostCompared = 2_000

/** Stacks, and which of them the agent leaves alone. */
interface Guarded extends Stored {
  readonly scheduler: Pick<Scheduler, 'refusal'>
}

/**
 * A stack to plan, run, change or wait for: every use case but reads finds its stack by this. Errors: those of
 * `findStack` and `refuseLeftAlone`.
 */
export async function findUsableStack(context: Guarded, name: string): Promise<Stack> {
  const stack = await findStack(context, name)
  refuseLeftAlone(context, stack)
  return stack
}

/** Errors: config/not-given, if the agent was started without the file that declares the stack or its target. */
export function refuseLeftAlone({ scheduler }: Pick<Guarded, 'scheduler'>, stack: Stack): void {
  const refusal = scheduler.refusal(stack)
  if (refusal !== undefined) throw refusal
}

/** By its id alone. Errors: `Refused` not-found. */
export async function findStackById({ store }: Stored, id: string): Promise<Stack> {
  const [stack] = await store.stacks.many([id])
  if (stack !== undefined) return stack
  throw new Refused('not-found', `There is no stack with the id ${id}.`, { code: 'stacks/unknown' })
}

/**
 * A stack whose settings the API may change. Errors: those of `findUsableStack`; `Refused` conflict, if the
 * configuration file or a fleet declares it.
 */
export async function findChangeableStack(context: Guarded, name: string): Promise<Stack> {
  const stack = await findUsableStack(context, name)
  if (stack.managedBy === 'api' || isUndeclared(stack)) return stack
  const fleet = fleetOf(stack.managedBy)
  if (fleet !== undefined)
    throw new Refused(
      'conflict',
      `Fleet ${fleet} declares ${name} (managedBy: ${stack.managedBy}). Change the fleet.`,
      {
        code: 'stacks/managed-by-fleet',
        hint: `See it: gitmoor fleet get ${fleet} -o yaml`,
      },
    )
  throw declaredByFile(context, `${name} (managedBy: file)`)
}

/** The refusal to change what the configuration file declares. It names the file, and how the agent reloads it. */
export function declaredByFile({ configuration }: Pick<Stored, 'configuration'>, declared: string): Refused {
  const file = configuration?.().file ?? null
  const named = file === null ? '' : ` ${file}`
  return new Refused('conflict', `The configuration file${named} declares ${declared}. Change it there.`, {
    code: 'stacks/managed-by-file',
    hint: `Change the file, then reload it: kill -HUP ${process.pid} on the machine of the agent.`,
  })
}

const page = 500

/** All stacks, by name. */
export async function* everyStack(store: Pick<Store, 'stacks'>): AsyncGenerator<Stack> {
  for await (const stacks of pagesOfStacks(store)) yield* stacks
}

/** All stacks, by name, in pages of 500. */
export async function* pagesOfStacks(store: Pick<Store, 'stacks'>): AsyncGenerator<readonly Stack[]> {
  for (let after = ''; ;) {
    const stacks = await store.stacks.list({ limit: page, after })
    yield stacks
    if (stacks.length < page) return
    after = stacks.at(-1)!.spec.name
  }
}
