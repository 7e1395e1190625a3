// What the packages of two runs declare differently, each with its settings, and which settings differ. Reads stored
// files; no source and no target decides.
import { inSlices } from '../../lib/async/steps.js'
import { InvalidPackage, Refused } from '../../model/errors.js'
import type { Resource } from '../../model/resources/resource.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { compareDeclared } from '../../plan/compare-declared.js'
import { countChanges } from '../../plan/counts.js'
import type { PackageFileRow } from '../../store/file-table.js'
import type { RunComparison } from '../../views/run.js'
import { settingChanges } from '../changes/setting-changes.js'
import type { Context } from '../context.js'
import { packageGraph } from '../load-package/read-declared.js'
import { viewFoundRuns } from '../queries/channel-facts.js'
import { findRun } from '../queries/run-events.js'
import { findStack } from '../stacks.js'

/**
 * The changes from run `a` to run `b`. Errors: `Refused` not-found, if the stack has no such run, or the files of one
 * are not stored; `InvalidPackage`, if one cannot be read any more.
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
  const [old, now] = [await context.store.runs.settings(a), await context.store.runs.settings(b)]
  const before = await declaredBy(context, stack, { run: a, files: files[0], settings: old }, signal)
  const after = await declaredBy(context, stack, { run: b, files: files[1], settings: now }, signal)
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
    settings: old === undefined || now === undefined ? null : settingChanges(old, now),
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

interface DeclaringRun {
  readonly run: string
  readonly files: readonly PackageFileRow[]
  /** undefined: not stored. */
  readonly settings: StackSpec | undefined
}

/** With its own settings, but for the present target: a former one may be gone, and no target decides. */
async function declaredBy(
  context: Context,
  stack: Stack,
  { run, files, settings }: DeclaringRun,
  signal: AbortSignal,
): Promise<readonly Resource[]> {
  try {
    const spec = { ...(settings ?? stack.spec), target: stack.spec.target }
    return (await packageGraph({ files, problems: [] }, { ...stack, spec }, context.sync, signal)).resources
  } catch (error) {
    if (!(error instanceof InvalidPackage)) throw error
    const which = settings === undefined ? 'With the present settings' : 'With its settings'
    throw new InvalidPackage(error.problems, error.code, `${which}, the package of run ${run}`)
  }
}
