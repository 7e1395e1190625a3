// What channels know of the revisions and causes that are shown: the versions that ranges chose, and in which direction
// a ref moved. One read for all that a request shows.
import type { ChannelMove, SoughtMove } from '../../model/sources/channel.js'
import { readVersionRange } from '../../model/sources/ref.js'
import { hashDigits, revisionRef, sourceRevisions, type Versions } from '../../model/sources/revision.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { RunRow, RunVeto } from '../../views/run.js'
import type { Context } from '../context.js'
import { remoteOf } from '../load-package/remotes.js'
import { viewApproval, viewRunRow } from './view-stack.js'

type StackSources = Pick<Stack, 'spec'>

/** What is shown of a stack. null: no revision. */
export interface ShownRevisions {
  readonly stack: StackSources
  readonly revisions: readonly (string | null)[]
}

/** Absent: none of the revisions has a version. */
type FoundVersions = { readonly versions?: Versions }

/** The versions in revisions of a stack. */
export async function versionsIn(
  context: Context,
  stack: StackSources,
  revisions: ShownRevisions['revisions'],
): Promise<FoundVersions> {
  return (await versionsOf(context, [{ stack, revisions }]))[0]!
}

/** The versions in the revisions of each of them, in order. */
export async function versionsOf(
  context: Context,
  shown: readonly ShownRevisions[],
): Promise<readonly FoundVersions[]> {
  const remotes = stackRemotes(context)
  const ranges = shown.map((one) => rangeMoves(remotes(one.stack), one.revisions))
  const found = await findMoves(context, ranges.flat())
  return ranges.map((sought) => versionsAt(sought, found))
}

/**
 * The runs with their versions, vetoes, and the directions of the moves that caused them. `stack`: undefined if
 * unknown.
 */
export async function viewFoundRuns(
  context: Context,
  runs: readonly { readonly run: Run; readonly stack: Stack | undefined }[],
): Promise<readonly RunRow[]> {
  const newest = await newestOf(context, runs)
  const remotes = stackRemotes(context)
  const sought = runs.map(({ run, stack }) => {
    const own = stack === undefined ? [] : remotes(stack)
    const vetoes = stack === undefined ? [] : revisionMoves(context, stack, run)
    return { ranges: rangeMoves(own, [run.revision]), causes: causeMoves(own, run), vetoes }
  })
  const found = await findMoves(
    context,
    sought.flatMap(({ ranges, causes, vetoes }) => [...ranges, ...causes, ...vetoes]),
  )
  return runs.map(({ run, stack }, at) => {
    const row = viewRunRow(run, stack && context.scheduler.live.phaseOf(run))
    const { ranges, causes, vetoes } = sought[at]!
    return {
      ...row,
      ...(stack === undefined ? {} : viewApproval(run, stack, newest.get(run.stack))),
      ...versionsAt(ranges, found),
      ...vetoAt(vetoes, found),
      cause: directedCause(run, causes, found),
    }
  })
}

/** The newest runs of the stacks that have a plan which needed approval. */
function newestOf({ store }: Context, runs: readonly { readonly run: Run }[]): Promise<ReadonlyMap<string, Run>> {
  const asked = runs.filter(({ run }) => run.outcome === 'needs-approval').map(({ run }) => run.stack)
  return asked.length === 0 ? Promise.resolve(new Map()) : store.runs.last([...new Set(asked)])
}

/** The veto of its commit, even if a person pinned the stack to it. */
export async function foundVeto(context: Context, run: Run, stack: StackSources): Promise<Pick<RunRow, 'veto'>> {
  const sought = revisionMoves(context, stack, run)
  return vetoAt(sought, await findMoves(context, sought))
}

export async function foundCause(context: Context, run: Run, stack: StackSources): Promise<RunRow['cause']> {
  const sought = causeMoves(stackRemotes(context)(stack), run)
  return directedCause(run, sought, await findMoves(context, sought))
}

type FoundMoves = ReadonlyMap<string, ChannelMove>

async function findMoves({ store }: Context, sought: readonly SoughtMove[]): Promise<FoundMoves> {
  const distinct = [...new Map(sought.map((one) => [keyOf(one), one]))]
  if (distinct.length === 0) return new Map()
  const moves = await store.channels.movesTo(distinct.map(([, one]) => one))
  return new Map(
    distinct.flatMap(([key], at) => {
      const move = moves[at]
      return move === undefined ? [] : [[key, move] as const]
    }),
  )
}

function keyOf({ remote, ref, commit, until }: SoughtMove): string {
  return JSON.stringify([remote, ref, commit, until])
}

/** The last moves of version ranges to what the revisions have of them. */
function rangeMoves(remotes: readonly string[], revisions: ShownRevisions['revisions']): readonly SoughtMove[] {
  const parts = new Set(revisions.flatMap((one) => (one === null ? [] : sourceRevisions(one))))
  const ranges = [...parts].filter((one) => readVersionRange(revisionRef(one)) !== undefined)
  return remotes.flatMap((remote) => ranges.map((one) => ({ remote, ref: revisionRef(one), commit: hashDigits(one) })))
}

function versionsAt(sought: readonly SoughtMove[], found: FoundMoves): FoundVersions {
  const versions: Record<string, string> = {}
  for (const one of sought) {
    const tag = found.get(keyOf(one))?.to?.tag
    if (tag !== undefined) versions[one.commit] ??= tag
  }
  return Object.keys(versions).length === 0 ? {} : { versions }
}

/** The last moves of its sources to what the revision of the run has of them. */
function revisionMoves(context: Context, { spec }: StackSources, { revision }: Run): readonly SoughtMove[] {
  return sourceRevisions(revision).flatMap((part, at) => {
    const one = spec.sources[at]
    if (one?.kind !== 'git') return []
    return [{ remote: remoteOf(context, one, spec.name), ref: one.ref, commit: hashDigits(part) }]
  })
}

function vetoAt(sought: readonly SoughtMove[], found: FoundMoves): { readonly veto?: RunVeto } {
  const move = sought.map((one) => found.get(keyOf(one))).find((one) => one?.state === 'vetoed')
  if (move === undefined) return {}
  const { by = 'a person', why = '' } = move.decision ?? {}
  return { veto: { move: move.id, by, why } }
}

/** The moves that may have caused the run, one of each remote. */
function causeMoves(remotes: readonly string[], { cause: { kind, ref, to }, createdAt }: Run): readonly SoughtMove[] {
  if ((kind !== 'commit' && kind !== 'tag-moved') || ref === undefined || to === undefined) return []
  return remotes.map((remote) => ({ remote, ref, commit: to, until: createdAt }))
}

function directedCause({ cause }: Run, sought: readonly SoughtMove[], found: FoundMoves): RunRow['cause'] {
  const directions = sought.map((one) => found.get(keyOf(one))?.direction)
  const direction = directions.find((one) => one != null)
  return direction == null ? cause : { ...cause, direction }
}

/** The remotes of the git sources of a stack, determined once per stack. */
function stackRemotes(context: Context): (stack: StackSources) => readonly string[] {
  const known = new Map<StackSources, readonly string[]>()
  return (stack) => {
    const remotes = known.get(stack) ?? gitRemotes(context, stack)
    known.set(stack, remotes)
    return remotes
  }
}

function gitRemotes(context: Context, { spec }: StackSources): readonly string[] {
  const git = spec.sources.filter(({ kind }) => kind === 'git')
  return [...new Set(git.map((source) => remoteOf(context, source, spec.name)))]
}
