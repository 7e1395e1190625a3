// Selected resources → documents that declare them, sorted by kind, then by name (docs/guides/export.md). Pure.
import { compareText } from '../../lib/text/compare-text.js'
import { noValues, type Document } from '../../model/resources/document.js'
import type { JsonObject } from '../../model/json.js'
import type { NameOf } from '../../model/resources/kind.js'
import { printable, quoted } from '../../lib/text/printable.js'
import { errorsOf, type Checked, type Problem } from '../../model/problem.js'
import type { Steps } from '../../lib/async/steps.js'
import type { TargetPlatform } from '../../platform/platform.js'
import { graphSteps, type KindLookup } from '../../graph/graph.js'
import { exportedLabels, type SelectedResource } from './selection.js'
import type { InventoryResource } from './inventory.js'

/** The `metadata.name` of each exported resource. */
type NamesByKey = ReadonlyMap<string, string>

interface WrittenDocument {
  readonly rank: number
  readonly name: string
  readonly body: JsonObject
}

/** Resources that no package can declare are left out, with a warning. A step for each document. */
export function* documentSteps(
  all: readonly SelectedResource[],
  names: NamesByKey,
): Steps<Checked<readonly JsonObject[]>> {
  const problems: Problem[] = []
  const written: WrittenDocument[] = []
  for (const chosen of all) {
    yield
    const one = write(chosen, names)
    if ('missing' in one) problems.push(leftOut(chosen.resource, one.missing))
    else written.push(one)
  }
  written.sort((a, b) => a.rank - b.rank || compareText(a.name, b.name))
  return { value: written.map(({ body }) => body), problems }
}

/** The errors of the documents as a package: a resource may have fields that no package can declare. */
export function* invalidSteps(bodies: readonly JsonObject[], platform: TargetPlatform): Steps<readonly Problem[]> {
  const kindOf: KindLookup = (kind, version) => platform.kind(kind, version)
  const { problems } = yield* graphSteps(bodies.map(exportedDocument), kindOf, { allowEmpty: true })
  return errorsOf(problems).map(({ message, field, hint }) => ({
    severity: 'warning',
    code: 'stacks/export-invalid',
    message: `The export cannot be applied unchanged: ${message}`,
    ...(field === undefined ? {} : { field }),
    ...(hint === undefined ? {} : { hint }),
  }))
}

function write(chosen: SelectedResource, names: NamesByKey): WrittenDocument | { readonly missing: string } {
  const { resource, inventory } = chosen
  const missing: string[] = []
  const nameOf: NameOf = (family, identity) => {
    const name = names.get(inventory.resource(family, identity)?.key ?? '')
    if (name === undefined) missing.push(`it needs ${family}/${identity}, which does not exist`)
    return name
  }
  const { authored } = resource.kind
  const declared = authored?.declare(resource.actual, nameOf, resource.identity)
  if (missing.length > 0) return { missing: missing[0]! }
  if (declared === undefined) return { missing: 'no package can declare it' }
  const name = names.get(resource.key)!
  const { apiVersions, kind } = resource.kind
  return {
    rank: authored?.rank ?? Infinity,
    name,
    body: { apiVersion: apiVersions[0]!, kind, metadata: { name }, spec: exportedSpec(chosen, declared, names) },
  }
}

function exportedSpec(chosen: SelectedResource, declared: JsonObject, names: NamesByKey): JsonObject {
  const labels = exportedLabels(chosen).flatMap((label) => names.get(label.key) ?? [])
  const { name: own, ...rest } = declared
  return {
    name: chosen.displayName ?? own ?? chosen.resource.name,
    ...rest,
    ...(labels.length === 0 ? {} : chosen.inventory.platform.labelling?.declare(labels.sort())),
  }
}

function leftOut({ family, name }: InventoryResource, missing: string): Problem {
  const message = `${printable(family)} ${quoted(name)} is not exported: ${printable(missing)}.`
  return { severity: 'warning', code: 'stacks/export-left-out', message }
}

function exportedDocument(body: JsonObject, index: number): Document {
  const { apiVersion, kind, metadata } = body as {
    readonly apiVersion: string
    readonly kind: string
    readonly metadata: { name: string }
  }
  const locate: Document['locate'] = (pointer) => ({ file: 'export', index, pointer, line: 1 })
  return { apiVersion, kind, name: metadata.name, body, values: noValues, place: locate(''), locate }
}
