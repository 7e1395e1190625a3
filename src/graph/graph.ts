// graph: documents → resources. Takes documents and the kinds of a platform; gives resources, each after what it needs.
// Promises: all problems at once, in file order; no resource has errors or needs one that has; linear in the documents.
import type { Address } from '../model/address.js'
import type { Document } from '../model/resources/document.js'
import { quoted } from '../lib/text/printable.js'
import { inFileOrder, type Checked, type Finding, type Problem } from '../model/problem.js'
import type { Resource } from '../model/resources/resource.js'
import { finish, type Steps } from '../lib/async/steps.js'
import { checkReferences } from './check-references.js'
import { declareAll, type ExplainUnknownKind, type KindLookup } from './declare.js'
import type { Declared } from './declared.js'
import { orderByNeeds } from './order.js'
import { refuseShownCredentials, warnMissingValues } from './check-env-references.js'

export type { ExplainUnknownKind, KindLookup }

export interface Graph {
  /** Including parts. A resource comes after what it needs; otherwise in the order of the package. */
  readonly resources: readonly Resource[]
  readonly byAddress: ReadonlyMap<Address, Resource>
}

export interface GraphOptions {
  /** The problem of a document without a kind. Default: a plain sentence. */
  readonly explainUnknownKind?: ExplainUnknownKind
  /** False (the default): a package that declares nothing is an error. */
  readonly allowEmpty?: boolean
  /** Resources that are not in the package: given secrets. Their kinds are those of parts. */
  readonly beside?: readonly Document[]
}

/** Builds the graph of a whole package: names are unique over all given documents. */
export function buildGraph(
  documents: readonly Document[],
  kindOf: KindLookup,
  options: GraphOptions = {},
): Checked<Graph> {
  return finish(graphSteps(documents, kindOf, options))
}

/** Builds the graph in steps: one for each document and each stage. */
export function* graphSteps(
  documents: readonly Document[],
  kindOf: KindLookup,
  options: GraphOptions = {},
): Steps<Checked<Graph>> {
  const declarations = yield* declareAll(documents, kindOf, { explainUnknownKind: defaultExplanation, ...options })
  const invalid = [...(yield* checkReferences(declarations)), ...(yield* refuseShownCredentials(declarations))]
  const { ordered, problems: cycles } = yield* orderByNeeds(declarations)
  const resources: Resource[] = []
  const byAddress = new Map<Address, Resource>()
  for (const declared of ordered) {
    yield
    const resource = toResource(declared)
    resources.push(resource)
    byAddress.set(resource.address, resource)
  }
  const missing = yield* warnMissingValues(resources)
  const empty = documents.length === 0 && options.allowEmpty !== true ? [nothingDeclared] : []
  return {
    value: { resources, byAddress },
    problems: inFileOrder([...empty, ...declarations.problems, ...invalid, ...cycles, ...missing]),
  }
}

function toResource({ address, kind, document, spec, edges, meta, partOf }: Declared): Resource {
  return { address, kind, document, spec, edges, meta, ...(partOf === undefined ? {} : { partOf }) }
}

const nothingDeclared: Problem = {
  severity: 'error',
  code: 'graph/empty',
  message: 'The package declares no resources: none of its files has a document of a known kind.',
  hint: 'Check the path of the stack, and .gitmoorignore. To remove all resources, uninstall the stack.',
}

function defaultExplanation(kind: string, apiVersion: string): Finding {
  return {
    code: 'graph/no-kind',
    message: `The target does not support the kind ${quoted(kind)} of ${quoted(apiVersion)}.`,
  }
}
