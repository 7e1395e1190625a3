// The files of a revision: from the store, else from the source.
import { Rejected } from '../../model/errors.js'
import { hashDigits, joinSourceRevisions, sourceRevisions } from '../../model/sources/revision.js'
import type { Problem } from '../../model/problem.js'
import type { Run } from '../../model/stacks/run.js'
import { sourceLocation, sourcePath, sourceLocations, type SourceSpec } from '../../model/sources/source-spec.js'
import type { Stack } from '../../model/stacks/stack.js'
import { evaluateFiles } from '../../package/evaluated-files.js'
import { ignoreFile, isDeclaring, packageFileFilter } from '../../package/package-files.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { jsonDigest } from '../../plan/digest.js'
import type { Source } from '../../source/source.js'
import type { PackageFileRow } from '../../store/file-table.js'
import type { Store } from '../../store/store.js'
import { currentRevision, sourcesAtRevision, type SourceAtRevision } from './sources-at-revision.js'
import { isInputsFile } from '../inputs/inputs-file.js'
import { appliedPackage, isStored, storedPackage, type LoadableStack, type StoredPackage } from './stored-package.js'

export interface LoadedPackage extends StoredPackage {
  /** Problems of files that are not in `files`. */
  readonly problems: readonly Problem[]
}

/** Files of the run's revision. */
export async function loadPackage(
  stack: LoadableStack,
  run: Pick<Run, 'revision' | 'cause'>,
  { source, store, sandbox }: { readonly source: Source; readonly store: Store; readonly sandbox: Sandbox },
  signal: AbortSignal,
): Promise<LoadedPackage> {
  const kept = await storedPackage(stack, run.revision, store)
  return kept === undefined ? fetchPackage(stack, run.revision, { source, sandbox }, signal) : { ...kept, problems: [] }
}

/** Files that take the place of those of the source `at`. */
export interface SentFiles {
  readonly at: number
  readonly files: readonly PackageFileRow[]
}

/**
 * The newest files of all sources but one, and the sent files. The revision of the sent files is their digest. Stores
 * nothing. `polled`: polls the other sources.
 */
export async function loadSent(
  stack: Stack,
  sent: SentFiles,
  {
    polled,
    ...deps
  }: { readonly source: Source; readonly polled: Pick<Source, 'remoteOf' | 'poll'>; readonly sandbox: Sandbox },
  signal: AbortSignal,
): Promise<LoadedPackage> {
  const { name, sources } = stack.spec
  const others = sources.filter((_, at) => at !== sent.at)
  const revisions =
    others.length === 0 ? [] : sourceRevisions(await currentRevision({ name, sources: others }, polled, signal))
  const digest = `sha256:${jsonDigest(sent.files.map(({ path, id }) => [path, id]))}`
  return fetchPackage(stack, joinSourceRevisions(revisions.toSpliced(sent.at, 0, digest)), deps, signal, sent)
}

/** Fetches the commits of a revision, unless its files are stored. */
export async function fetchRevision(
  stack: Stack,
  revision: string,
  { source, store }: { readonly source: Source; readonly store: Store },
  signal: AbortSignal,
): Promise<void> {
  if (await isStored(stack, revision, store)) return
  await Promise.all(
    sourcesAtRevision(stack.spec, revision, source).map(({ remote, state }) => source.fetch(remote, state, signal)),
  )
}

/**
 * Files of the applied revision, for a drift check. If they are no longer stored, they are fetched and stored again.
 * undefined: nothing is applied, or from other sources. Errors: those of the source.
 */
export async function loadApplied(
  stack: Stack,
  { source, store, sandbox }: { readonly source: Source; readonly store: Store; readonly sandbox: Sandbox },
  signal: AbortSignal,
): Promise<LoadedPackage | undefined> {
  const { applied, spec } = stack
  const kept = await appliedPackage(stack, store)
  if (kept !== undefined) return { ...kept, problems: [] }
  if (applied === null || applied.place !== sourceLocations(spec)) return undefined
  const fetched = await fetchPackage(stack, applied.revision, { source, sandbox }, signal)
  await store.files.keep(fetched.digest, fetched.files)
  return fetched
}

/** Evaluates Jsonnet once: the stored files of a revision are the evaluated ones. */
async function fetchPackage(
  { spec }: Pick<Stack, 'spec'>,
  revision: string,
  { source, sandbox }: { readonly source: Source; readonly sandbox: Sandbox },
  signal: AbortSignal,
  sent?: SentFiles,
): Promise<LoadedPackage> {
  const fetched = await Promise.all(
    sourcesAtRevision(spec, revision, source).map((part, at) =>
      at === sent?.at ? Promise.resolve(sentSource(part, sent.files)) : fetchSource(part, source, signal),
    ),
  )
  const parts = await Promise.all(
    fetched.map(async (part) => ({ ...part, ...(await evaluateFiles(part.files, sandbox, signal)) })),
  )
  const content = joinSourceRevisions(parts.map((part) => part.content))
  const files = parts.flatMap((part) => part.value)
  const problems = parts.flatMap((part) => part.problems)
  return {
    observed: { revision, content },
    files,
    problems,
    digest: jsonDigest(files.map((file) => [file.path, file.id])),
    stored: false,
  }
}

function shownSource(source: SourceSpec): string {
  return source.kind === 'inline' ? 'the pushed package' : sourceLocation(source).replace(/^(?:url|directory):/, '')
}

/** The files of one source, below its folder. */
async function fetchSource(
  part: SourceAtRevision,
  source: Source,
  signal: AbortSignal,
): Promise<{ readonly content: string; readonly files: readonly PackageFileRow[] }> {
  const { remote, state, folder } = part
  const path = sourcePath(part.spec)
  await source.fetch(remote, state, signal)
  const content = await source.content(remote, state, path)
  const where =
    part.spec.kind === 'git'
      ? `at ${path === '' ? 'the root' : path} in commit ${hashDigits(state).slice(0, 7)} of ${remote}`
      : `in ${shownSource(part.spec)}`
  const [rules] = await source.files(remote, state, path, (file) => file === ignoreFile, signal)
  if (content === undefined) throw new Rejected(`There is nothing ${where}.`, { code: 'source/path-missing' })
  const isIncluded = packageFileFilter(rules?.bytes)
  const pushed = part.spec.kind === 'inline'
  const files = await source.files(
    remote,
    state,
    path,
    (file) => isIncluded(file) || (pushed && isInputsFile(file)),
    signal,
  )
  // The API checked a pushed package when it arrived. It may be empty on purpose.
  if (!pushed) refuseEmpty(files, where)
  return { content, files: files.map((file) => ({ ...file, path: folder + file.path })) }
}

/** The same for sent files. */
function sentSource(
  { state, folder }: SourceAtRevision,
  sent: readonly PackageFileRow[],
): { readonly content: string; readonly files: readonly PackageFileRow[] } {
  const rules = sent.find(({ path }) => path === ignoreFile)
  const isIncluded = packageFileFilter(rules?.bytes)
  const files = sent.filter(({ path }) => isIncluded(path))
  refuseEmpty(files, 'among the sent files')
  return { content: state, files: files.map((file) => ({ ...file, path: folder + file.path })) }
}

function refuseEmpty(files: readonly { readonly path: string }[], where: string): void {
  if (files.some(({ path }) => isDeclaring(path))) return
  throw new Rejected(`There is no package file (.yml, .yaml, .json, .jsonnet) ${where}.`, {
    code: 'source/no-package-files',
    hint: 'Applied resources stay unchanged: an empty source never deletes.',
  })
}
