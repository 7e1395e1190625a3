// Builds a graph of InfluxDB's documents, given as texts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildGraph, type Graph } from '../../src/graph/graph.js'
import { explainInfluxdbKind, influxdbKindsWith, kindAmong, noContext } from '../../src/influxdb/kinds/kinds.js'
import { inFileOrder, type Checked } from '../../src/model/problem.js'
import { FluxParser } from '../../src/influxdb/flux/flux-parser.js'
import { readPackage, type PackageFile, type ReadOptions } from '../../src/package/package.js'
import { file } from '../graph/read-texts.js'

export { docs, errorFields, file } from '../graph/read-texts.js'

/** Of the InfluxDB package format, with the parser of Flux at hand. */
export const kindOf = kindAmong(influxdbKindsWith({ ...noContext, flux: new FluxParser() }))

export function fixture(name: string): readonly PackageFile[] {
  const root = join(import.meta.dirname, '../../fixtures/packages', name)
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return paths.map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return { path: path.slice(root.length + 1), id: path, bytes: readFileSync(path) }
  })
}

export function build(files: readonly PackageFile[], options: ReadOptions = {}): Checked<Graph> {
  const documents = readPackage(files, options)
  const graph = buildGraph(documents.value, kindOf, { explainUnknownKind: explainInfluxdbKind, allowEmpty: true })
  return { value: graph.value, problems: inFileOrder([...documents.problems, ...graph.problems]) }
}

export function buildYaml(text: string): Checked<Graph> {
  return build([file('package.yml', text)])
}

/** An InfluxDB document in one line. */
export function doc(kind: string, name: string, spec: object = {}, more: object = {}): string {
  return JSON.stringify({ apiVersion: 'influxdata.com/v2alpha1', kind, metadata: { name }, spec, ...more })
}
