// Reads the documents of a package, and builds the graph of its resources with their inputs.
import { packageLimits } from '../../package/package.js'
import { graphSteps, type Graph } from '../../graph/graph.js'
import { inSlices, type Steps } from '../../lib/async/steps.js'
import type { Document } from '../../model/resources/document.js'
import type { Inputs } from '../../model/resources/inputs.js'
import { errorsOf, firstProblems, inFile, inFileOrder, type Checked, type Problem } from '../../model/problem.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import type { TargetPlatform } from '../../platform/platform.js'
import type { PackageFileRow } from '../../store/file-table.js'
import type { StackInputs, StackWithInputs } from '../inputs/inputs.js'
import { secretDocuments } from '../inputs/secret-resources.js'
import { skipResources, type RemainingResources } from '../inputs/skip-resources.js'
import { warnUnused } from '../inputs/unused-inputs.js'
import { InvalidPackage } from '../../model/errors.js'
import type { Targets } from '../targets.js'
import type { BuiltGraph } from './graph-cache.js'
import type { LoadedPackage } from './load-package.js'
import type { PackageReader } from './package-reader.js'
import { sourcePathOf } from './sources-at-revision.js'

export interface PackageDeps {
  readonly targets: Targets
  readonly packages: PackageReader
  readonly inputs: StackInputs
  /** Documents of one package. */
  readonly maxDocuments: number
  /** Bytes of all its files. */
  readonly maxBytes: number
}

/** The resources that a package declares, with its inputs. */
export interface DeclaredPackage extends Graph {
  readonly documents: readonly Document[]
  readonly problems: readonly Problem[]
  readonly inputs: Inputs
  readonly isSkipped: RemainingResources['isSkipped']
}

/** The resources of a package. Errors: `InvalidPackage` with every problem. */
export async function packageGraph(
  { files, problems }: Pick<LoadedPackage, 'files' | 'problems'>,
  stack: StackWithInputs,
  deps: PackageDeps,
  signal: AbortSignal,
): Promise<DeclaredPackage> {
  const read = await readDeclared(
    { files, problems },
    stack.spec,
    { ...deps, given: await deps.inputs.of(stack, files, signal) },
    signal,
  )
  if (errorsOf(read.problems).length > 0) throw new InvalidPackage(read.problems)
  return read
}

/** The valid part of a package, with its first problems. `problems`: of files that are not in `files`. */
export async function readDeclared(
  { files, problems = [] }: { readonly files: readonly PackageFileRow[]; readonly problems?: readonly Problem[] },
  spec: Pick<StackSpec, 'name' | 'target' | 'sources'>,
  { packages, maxDocuments, maxBytes, targets, given }: Omit<PackageDeps, 'inputs'> & { readonly given: Inputs },
  signal: AbortSignal,
): Promise<DeclaredPackage> {
  const isPushed = spec.sources.every(({ kind }) => kind === 'inline')
  const pathOf = sourcePathOf(spec.sources)
  const platform = await targets.platformOf(spec.target, { stack: spec.name }, signal)
  const allowEmpty = given.allowEmpty || errorsOf(problems).length > 0
  const sources = { files, isPushed, pathOf, platform, given: { ...given, allowEmpty } }
  const built = await packages.graphs.of(sources, async () => {
    const limits = { ...packageLimits, documents: maxDocuments, bytes: maxBytes }
    const read = await packages.read(files, { values: given.values, limits, isPushed, pathOf }, signal)
    const graph = await inSlices(builtSteps(read, sources), signal)
    return { documents: read.value, unread: read.problems, graph }
  })
  const unread = [...problems.map((problem) => inFile(problem, pathOf)), ...built.unread]
  return inSlices(declaredSteps({ ...built, unread }, { platform, given }), signal)
}

/** The graph of documents and given secrets; a step for each. */
export function builtSteps(
  { value: documents, problems: unread }: Checked<readonly Document[]>,
  { platform, given }: { readonly platform: TargetPlatform; readonly given: Inputs },
): Steps<BuiltGraph['graph']> {
  return graphSteps(documents, (kind, apiVersion) => platform.kind(kind, apiVersion), {
    explainUnknownKind: platform.explainUnknownKind,
    beside: secretDocuments(given, platform),
    allowEmpty: given.allowEmpty || errorsOf(unread).length > 0,
  })
}

/** What is left of a graph without skipped resources, and all problems; a step for each of them. */
export function* declaredSteps(
  { documents, unread, graph }: BuiltGraph,
  { platform, given: inputs }: { readonly platform: TargetPlatform; readonly given: Inputs },
): Steps<DeclaredPackage> {
  const left = skipResources(graph.value.resources, inputs.skips, platform.kinds)
  yield
  const wrong = [...unread, ...graph.problems, ...left.problems]
  const unused = errorsOf(wrong).length > 0 ? [] : warnUnused(graph.value.resources, inputs)
  yield
  const problems = yield* withLines(firstProblems(readingErrorsFirst(unread, [...wrong, ...unused])))
  return { ...left.value, documents, byAddress: graph.value.byAddress, problems, inputs }
}

/** In the order of the files, but errors of reading them come first: others may be there only because of them. */
function readingErrorsFirst(unread: readonly Problem[], all: readonly Problem[]): readonly Problem[] {
  const first = new Set(errorsOf(unread))
  return [...inFileOrder([...first]), ...inFileOrder(all.filter((problem) => !first.has(problem)))]
}

/** Finding a line reads its file again. One step for each line, so the event loop is not blocked later. */
function* withLines(problems: readonly Problem[]): Steps<readonly Problem[]> {
  for (const { place } of problems) {
    void place?.line
    yield
  }
  return problems
}
