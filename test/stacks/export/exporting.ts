// Asking for an export, and reading what comes of it.
import type { JsonObject } from '../../../src/model/json.js'
import { printYamlPackage } from '../../../src/package/print-package.js'
import type { ExportRequest } from '../../../src/stacks/export/export-request.js'
import type { ExportView } from '../../../src/views/packages/export.js'
import { never, type World } from '../../e2e/world.js'

export interface Exported extends ExportView {
  /** `Kind/metaName`, in their order. */
  readonly addresses: readonly string[]
  /** `Kind/display name`, in their order. */
  readonly names: readonly string[]
  readonly codes: readonly string[]
  readonly yaml: string
  readonly spec: (kind: string, name?: string) => JsonObject
}

export async function exportOf(world: World, request: ExportRequest): Promise<Exported> {
  const view = await world.ask.exportPackage(request, never)
  const documents = view.documents as unknown as readonly Body[]
  return {
    ...view,
    addresses: documents.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
    names: documents.map(({ kind, spec }) => `${kind}/${spec.name}`),
    codes: view.problems.map(({ code }) => code),
    yaml: printYamlPackage(view.documents),
    spec: (kind, name) => {
      const found = documents.find((one) => one.kind === kind && (name === undefined || one.spec.name === name))
      if (found === undefined) throw new Error(`There is no ${kind} ${name ?? ''} in the export.`)
      return found.spec
    },
  }
}

interface Body {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: JsonObject & { readonly name: string }
}

/** Makes a resource by hand, with labels by their ids; gives its id. */
export async function make(
  world: World,
  family: string,
  live: object,
  labels: readonly string[] = [],
  target = 'local',
): Promise<string> {
  const { id } = await world.ask.createResource(family, live, { target }, never)
  const resourceType = family === 'Telegraf' ? 'telegrafs' : `${family[0]!.toLowerCase()}${family.slice(1)}s`
  for (const labelID of labels)
    await world.ask.createResource('LabelMapping', { resourceType, resourceID: id, labelID }, { target }, never)
  return id
}

export const anyQuery = 'from(bucket: "raw") |> range(start: -1h)'

/** What a target holds of a task. */
export function heldTask(name: string, more: object = {}): object {
  return { name, description: '', cron: '', every: '1h0m0s', offset: '', query: anyQuery, status: 'active', ...more }
}

/** What a target holds of a variable. */
export function heldVariable(name: string, more: object = {}): object {
  return { name, description: '', type: 'constant', values: ['a'], query: '', language: '', selected: [], ...more }
}

/** What a target holds of a telegraf configuration. */
export function heldTelegraf(name: string, more: object = {}): object {
  return { name, description: '', config: '[agent]\n  interval = "10s"\n', ...more }
}
