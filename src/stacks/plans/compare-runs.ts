// What the packages of two runs declare differently. Reads stored files; no source and no target decides.
import { inSlices } from '../../lib/async/steps.js'
import { InvalidPackage, Refused } from '../../model/errors.js'
import type { Resource } from '../../model/resources/resource.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import { compareDeclared } from '../../plan/compare-declared.js'
import { countChanges } from '../../plan/counts.js'
import type { PackageFileRow } from '../../store/file-table.js'
import type { RunComparison } from '../../views/run.js'
import type { Context } from '../context.js'
import { packageGraph } from '../load-package/read-declared.js'
import { viewFoundRuns } from '../queries/channel-facts.js'
import { findRun } from '../queries/run-events.js'
import { findStack } from '../stacks.js'

/**
 * The changes from run `a` to run `b`, with the present settings of the stack. Errors: `Refused` not-found, if it has
 * no such run, or the files of one are not stored; `InvalidPackage`, if one cannot be read with these settings.
 */
export async function compareRuns(
  context: Context,
  name: string,
  [a, b]: readonly [string, string],
  signal: AbortSignal,
): Promise<RunComparison> {
  const stack = await findStack(context, name)
  const runs = [await findRun(context, stack, a), await findRun(context, stack, b)] as const
  const files = [await filesOf(context, stack, runs[0]), await filesOf(context, stack, runs[1])] as const
  const before = await declaredBy(context, stack, { run: a, files: files[0] }, signal)
  const after = await declaredBy(context, stack, { run: b, files: files[1] }, signal)
  const compared = await inSlices(compareDeclared(before, after), signal)
  const rows = await viewFoundRuns(
    context,
    runs.map((run) => ({ run, stack })),
  )
  return {
    stack: stack.spec.name,
    a: rows[0]!,
    b: rows[1]!,
    changes: compared.changes,
    counts: countChanges(compared),
  }
}

async function filesOf({ store }: Context, stack: Stack, run: Run): Promise<readonly PackageFileRow[]> {
  const files = run.files === null ? undefined : await store.files.get(run.files)
  if (files !== undefined) return files
  const why =
    run.files === null
      ? `Run ${run.id} read no package, so it declares nothing to compare.`
      : `The files of run ${run.id} are no longer stored.`
  throw new Refused('not-found', why, {
    code: 'runs/no-files',
    hint: `Compare newer runs that applied a package: gitmoor history ${stack.spec.name}`,
  })
}

async function declaredBy(
  context: Context,
  stack: Stack,
  { run, files }: { readonly run: string; readonly files: readonly PackageFileRow[] },
  signal: AbortSignal,
): Promise<readonly Resource[]> {
  try {
    return (await packageGraph({ files, problems: [] }, stack, context.sync, signal)).resources
  } catch (error) {
    if (!(error instanceof InvalidPackage)) throw error
    throw new InvalidPackage(error.problems, error.code, `With the present settings, the package of run ${run}`)
  }
}
