// stacks/fleets: one stack for each directory of a repository, or for each target. Takes fleet documents and names;
// gives views. Promises: no stack is deleted; a listing with a problem changes nothing; fleets of the configuration
// file are changed there.
import { FleetChanged, Refused } from '../../model/errors.js'
import type { DirectoryFleet, Fleet, FleetSpec } from '../../model/stacks/fleet.js'
import type { Problem } from '../../model/problem.js'
import { correction } from '../../settings/did-you-mean.js'
import type { Store } from '../../store/store.js'
import type { FleetPlanView, FleetRow, FleetView } from '../../views/fleet.js'
import type { Page } from '../../views/page.js'
import type { Context } from '../context.js'
import { releasedSource } from '../load-package/remotes.js'
import { nextCursor, type Paging } from '../paging.js'
import type { Precondition } from '../stack-tag.js'
import { keepFleet, previewFleet } from './keep-fleet.js'
import { fleetSource, listDirectories, listTargets, type FleetMembers, type FleetTip } from './list-fleet.js'
import { fleetTag, viewChanges, viewFleet, viewFleetRow, viewPlan } from './view-fleet.js'

type FleetCheck = NonNullable<Parameters<Store['fleets']['put']>[1]>

export async function listFleets({ store }: Context, { limit = 100, after = '' }: Paging): Promise<Page<FleetRow>> {
  const [fleets, counts] = await Promise.all([store.fleets.list({ limit, after }), store.fleets.counts()])
  const items = fleets.map((fleet) => viewFleetRow(fleet, counts))
  return { items, next: nextCursor(items, limit, ({ name }) => name) }
}

export async function getFleet({ store }: Context, name: string): Promise<FleetView> {
  return viewFleet(await findFleet({ store }, name), await store.fleets.counts())
}

/** What applying the fleet would change now. `spec`: absent: the stored one. */
export async function planFleet(
  context: Context,
  name: string,
  given: FleetSpec | undefined,
  signal: AbortSignal,
): Promise<FleetPlanView> {
  const spec = given ?? (await findFleet(context, name)).spec
  refuseOtherName(name, spec)
  const members = await listMembers(context, spec, signal)
  return viewPlan(spec, await previewFleet(spec, members, context))
}

/** Declares the fleet, and keeps its stacks like what it lists now. Errors: `Refused` failed, with all problems. */
export async function applyFleet(
  context: Context,
  spec: FleetSpec,
  { name, ...precondition }: Precondition & { readonly name: string },
  signal: AbortSignal,
): Promise<{ readonly fleet: FleetView; readonly changes: FleetPlanView['changes'] }> {
  refuseOtherName(name, spec)
  const check = changeable(precondition)
  check(await context.store.fleets.get(name))
  const members = await listMembers(context, spec, signal)
  const changes = await context.scheduler.fleets.exclusively(name, signal, async () => {
    const { listing } = await previewFleet(spec, members, context)
    if (listing.problems.length > 0) throw cannotApply(spec, listing.problems)
    context.scheduler.fleets.follow(await context.store.fleets.put({ spec, managedBy: 'api', declared: true }, check))
    return (await keepFleet(spec, members, context)).changes
  })
  return { fleet: await getFleet(context, name), changes: viewChanges(changes) }
}

/** Deletes the fleet and keeps its stacks, which requests may change and delete from then on. */
export async function deleteFleet(
  context: Context,
  name: string,
  precondition: Precondition,
  signal: AbortSignal,
): Promise<{ readonly kept: number }> {
  const { store, scheduler } = context
  await findFleet(context, name)
  return scheduler.fleets.exclusively(name, signal, async () => {
    const kept = (await store.fleets.counts()).get(name)?.stacks ?? 0
    await store.fleets.delete(name, changeable(precondition))
    scheduler.fleets.unfollow(name)
    return { kept }
  })
}

async function findFleet({ store }: Pick<Context, 'store'>, name: string): Promise<Fleet> {
  const fleet = await store.fleets.get(name)
  if (fleet !== undefined) return fleet
  const names = (await store.fleets.list({ limit: 500 })).map(({ spec }) => spec.name)
  throw new Refused('not-found', `There is no fleet named ${name}.`, {
    code: 'fleets/unknown',
    ...correction(name, names, 'List the fleets: gitmoor fleet list'),
  })
}

/** Errors: `Refused` not-found, if the target of all stacks is not declared. */
async function listMembers(context: Context, spec: FleetSpec, signal: AbortSignal): Promise<FleetMembers> {
  if ('targets' in spec) return listTargets(spec, context)
  context.sync.targets.refuseUnknown(spec.template.target)
  return listDirectories(spec, await readTip(context, spec, signal), context, signal)
}

/** Polls the ref as stacks do. Its errors are problems of the listing. */
async function readTip(context: Context, spec: DirectoryFleet, signal: AbortSignal): Promise<FleetTip> {
  const source = releasedSource(context)
  const at = fleetSource(spec)
  const polled = await source.poll(source.remoteOf(at, ''), [at.ref], signal)
  return polled.get(at.ref) ?? new Refused('source', `${at.ref} was not found.`)
}

/** For the transaction that changes the fleet. */
function changeable({ ifMatch }: Precondition): FleetCheck {
  return (fleet) => {
    if (ifMatch !== undefined && (fleet === undefined || !ifMatch.includes(fleetTag(fleet)))) {
      throw fleet === undefined ? missing() : new FleetChanged(fleet.spec.name)
    }
    if (fleet?.managedBy === 'file' && fleet.declared) throw ofFile(fleet.spec.name)
  }
}

function missing(): Refused {
  return new Refused('not-found', 'The fleet does not exist: If-Match does not match.', { code: 'fleets/unknown' })
}

function ofFile(name: string): Refused {
  return new Refused('conflict', `The configuration file declares fleet ${name} (managedBy: file). Change it there.`, {
    code: 'fleets/managed-by-file',
    hint: 'Change the file, then send the signal HUP to the agent.',
  })
}

function refuseOtherName(name: string, spec: FleetSpec): void {
  if (spec.name === name) return
  throw new Refused('usage', `The document is of fleet ${spec.name}, and the request is about ${name}.`, {
    code: 'fleets/other-name',
    hint: 'Give both the same name.',
  })
}

function cannotApply({ name }: FleetSpec, problems: readonly Problem[]): Refused {
  const [first] = problems
  const others = problems.length - 1
  const more = others === 0 ? '' : ` (and ${others === 1 ? '1 more problem' : `${others} more problems`})`
  return new Refused('failed', `Fleet ${name} is not applied: ${first!.message}${more}`, {
    code: first!.code,
    problems,
    ...(first!.hint === undefined ? {} : { hint: first!.hint }),
  })
}
