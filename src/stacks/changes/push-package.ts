// Pushed packages, for stacks with an inline source.
import { InvalidPackage, Refused } from '../../model/errors.js'
import { errorsOf } from '../../model/problem.js'
import { quoted } from '../../lib/text/printable.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import type { Skip, Inputs } from '../../model/resources/inputs.js'
import { evaluateFiles } from '../../package/evaluated-files.js'
import { packageLimits } from '../../package/package.js'
import { jsonDigest } from '../../plan/digest.js'
import type { Kinds } from '../../platform/platform.js'
import type { PackageFileRow } from '../../store/file-table.js'
import { refuseWaitingUninstall } from '../runs/waiting-uninstall.js'
import { syncPushed } from '../runs/runs.js'
import { badPush, packageFiles, refusePaths } from '../inputs/pushed-files.js'
import type { PushedPackage } from '../inputs/pushed-package.js'
import { gatherPackage } from '../inputs/gather-package.js'
import type { TaggedRun } from '../../views/run.js'
import type { Context } from '../context.js'
import { ifUnchanged, refuseChanged, stackTag, type Precondition } from '../stack-tag.js'
import { findUsableStack } from '../stacks.js'
import { refuseSuspendedByPerson } from '../runs/suspended.js'

/** A pushed package as it is stored. `digest`: of its list of files; it is the revision. */
export interface PreparedPackage {
  readonly files: readonly PackageFileRow[]
  readonly digest: string
  readonly inputs: Inputs
}

/** Stores the package, then polls: a crash in between loses no push. */
export async function pushPackage(
  context: Context,
  name: string,
  pushed: PushedPackage,
  by: string,
  signal: AbortSignal,
  precondition: Precondition = {},
): Promise<TaggedRun> {
  const stack = await findUsableStack(context, name)
  refuseChanged(stack, precondition)
  await refuseWaitingUninstall(context.store, stack, 'A pushed package')
  const whole = await withFetchedUrls(context, pushed, signal)
  const etag = await storePackage(context, stack, whole, { by, signal, ...precondition })
  return { ...(await syncPushed(context, stack.id, by, signal)), etag }
}

/** With the files of its URLs. */
async function withFetchedUrls(
  context: Context,
  { urls = [], ...pushed }: PushedPackage,
  signal: AbortSignal,
): Promise<PushedPackage> {
  if (urls.length === 0) return pushed
  const remotes = urls.map((url) => ({ url }))
  const { files } = await gatherPackage({ remotes, packages: [] }, [], context.sync.remotes, signal)
  return { ...pushed, files: [...pushed.files, ...files.map(({ path, text }) => ({ path: `urls/${path}`, text }))] }
}

/**
 * Stores the package as the content of the stack's inline source, and ends a suspension after an uninstall. Gives the
 * tag of the stack with it.
 */
export async function storePackage(
  context: Context,
  stack: Stack,
  pushed: PushedPackage,
  { by, signal, ...precondition }: Precondition & { readonly by: string; readonly signal: AbortSignal },
): Promise<string> {
  const { name } = stack.spec
  if (!stack.spec.sources.some(({ kind }) => kind === 'inline'))
    throw new Refused('conflict', `${name} has no inline source, so nothing can be pushed to it.`, {
      code: 'stacks/not-inline',
      hint: 'Create a stack with one: gitmoor stack create NAME --inline',
    })
  refusePaths(pushed.files)
  const { files, digest } = await preparePackage(context, stack.spec, pushed, stack, signal)
  await check(context, files, pushed, signal)
  context.sync.inputs.addSecrets(stack.id, pushed)
  const push = { digest, files, by, ...(pushed.sources && { sources: pushed.sources }) }
  const checkTag = ifUnchanged(precondition)
  let etag = ''
  await context.store.pushes.put(stack.id, push, (now) => {
    checkTag?.(now)
    refuseSuspendedByPerson(now)
    etag = stackTag({ ...now, suspended: null, pushed: digest })
  })
  return etag
}

/**
 * The package as it would be stored. Stores nothing. `stack`: undefined before it exists. Errors: `Refused` usage, for
 * skips of unknown kinds.
 */
export async function preparePackage(
  context: Context,
  { name, target }: Pick<StackSpec, 'name' | 'target'>,
  pushed: PushedPackage,
  stack: Stack | undefined,
  signal: AbortSignal,
): Promise<PreparedPackage> {
  const { inputs, targets } = context.sync
  const platform = await targets.platformOf(target, { stack: name }, signal)
  const whole = { ...pushed, skips: skipsByFamily(pushed.skips ?? [], platform) }
  const named = await packageFiles(pushed.files)
  const inputsFile = inputs.inputsFile(whole)
  const files = inputsFile === undefined ? named : [inputsFile, ...named]
  return {
    files,
    digest: jsonDigest(files.map(({ path, id }) => [path, id])),
    inputs: await inputs.ofUnstored(whole, stack, signal),
  }
}

/** Errors: `InvalidPackage` with every problem of contents. */
async function check(
  context: Context,
  files: readonly PackageFileRow[],
  { allowEmpty }: PushedPackage,
  signal: AbortSignal,
): Promise<void> {
  const { packages, maxDocuments, sandbox } = context.sync
  const evaluated = await evaluateFiles(files, sandbox, signal)
  const limits = { ...packageLimits, documents: maxDocuments }
  // Only evaluation shows which files Jsonnet imports. Without it they are read as other files.
  const isPushed = errorsOf(evaluated.problems).length === 0
  const { value, problems } = await packages.read(evaluated.value, { limits, isPushed }, signal)
  const found = [...evaluated.problems, ...problems]
  if (errorsOf(found).length > 0) throw new InvalidPackage(found)
  if (value.length === 0 && allowEmpty !== true)
    throw new InvalidPackage([badPush('The pushed package declares no resources. An empty package never deletes.')])
}

/** Replaces each kind in the skips by its family. Errors: `Refused` usage. */
function skipsByFamily(skips: readonly Skip[], { kinds }: Pick<Kinds, 'kinds'>): readonly Skip[] {
  return skips.map((skip) => {
    const kind = kinds.find((one) => one.kind === skip.family || one.family === skip.family)
    if (kind !== undefined) return { ...skip, family: kind.family }
    throw new Refused('usage', `Cannot skip ${quoted(skip.family)}: it is not a kind.`, {
      code: 'stacks/skip-unknown',
      hint: `Use one of these kinds: ${kinds.map((one) => one.kind).join(', ')}.`,
    })
  })
}
