// Builds a graph of texts as a package would have them.
import { buildGraph, type Graph } from '../../src/graph/graph.js'
import { errorsOf, inFileOrder, type Checked, type Problem } from '../../src/model/problem.js'
import { readPackage, type PackageFile, type ReadOptions } from '../../src/package/package.js'
import { plainKindNamed, plainVersion } from '../plain/plain-kinds.js'

export function file(path: string, text: string): PackageFile {
  return { path, id: `${path}:${text}`, bytes: Buffer.from(text) }
}

export function build(files: readonly PackageFile[], options: ReadOptions = {}): Checked<Graph> {
  const documents = readPackage(files, options)
  const graph = buildGraph(documents.value, plainKindNamed, { allowEmpty: true })
  return { value: graph.value, problems: inFileOrder([...documents.problems, ...graph.problems]) }
}

export function buildYaml(text: string): Checked<Graph> {
  return build([file('package.yml', text)])
}

/** The fields of the errors, in order. */
export function errorFields(problems: readonly Problem[]): readonly (string | undefined)[] {
  return errorsOf(problems).map(({ field }) => field)
}

/** A document in one line. */
export function doc(kind: string, name: string, spec: object = {}, more: object = {}): string {
  return JSON.stringify({ apiVersion: plainVersion, kind, metadata: { name }, spec, ...more })
}

export function docs(...documents: readonly string[]): string {
  return documents.join('\n---\n')
}
