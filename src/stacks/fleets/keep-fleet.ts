// Keeps the stacks of a fleet like what it lists. A listing with a problem changes nothing.
import type { DirectoryFleet, FleetFound, FleetListing, FleetSpec, TargetFleet } from '../../model/stacks/fleet.js'
import { firstProblems, type Problem } from '../../model/problem.js'
import { shortRevision } from '../../model/sources/revision.js'
import type { Stack } from '../../model/stacks/stack.js'
import { fleetOwner } from '../../model/stacks/stack-owner.js'
import { keepMembers, previewMembers, type MemberDeps } from '../members/members.js'
import type { MemberOwner } from '../members/member-owner.js'
import type { MemberChange } from '../members/plan-members.js'
import { directoryText } from './directory-stacks.js'
import type { FleetMembers } from './list-fleet.js'
import { departure } from './target-stacks.js'

/** A listing, and how the stacks of the fleet change with it. */
export interface ListedFleet {
  readonly listing: FleetListing
  readonly changes: readonly MemberChange[]
}

const mostProblems = 20

/** What `keepFleet` would do. */
export function previewFleet(spec: FleetSpec, members: FleetMembers, deps: MemberDeps): Promise<ListedFleet> {
  return withMembers(previewMembers, spec, members, deps)
}

/** Keeps the stacks of the fleet like the listed ones, and stores the listing. */
export async function keepFleet(spec: FleetSpec, members: FleetMembers, deps: MemberDeps): Promise<ListedFleet> {
  const kept = await withMembers(keepMembers, spec, members, deps)
  await deps.sync.store.fleets.keepListing(spec.name, kept.listing)
  return kept
}

/** `carryOut`: what to do with the stacks of a listing without problems. */
async function withMembers(
  carryOut: typeof keepMembers,
  spec: FleetSpec,
  { found, stacks, problems: listed }: FleetMembers,
  deps: MemberDeps,
): Promise<ListedFleet> {
  const { changes, problems } =
    listed.length === 0 ? await carryOut(ownerOf(spec, found, deps), stacks, deps) : { changes: [], problems: listed }
  const at = deps.sync.clock.now()
  return { listing: { ...found, at, problems: firstProblems(problems, mostProblems) }, changes }
}

/** Suspends the stacks of a fleet that the configuration file no longer declares. */
export async function endFleet({ name }: FleetSpec, deps: MemberDeps): Promise<readonly Problem[]> {
  const reason = `fleet ${name} is no longer declared in the configuration file`
  const owner: MemberOwner = { ...ownerNamed(name), rename: '', gone: () => ({ reason }) }
  return (await keepMembers(owner, [], deps)).problems
}

function ownerOf(spec: FleetSpec, found: FleetFound, { sync }: MemberDeps): MemberOwner {
  const { targets, inputs } = sync
  const own = 'targets' in spec ? targetOwner(spec, targets.declared) : directoryOwner(spec, found)
  return { ...ownerNamed(spec.name), ...own, refuse: (one) => inputs.refuseReferences(one), allOrNothing: true }
}

type GeneratorOwner = Pick<MemberOwner, 'rename' | 'gone' | 'origin'>

function directoryOwner({ name, directories: { ref } }: DirectoryFleet, found: FleetFound): GeneratorOwner {
  const revision = 'revision' in found ? found.revision : null
  const at = revision === null ? ref : shortRevision(revision)
  return {
    rename: 'Change `directories.name` of the fleet',
    gone: (stack) => ({ reason: `${pathOf(stack)} is not in the listing of fleet ${name} at ${at}` }),
    origin: (spec) => directoryText(spec, at),
  }
}

function targetOwner(spec: TargetFleet, declared: Parameters<typeof departure>[2]): GeneratorOwner {
  return {
    rename: 'Give the fleet another name',
    gone: (stack) => ({ reason: departure(spec, stack.spec.target, declared) }),
    origin: ({ target }) => `target ${target}`,
  }
}

function ownerNamed(name: string): Pick<MemberOwner, 'managedBy' | 'of' | 'code'> {
  return { managedBy: fleetOwner(name), of: `of fleet ${name}`, code: 'fleets/stack' }
}

function pathOf({ spec: { sources } }: Stack): string {
  return sources.flatMap((source) => (source.kind === 'git' ? [source.path] : []))[0] ?? 'its directory'
}
