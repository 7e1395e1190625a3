// stacks/discover: the packages of a repository, one for each folder, with names for their stacks. Takes an address;
// gives a view. Promises: nothing is created or changed; a broken folder does not hide the others.
import { errorsOf, firstProblems, inFile, type Checked, type Problem } from '../../model/problem.js'
import type { Resource } from '../../model/resources/resource.js'
import { revisionFor, type GitSpec } from '../../model/sources/source-spec.js'
import { graphSteps } from '../../graph/graph.js'
import { foundRef } from '../../source/found-ref.js'
import { packageLimits, type PackageFile } from '../../package/package.js'
import { inSlices } from '../../lib/async/steps.js'
import { everyStack } from '../stacks.js'
import type { DiscoveredPackage, DiscoveryView } from '../../views/packages/discovery.js'
import { nameClashes } from './clashes.js'
import { evaluateDirectory } from './evaluate-directory.js'
import { isDiscoverable, packageDirectories, readsBelow, type PackageDirectory } from './package-directories.js'
import { stackNames } from './stack-names.js'
import type { Context } from '../context.js'
import { remoteOf } from '../load-package/remotes.js'
import { sourcePathOf } from '../load-package/sources-at-revision.js'

/**
 * A repository, at a ref (default HEAD), below a path. `target`: its platform gives the kinds; `prefix`: of names of
 * stacks.
 */
export interface DiscoverRequest {
  readonly url: string
  readonly ref?: string
  readonly path?: string
  readonly target?: string
  readonly prefix?: string
}

/** A folder and its declarations. */
interface ReadDirectory extends PackageDirectory {
  readonly kinds: Readonly<Record<string, number>>
  readonly problems: readonly Problem[]
  readonly resources: readonly Resource[]
}

/** Problems listed for one package. */
const mostProblems = 20

/** Errors: those of the source; `Refused` not-found of a target. */
export async function discoverPackages(
  context: Context,
  { url, ref = 'HEAD', path = '', target = 'local', prefix = '' }: DiscoverRequest,
  signal: AbortSignal,
): Promise<DiscoveryView> {
  const spec: GitSpec = { kind: 'git', url, ref, path }
  const { files, revision } = await readFiles(context, spec, signal)
  const directories = packageDirectories(files)
  const pathOf = sourcePathOf([spec])
  const packages: ReadDirectory[] = []
  for (const directory of directories) {
    const evaluated = await evaluateDirectory(directory, files, context.sync.sandbox, signal)
    packages.push(...(await readDirectory(context, directory, { evaluated, target, pathOf }, signal)))
  }
  const followed = await followingStacks(context, spec, directories)
  const taken = new Set(followed.map(({ name }) => name))
  const names = stackNames(
    packages.map((one) => `${prefix}${inRepository(path, one.path) || repositoryName(url)}`),
    taken,
  )
  return {
    url,
    ref,
    path,
    revision,
    packages: packages.map((one, at) => packageView(one, { name: names[at]!, path, directories, packages, followed })),
    clashes: nameClashes(packages.map((one) => ({ ...one, path: inRepository(path, one.path) }))),
  }
}

async function readFiles(
  context: Context,
  spec: GitSpec,
  signal: AbortSignal,
): Promise<{ readonly files: readonly PackageFile[]; readonly revision: string }> {
  const { source } = context.sync
  const remote = source.remoteOf(spec, '')
  const { state } = foundRef(await source.poll(remote, [spec.ref], signal), spec.ref)
  await source.fetch(remote, state, signal)
  const files = await source.files(remote, state, spec.path, isDiscoverable, signal)
  return { files, revision: revisionFor(spec, state) }
}

interface Reading {
  /** The files of the folder after its Jsonnet was evaluated. */
  readonly evaluated: Checked<readonly PackageFile[]>
  readonly target: string
  /** The full path of a file in the repository. */
  readonly pathOf: (file: string) => string
}

