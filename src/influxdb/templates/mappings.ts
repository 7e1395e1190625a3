// Label mappings as the InfluxDB API shows them: each once, by ids.
import { resourceTypes } from '../kinds/kinds.js'
import { familyOf, nameOf, type Address } from '../../model/address.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Owned, Resource } from '../../model/resources/resource.js'
import { compareText } from '../../lib/text/compare-text.js'
import type { Steps } from '../../lib/async/steps.js'
import type { WirePlan, WireObjects } from './wire-objects.js'

/** A label on a resource. */
export interface MappingEntry {
  readonly stateStatus: 'new' | 'exists' | 'remove'
  readonly resourceType: string
  readonly resourceID: string
  readonly resourceName: string
  readonly resourceTemplateMetaName: string
  readonly labelID: string
  readonly labelName: string
  readonly labelTemplateMetaName: string
}

/** The ids of a resource and of its label, `RESOURCE/LABEL`. */
export type MappingKey = string

const family = 'LabelMapping'

/** Declared mappings, sorted by type, metaName and label; a step for each resource. */
export function* declaredMappings(
  { resources }: Pick<WirePlan, 'resources'>,
  objects: WireObjects,
): Steps<readonly MappingEntry[]> {
  const declared: MappingEntry[] = []
  for (const resource of resources) {
    yield
    const { address } = resource
    if (familyOf(address) === family)
      declared.push(mappingEntry(objects.isNew(address) ? 'new' : 'exists', mappingEnds(resource), objects))
  }
  return declared.sort(byPlace)
}

/**
 * Also the mappings that the plan removes, and existing ones without a declaration and an owner, if both ends are
 * declared. `present`: the mappings on the target.
 */
export function* allMappings(
  wirePlan: WirePlan,
  objects: WireObjects,
  present: ReadonlySet<MappingKey>,
): Steps<readonly JsonObject[]> {
  const declared = yield* declaredMappings(wirePlan, objects)
  const removed = yield* removedMappings(wirePlan, objects)
  const listed = new Set([...declared, ...removed].map(mappingPair))
  yield
  const unlisted = [...present].filter((pair) => !listed.has(pair))
  yield
  const existing = yield* existingMappings(wirePlan, objects, unlisted)
  yield
  return [...declared, ...removed, ...existing].sort(byPlace) as unknown as readonly JsonObject[]
}

interface Ends {
  readonly resource: Address
  readonly label: Address
}

function mappingEnds({ spec }: Resource): Ends {
  return spec as Ends
}

function* removedMappings({ planned }: WirePlan, objects: WireObjects): Steps<readonly MappingEntry[]> {
  const removed: MappingEntry[] = []
  for (const { address, action } of planned.plan.changes) {
    yield
    const owned = familyOf(address) === family && isRemoval(action) ? planned.owned.get(address) : undefined
    const ends = owned && recordedEnds(owned)
    if (owned !== undefined && ends !== undefined)
      removed.push({ ...mappingEntry('remove', ends, objects), ...recordedIds(owned) })
  }
  return removed
}

export function isRemoval(action: string): boolean {
  return action === 'remove' || action === 'untrack'
}

function recordedIds({ applied: { resourceID, labelID } }: Owned): Pick<MappingEntry, 'resourceID' | 'labelID'> {
  const text = (id: Json | undefined): string => (typeof id === 'string' ? id : '')
  return { resourceID: text(resourceID), labelID: text(labelID) }
}

function recordedEnds({ partOf, needs }: Owned): Ends | undefined {
  const label = needs.find((address) => address !== partOf)
  return partOf === undefined || label === undefined ? undefined : { resource: partOf, label }
}

/** Those of these mappings of the target whose two ends the package declares. */
function* existingMappings(
  { resources }: WirePlan,
  objects: WireObjects,
  unlisted: readonly MappingKey[],
): Steps<readonly MappingEntry[]> {
  if (unlisted.length === 0) return []
  const byId = new Map<string, Address>()
  for (const { address } of resources) {
    yield
    if (objects.idOf(address) !== '') byId.set(objects.idOf(address), address)
  }
  const existing: MappingEntry[] = []
  for (const pair of unlisted) {
    yield
    const [resourceID = '', labelID = ''] = pair.split('/')
    const [resource, label] = [byId.get(resourceID), byId.get(labelID)]
    if (resource !== undefined && label !== undefined && familyOf(label) === 'Label' && resource !== label)
      existing.push(mappingEntry('exists', { resource, label }, objects))
  }
  return existing
}

function mappingEntry(
  stateStatus: MappingEntry['stateStatus'],
  { resource, label }: Ends,
  objects: WireObjects,
): MappingEntry {
  return {
    stateStatus,
    resourceType: resourceTypes[familyOf(resource)] ?? '',
    resourceID: objects.idOf(resource),
    resourceName: objects.nameOf(resource),
    resourceTemplateMetaName: nameOf(resource),
    labelID: objects.idOf(label),
    labelName: objects.nameOf(label),
    labelTemplateMetaName: nameOf(label),
  }
}

function mappingPair({ resourceID, labelID }: MappingEntry): MappingKey {
  return `${resourceID}/${labelID}`
}

function byPlace(a: MappingEntry, b: MappingEntry): number {
  return (
    compareText(a.resourceType, b.resourceType) ||
    compareText(a.resourceTemplateMetaName, b.resourceTemplateMetaName) ||
    compareText(a.labelName, b.labelName)
  )
}
