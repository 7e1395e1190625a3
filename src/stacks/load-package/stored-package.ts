// Packages that a run stored. Their revisions need no remote: rollbacks, drift corrections, retries, and recovery after
// a crash, also while the remote is unreachable.
import type { ObservedRevision, Stack } from '../../model/stacks/stack.js'
import { sourceLocations } from '../../model/sources/source-spec.js'
import type { PackageFileRow } from '../../store/file-table.js'
import type { Store } from '../../store/store.js'
import { settingsDigest } from '../settings-digest.js'

export interface StoredPackage {
  readonly observed: ObservedRevision
  readonly files: readonly PackageFileRow[]
  /** Of the listing of paths and contents. */
  readonly digest: string
  /** True if they stay stored: no run needs to store them again. */
  readonly stored: boolean
}

/** The facts of a stack that decide where its files are. */
export type LoadableStack = Pick<Stack, 'id' | 'spec' | 'applied' | 'pinned' | 'attempted' | 'observed'>

/** True if `storedPackage` most likely finds the revision: files may be damaged, or pruned. */
export async function isStored(stack: LoadableStack, revision: string, store: Store): Promise<boolean> {
  if (isApplied(stack, revision) || stack.pinned?.revision === revision) return true
  return (await attemptedFiles(stack, revision, store)) !== undefined
}

/** The package of this revision that is applied, pinned or was attempted; undefined: it has to be fetched. */
export async function storedPackage(
  stack: LoadableStack,
  revision: string,
  store: Store,
): Promise<StoredPackage | undefined> {
  if (isApplied(stack, revision)) return appliedPackage(stack, store)
  if (stack.pinned?.revision === revision) return pinnedPackage(stack.pinned, store)
  const digest = await attemptedFiles(stack, revision, store)
  if (digest === undefined) return undefined
  const { observed, spec } = stack
  const isObserved = observed?.revision === revision && observed.place === sourceLocations(spec)
  // Stored again with the run: they may be pruned until then.
  return read({ revision, content: isObserved ? observed.content : '', digest, stored: false }, store)
}

/** undefined: nothing is applied, or its files are no longer stored. */
export async function appliedPackage(
  { applied }: Pick<Stack, 'applied'>,
  store: Store,
): Promise<StoredPackage | undefined> {
  return applied === null
    ? undefined
    : read({ revision: applied.revision, content: applied.content, digest: applied.files, stored: true }, store)
}

async function pinnedPackage(
  { run, revision }: NonNullable<Stack['pinned']>,
  store: Store,
): Promise<StoredPackage | undefined> {
  const digest = (await store.runs.get(run))?.files ?? null
  return digest === null ? undefined : read({ revision, content: '', digest, stored: true }, store)
}

/** The same commit with another path is another package. */
function isApplied({ applied, spec }: LoadableStack, revision: string): boolean {
  return applied?.revision === revision && applied.place === sourceLocations(spec)
}

/** The digest of the files of the last attempt, if it was made with the current settings, among them the sources. */
async function attemptedFiles(stack: LoadableStack, revision: string, store: Store): Promise<string | undefined> {
  const { id, attempted } = stack
  if (attempted?.revision !== revision || attempted.settings !== settingsDigest(stack)) return undefined
  return store.runs.plannedFiles(id, revision)
}

async function read(
  { revision, content, ...kept }: ObservedRevision & Pick<StoredPackage, 'digest' | 'stored'>,
  store: Store,
): Promise<StoredPackage | undefined> {
  const files = await store.files.get(kept.digest)
  return files && { ...kept, observed: { revision, content }, files }
}
