// Lists the directories of a fleet at a revision, and keeps its stacks like them. A listing with a problem changes
// nothing.
import { describeError, SyncError } from '../../model/errors.js'
import type { FleetListing, FleetSpec } from '../../model/stacks/fleet.js'
import { firstProblems, type Problem } from '../../model/problem.js'
import { shortRevision } from '../../model/sources/revision.js'
import { revisionFor, type GitSpec } from '../../model/sources/source-spec.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { fleetOwner } from '../../model/stacks/stack-owner.js'
import type { SourceRevision } from '../../source/source.js'
import { keepMembers, previewMembers, type MemberDeps } from '../members/members.js'
import type { MemberOwner } from '../members/member-owner.js'
import type { MemberChange } from '../members/plan-members.js'
import { directoryText, fleetStacks, matchingDirectories } from './fleet-stacks.js'

/** A listing, and how the stacks of the fleet change with it. */
export interface ListedFleet {
  readonly listing: FleetListing
  readonly changes: readonly MemberChange[]
}

/** What a poll found of the ref. */
export type FleetTip = SourceRevision | Error

const mostProblems = 20

/** The root of the repository, at the ref. */
export function fleetSource({ directories: { repo: url, ref } }: Pick<FleetSpec, 'directories'>): GitSpec {
  return { kind: 'git', url, ref, path: '' }
}

/** What `keepFleet` would do. */
export async function previewFleet(
  spec: FleetSpec,
  tip: FleetTip,
  deps: MemberDeps,
  signal: AbortSignal,
): Promise<ListedFleet> {
  return listMembers(previewMembers, spec, { tip, deps, signal })
}

/** Keeps the stacks of the fleet like the directories at this tip, and stores the listing. */
export async function keepFleet(
  spec: FleetSpec,
  tip: FleetTip,
  deps: MemberDeps,
  signal: AbortSignal,
): Promise<ListedFleet> {
  const kept = await listMembers(keepMembers, spec, { tip, deps, signal })
  await deps.sync.store.fleets.keepListing(spec.name, kept.listing)
  return kept
}

/** `carryOut`: what to do with the stacks of a listing without problems. */
async function listMembers(
  carryOut: typeof keepMembers,
  spec: FleetSpec,
  { tip, deps, signal }: { readonly tip: FleetTip; readonly deps: MemberDeps; readonly signal: AbortSignal },
): Promise<ListedFleet> {
  const { stacks, ...listed } = await list(spec, tip, deps, signal)
  const isListed = listed.problems.length === 0
  const { changes, problems } = isListed
    ? await carryOut(ownerOf(spec, listed.revision, deps), stacks, deps)
    : { changes: [], problems: listed.problems }
  const at = deps.sync.clock.now()
  return { listing: { ...listed, at, problems: firstProblems(problems, mostProblems) }, changes }
}

/** Suspends the stacks of a fleet that the configuration file no longer declares. */
export async function endFleet({ name }: FleetSpec, deps: MemberDeps): Promise<readonly Problem[]> {
  const reason = `fleet ${name} is no longer declared in the configuration file`
  const owner: MemberOwner = { ...ownerNamed(name), gone: () => ({ reason }) }
  return (await keepMembers(owner, [], deps)).problems
}

interface Listed {
  readonly revision: string | null
  readonly directories: number
  readonly stacks: readonly StackSpec[]
  readonly problems: readonly Problem[]
}

async function list(spec: FleetSpec, tip: FleetTip, { sync }: MemberDeps, signal: AbortSignal): Promise<Listed> {
  const source = fleetSource(spec)
  let revision: string | null = null
  try {
    if (tip instanceof Error) throw tip
    revision = revisionFor(source, tip.state)
    const found = matchingDirectories(spec.directories, await filePaths(source, tip.state, sync, signal))
    const { value: stacks, problems } = fleetStacks(spec, found)
    return { revision, directories: found.length, stacks, problems }
  } catch (error) {
    signal.throwIfAborted()
    return { revision, directories: 0, stacks: [], problems: [listingProblem(spec, error)] }
  }
}

/** The paths of all files at the state. Reads trees, and no files. */
async function filePaths(
  spec: GitSpec,
  state: string,
  { source }: MemberDeps['sync'],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const remote = source.remoteOf(spec, '')
  await source.fetch(remote, state, signal)
  const paths: string[] = []
  const note = (path: string): boolean => {
    paths.push(path)
    return false
  }
  await source.files(remote, state, spec.path, note, signal)
  return paths
}

function ownerOf(
  { name, directories: { ref } }: FleetSpec,
  revision: string | null,
  { sync }: MemberDeps,
): MemberOwner {
  const at = revision === null ? ref : shortRevision(revision)
  return {
    ...ownerNamed(name),
    refuse: (spec) => sync.inputs.refuseReferences(spec),
    gone: (stack) => ({ reason: `${pathOf(stack)} is not in the listing of fleet ${name} at ${at}` }),
    origin: (spec) => directoryText(spec, at),
    allOrNothing: true,
  }
}

function ownerNamed(name: string): Pick<MemberOwner, 'managedBy' | 'of' | 'code' | 'rename'> {
  return {
    managedBy: fleetOwner(name),
    of: `of fleet ${name}`,
    code: 'fleets/stack',
    rename: 'Change `directories.name` of the fleet',
  }
}

function pathOf({ spec: { sources } }: Stack): string {
  return sources.flatMap((source) => (source.kind === 'git' ? [source.path] : []))[0] ?? 'its directory'
}

function listingProblem({ name }: FleetSpec, error: unknown): Problem {
  if (!(error instanceof SyncError)) throw error
  const { code, hint } = error
  const message = `Fleet ${name} cannot list its directories: ${describeError(error)}`
  return { severity: 'error', code, message, ...(hint === undefined ? {} : { hint }) }
}
