// Lists what a fleet has a stack for: directories of a repository at a revision, or targets.
import { describeError, SyncError } from '../../model/errors.js'
import type { DirectoryFleet, FleetFound, TargetFleet } from '../../model/stacks/fleet.js'
import type { Problem } from '../../model/problem.js'
import { revisionFor, type GitSpec } from '../../model/sources/source-spec.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import type { SourceRevision } from '../../source/source.js'
import type { MemberDeps } from '../members/members.js'
import { directoryStacks, matchingDirectories } from './directory-stacks.js'
import { listedTargets, targetStacks } from './target-stacks.js'

/** What a poll found of the ref. */
export type FleetTip = SourceRevision | Error

/** What a fleet lists now, and the stack for each. With problems, there are no stacks. */
export interface FleetMembers {
  readonly found: FleetFound
  readonly stacks: readonly StackSpec[]
  readonly problems: readonly Problem[]
}

/** The root of the repository, at the ref. */
export function fleetSource({ directories: { repo: url, ref } }: Pick<DirectoryFleet, 'directories'>): GitSpec {
  return { kind: 'git', url, ref, path: '' }
}

/** The targets as they are declared now. */
export function listTargets(spec: TargetFleet, { sync: { targets } }: MemberDeps): FleetMembers {
  const { value: stacks, problems } = targetStacks(spec, targets.declared)
  return { found: { targets: listedTargets(spec.targets, targets.declared).length }, stacks, problems }
}

/** The directories at the tip. A tip that could not be read is a problem. */
export async function listDirectories(
  spec: DirectoryFleet,
  tip: FleetTip,
  { sync }: MemberDeps,
  signal: AbortSignal,
): Promise<FleetMembers> {
  const source = fleetSource(spec)
  let revision: string | null = null
  try {
    if (tip instanceof Error) throw tip
    revision = revisionFor(source, tip.state)
    const found = matchingDirectories(spec.directories, await filePaths(source, tip.state, sync, signal))
    const { value: stacks, problems } = directoryStacks(spec, found)
    return { found: { revision, directories: found.length }, stacks, problems }
  } catch (error) {
    signal.throwIfAborted()
    return { found: { revision, directories: 0 }, stacks: [], problems: [listingProblem(spec, error)] }
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

function listingProblem({ name }: DirectoryFleet, error: unknown): Problem {
  if (!(error instanceof SyncError)) throw error
  const { code, hint } = error
  const message = `Fleet ${name} cannot list its directories: ${describeError(error)}`
  return { severity: 'error', code, message, ...(hint === undefined ? {} : { hint }) }
}