/** Empty if no document in the folder has an apiVersion and a kind, and no broken file seems to declare one. */
async function readDirectory(
  context: Context,
  directory: PackageDirectory,
  { evaluated, target, pathOf }: Reading,
  signal: AbortSignal,
): Promise<readonly ReadDirectory[]> {
  const { targets, packages, maxDocuments, maxBytes } = context.sync
  const limits = { ...packageLimits, documents: maxDocuments, bytes: maxBytes }
  const { value: documents, problems } = await packages.read(evaluated.value, { limits, pathOf }, signal)
  const isBroken = evaluated.problems.length > 0 || (errorsOf(problems).length > 0 && seemsToDeclare(evaluated.value))
  if (documents.length === 0 && !isBroken) return []
  targets.refuseUnknown(target)
  const platform = await targets.platformOf(target, {}, signal)
  const steps = graphSteps(documents, (kind, version) => platform.kind(kind, version), {
    explainUnknownKind: platform.explainUnknownKind,
    allowEmpty: documents.length === 0,
  })
  const graph = await inSlices(steps, signal)
  const kinds: Record<string, number> = {}
  for (const { kind } of documents) kinds[kind] = (kinds[kind] ?? 0) + 1
  const found = [...evaluated.problems.map((problem) => inFile(problem, pathOf)), ...problems, ...graph.problems]
  const errors = firstProblems(errorsOf(found), mostProblems)
  return [{ ...directory, kinds, problems: errors, resources: graph.value.resources }]
}

/** Files of other tools may be YAML that gitmoor cannot read. They are no packages. */
function seemsToDeclare(files: readonly PackageFile[]): boolean {
  return files.some(({ bytes }) => Buffer.from(bytes).includes('apiVersion'))
}

/** Every stack, with the folders that it reads. */
async function followingStacks(
  context: Context,
  spec: GitSpec,
  directories: readonly PackageDirectory[],
): Promise<readonly FollowingStack[]> {
  const { source } = context.sync
  const remote = source.remoteOf(spec, '')
  const followed: FollowingStack[] = []
  for await (const { spec: stack } of everyStack(context.store)) {
    const here = stack.sources.filter((one) => one.kind === 'git' && remoteOf(context, one, stack.name) === remote)
    const paths = here.map((one) => (one.kind === 'git' ? one.path : ''))
    const reads = directories.filter((directory) =>
      paths.some((path) => isRead(path, directory, spec.path, directories)),
    )
    followed.push({ name: stack.name, reads: new Set(reads) })
  }
  return followed
}

interface FollowingStack {
  readonly name: string
  readonly reads: ReadonlySet<PackageDirectory>
}

/** True if a stack of `path` reads a folder. A stack of a folder above `base` is assumed to read all of it. */
function isRead(path: string, directory: PackageDirectory, base: string, all: readonly PackageDirectory[]): boolean {
  const whole = inRepository(base, directory.path)
  if (path === whole) return true
  const isAbove = path === '' || whole.startsWith(`${path}/`)
  if (base !== '' && (path === '' || base.startsWith(`${path}/`))) return isAbove
  return isAbove && readsBelow(base === '' ? path : path.slice(base.length + 1), directory, all)
}

interface Around {
  readonly name: string
  readonly path: string
  readonly directories: readonly PackageDirectory[]
  readonly packages: readonly PackageDirectory[]
  readonly followed: readonly FollowingStack[]
}

function packageView(
  { kinds, problems, ...read }: ReadDirectory,
  { name, path, directories, packages, followed }: Around,
): DiscoveredPackage {
  const inside = packages.filter((one) => readsBelow(read.path, one, directories))
  const own = directories.find((one) => one.path === read.path)!
  return {
    path: inRepository(path, read.path),
    kinds,
    problems,
    includes: inside.map((one) => inRepository(path, one.path)),
    stack: followed.find(({ reads }) => reads.has(own))?.name ?? null,
    name,
  }
}

function inRepository(base: string, path: string): string {
  return base === '' || path === '' ? base + path : `${base}/${path}`
}

function repositoryName(url: string): string {
  return /([^/]+?)(?:\.git)?\/*$/.exec(url)?.[1] ?? ''
}
