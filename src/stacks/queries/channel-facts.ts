// What channels know of the revisions and causes that are shown: the versions that ranges chose, and in which direction
// a ref moved.
import { readVersionRange } from '../../model/ref.js'
import { hashDigits, revisionRef, sourceRevisions, type Versions } from '../../model/revision.js'
import type { Run } from '../../model/run.js'
import type { Stack } from '../../model/stack.js'
import type { RunRow } from '../../views/run.js'
import type { Context } from '../context.js'
import { remoteOf } from '../load-package/remotes.js'
import { viewRunRow } from './view-stack.js'

/** The versions in revisions of a stack. null: no revision. */
export async function versionsIn(
  context: Context,
  stack: Pick<Stack, 'spec'>,
  revisions: readonly (string | null)[],
): Promise<{ readonly versions?: Versions }> {
  const parts = new Set(revisions.flatMap((one) => (one === null ? [] : sourceRevisions(one))))
  const ranges = [...parts].filter((one) => readVersionRange(revisionRef(one)) !== undefined)
  const found: Record<string, string> = {}
  for (const remote of ranges.length === 0 ? [] : gitRemotes(context, stack))
    for (const one of ranges) {
      const tag = await context.store.channels.tagAt(remote, revisionRef(one), hashDigits(one))
      if (tag !== undefined) found[hashDigits(one)] ??= tag
    }
  return Object.keys(found).length === 0 ? {} : { versions: found }
}

/** The run with its versions, and the direction of the move that caused it. */
export async function viewFoundRun(context: Context, run: Run, stack: Pick<Stack, 'spec'>): Promise<RunRow> {
  const row = viewRunRow(run, context.scheduler.live.phaseOf(run))
  return { ...row, ...(await versionsIn(context, stack, [run.revision])), cause: await foundCause(context, run, stack) }
}

export async function foundCause(
  context: Context,
  { cause, createdAt }: Run,
  stack: Pick<Stack, 'spec'>,
): Promise<RunRow['cause']> {
  const { kind, ref, to } = cause
  if ((kind !== 'commit' && kind !== 'tag-moved') || ref === undefined || to === undefined) return cause
  for (const remote of gitRemotes(context, stack)) {
    const move = await context.store.channels.moveTo(remote, ref, to, createdAt)
    if (move?.direction != null) return { ...cause, direction: move.direction }
  }
  return cause
}

function gitRemotes(context: Context, { spec }: Pick<Stack, 'spec'>): readonly string[] {
  const git = spec.sources.filter(({ kind }) => kind === 'git')
  return [...new Set(git.map((source) => remoteOf(context, source, spec.name)))]
}
