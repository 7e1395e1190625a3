// The summary of a dry run and of an apply: the state of what the package declares.
import { compareText } from '../../lib/text/compare-text.js'
import { wires } from '../kinds/kinds.js'
import { nameOf, type Address } from '../../model/address.js'
import type { EnvReference } from '../../model/resources/document.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Resource } from '../../model/resources/resource.js'
import type { Steps } from '../../lib/async/steps.js'
import { collectionFor, emptyCollections, plainObject, listedResources } from './wire-collections.js'
import { declaredMappings } from './mappings.js'
import { WireObjects, type WirePlan } from './wire-objects.js'

/** Env keys without a given value, and secret keys that are neither given nor on the target. */
export interface Missing {
  readonly envRefs: readonly string[]
  readonly secrets: readonly string[]
}

/** Resources by metaName. Tasks are listed twice: InfluxDB writes `summaryTask`, its command line reads `tasks`. */
export function* toWireSummary(
  wirePlan: WirePlan,
  objects: WireObjects,
  missing: Missing,
): Steps<Readonly<Record<string, readonly Json[]>>> {
  const summary = emptyCollections()
  const labels = yield* labelsByResource(wirePlan.resources)
  const shown = new Map<Address, JsonObject>()
  const entryOf = (resource: Resource): JsonObject => {
    const entry = shown.get(resource.address) ?? wireEntry(resource, objects)
    shown.set(resource.address, entry)
    return entry
  }
  for (const resource of listedResources(wirePlan.resources)) {
    yield
    summary[collectionFor(resource.address)!]!.push(summaryEntry(resource, labels.get(resource.address) ?? [], entryOf))
  }
  const labelMappings = (yield* declaredMappings(wirePlan, objects)).map(({ stateStatus, ...rest }) =>
    plainObject({ status: stateStatus, ...rest }),
  )
  const missingInputs = { missingEnvRefs: missing.envRefs, missingSecrets: missing.secrets }
  return { ...summary, labelMappings, ...missingInputs, summaryTask: summary['tasks']! }
}

function envReferences({ kind, spec }: Resource): readonly EnvReference[] {
  return kind.inputs?.envReferences(spec) ?? []
}

/** `entryOf`: the entry of a resource alone. Many resources have the same label, whose entry is made once. */
function summaryEntry(
  resource: Resource,
  labels: readonly Resource[],
  entryOf: (resource: Resource) => JsonObject,
): JsonObject {
  const entry = entryOf(resource)
  return resource.address.startsWith('Label/') ? entry : { ...entry, labelAssociations: labels.map(entryOf) }
}

/** The common fields of every resource, and those of its kind. */
function wireEntry(resource: Resource, objects: WireObjects): JsonObject {
  const { address, kind, spec } = resource
  return plainObject({
    kind: kind.kind,
    templateMetaName: nameOf(address),
    envReferences: envReferences(resource)
      .filter(({ unlisted }) => unlisted !== true)
      .map(wireReference),
    ...wires[kind.kind]!.summary(objects.desired(resource), objects.contextOf(objects.idOf(address)), spec),
  })
}

function wireReference({ field, key, valueType, value = null, defaultValue = null }: EnvReference): JsonObject {
  return { resourceField: field, envRefKey: key, valueType, value, defaultValue }
}

/** The labels of each resource, by metaName. */
function* labelsByResource(resources: readonly Resource[]): Steps<ReadonlyMap<Address, readonly Resource[]>> {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]))
  const labels = new Map<Address, Resource[]>()
  for (const { partOf, spec } of resources) {
    yield
    const label = partOf && byAddress.get((spec as { readonly label: Address }).label)
    if (partOf === undefined || label === undefined) continue
    const list = labels.get(partOf)
    if (list === undefined) labels.set(partOf, [label])
    else list.push(label)
  }
  for (const list of labels.values()) list.sort((a, b) => compareText(nameOf(a.address), nameOf(b.address)))
  return labels
}
