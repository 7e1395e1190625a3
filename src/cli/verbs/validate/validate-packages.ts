import { basename, join, resolve } from 'node:path'
import { buildGraph, type KindLookup } from '../../../graph/graph.js'
import { errorsOf, firstProblems, inFile, type Problem } from '../../../model/problem.js'
import type { Resource } from '../../../model/resources/resource.js'
import { evaluateFiles } from '../../../package/evaluated-files.js'
import { readPackage } from '../../../package/package.js'
import type { DocumentKinds, PlatformDescription } from '../../../platform/platform.js'
import { JsonnetSandbox } from '../../../sandbox/jsonnet/jsonnet-sandbox.js'
import { blobId } from '../../../source/blob-id.js'
import type { SourceFile } from '../../../source/source.js'
import { CliError } from '../../errors/cli-error.js'
import { stdinPath } from '../../files/input-file.js'
import { isSingleFile, readPackageFiles } from '../../files/package-files.js'
import { stdinPackage } from '../../files/package-texts.js'

/** The problems of one package. `resources`: the count of each kind, without parts. */
export interface PackageResult {
  readonly path: string
  readonly valid: boolean
  readonly resources: Readonly<Record<string, number>>
  readonly problems: readonly Problem[]
}

/** Relative paths start at `cwd`. `stdin`: the text of standard input, which the path `-` names. */
export interface PackagePlaces {
  readonly cwd: string
  readonly stdin: string
}

/** `refused`: paths that could not be read. */
export interface ValidatedPackages {
  readonly packages: readonly PackageResult[]
  readonly refused: readonly CliError[]
}

/** Checks each path as one package, as the agent checks a revision. Places are relative to `cwd`. */
export async function validatePackages(
  paths: readonly string[],
  { platforms, ...places }: PackagePlaces & { readonly platforms: readonly PlatformDescription[] },
): Promise<ValidatedPackages> {
  const kinds = platforms.map((platform) => platform.openKinds())
  try {
    const packages: PackageResult[] = []
    const refused: CliError[] = []
    for (const path of paths) {
      const result = await validatePackage(path, places, kinds).catch(refusedError)
      if (result instanceof CliError) refused.push(result)
      packages.push(result instanceof CliError ? unreadable(path, result) : result)
    }
    return { packages, refused }
  } finally {
    for (const one of kinds) one[Symbol.dispose]()
  }
}

function refusedError(error: unknown): CliError {
  if (error instanceof CliError) return error
  throw error
}

function unreadable(path: string, { code, message, hint }: CliError): PackageResult {
  const problem: Problem = { severity: 'error', code, message, ...(hint === undefined ? {} : { hint }) }
  return { path, valid: false, resources: {}, problems: [problem] }
}

async function validatePackage(
  path: string,
  places: PackagePlaces,
  kinds: readonly DocumentKinds[],
): Promise<PackageResult> {
  const { files, pathOf } = await packageAt(path, places)
  const evaluated = await evaluateFiles(files, new JsonnetSandbox(), new AbortController().signal)
  const documents = readPackage(evaluated.value, { pathOf })
  const read = [...evaluated.problems.map((problem) => inFile(problem, pathOf)), ...documents.problems]
  const allowEmpty = errorsOf(read).length > 0
  const [first] = kinds
  const explanation = first && { explainUnknownKind: first.explainUnknownKind }
  const graph = buildGraph(documents.value, kindAmong(kinds), { ...explanation, allowEmpty })
  const problems = firstProblems([...read, ...graph.problems])
  return { path, valid: errorsOf(problems).length === 0, resources: countKinds(graph.value.resources), problems }
}

/** The files of a package, and their paths as people know them. */
async function packageAt(
  path: string,
  { cwd, stdin }: PackagePlaces,
): Promise<{ readonly files: readonly SourceFile[]; readonly pathOf: (file: string) => string }> {
  if (path === stdinPath) {
    const bytes = Buffer.from(stdin)
    return { files: [{ path: stdinPackage(stdin), id: blobId(bytes), bytes }], pathOf: (file) => file }
  }
  const from = resolve(cwd, path)
  const files = await readPackageFiles(from)
  const folder = (await isSingleFile(from)) ? path.slice(0, path.length - basename(path).length) : path
  return { files, pathOf: (file) => join(folder, file) }
}

/** The kind of the platform that knows the apiVersion; otherwise that of any. */
function kindAmong(all: readonly DocumentKinds[]): KindLookup {
  return (kind, apiVersion) => {
    const found = all.flatMap((kinds) => kinds.kind(kind, apiVersion) ?? [])
    return found.find((one) => one !== 'version') ?? found[0]
  }
}

function countKinds(resources: readonly Resource[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind, partOf } of resources) if (partOf === undefined) counts[kind.kind] = (counts[kind.kind] ?? 0) + 1
  return counts
}
