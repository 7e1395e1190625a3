// A label on a resource: the part that `spec.associations` declares.
import { addressOf, type Address } from '../../../model/address.js'
import type { Document } from '../../../model/resources/document.js'
import type { Json, JsonObject } from '../../../model/json.js'
import { type Kind, partApiVersion } from '../../../model/resources/kind.js'
import type { Place } from '../../../model/problem.js'
import type { Association } from './associations.js'

export interface LabelMappingSpec {
  /** The resource type of the family in the InfluxDB API: `buckets`, `dashboards`, …. */
  readonly resourceType: string
  readonly resource: Address
  readonly label: Address
}

/** The resource type of each family in the InfluxDB API. */
export const resourceTypes: Readonly<Record<string, string>> = {
  Bucket: 'buckets',
  Check: 'checks',
  Dashboard: 'dashboards',
  Label: 'labels',
  NotificationEndpoint: 'notificationEndpoints',
  NotificationRule: 'notificationRules',
  Task: 'tasks',
  Telegraf: 'telegrafs',
  Variable: 'variables',
}

export function labelMappingKind(): Kind<LabelMappingSpec> {
  return {
    kind: 'LabelMapping',
    apiVersions: [partApiVersion],
    family: 'LabelMapping',
    decode: ({ body }) => ({ value: body['spec'] as unknown as LabelMappingSpec, problems: [] }),
    references: ({ resource, label }) => [{ to: resource }, { to: label }],
    encode: ({ resourceType, resource, label }, resolve) => ({
      resourceType,
      resourceID: resolve({ to: resource }),
      labelID: resolve({ to: label }),
    }),
    normalise: (state) => state,
    asPart: {
      invalidFields: ({ resourceType, resourceID, labelID, ...unknown }) => [
        ...(Object.values(resourceTypes).some((one) => one === resourceType) ? [] : ['resourceType']),
        ...(isId(resourceID) ? [] : ['resourceID']),
        ...(isId(labelID) ? [] : ['labelID']),
        ...Object.keys(unknown),
      ],
    },
    matching: {
      key: ({ resourceID, labelID }) => (isId(resourceID) && isId(labelID) ? `${resourceID}/${labelID}` : undefined),
    },
  }
}

/** The mappings that a resource of a family declares, each at the place of its association. */
export function labelMappings(
  family: string,
  associations: readonly Association[],
  document: Document,
): readonly Document[] {
  const resource = addressOf(family, document.name)
  return associations.map(({ label, position }) => {
    const spec = { resourceType: resourceTypes[family]!, resource, label: addressOf('Label', label) }
    return mappingDocument(`${resource}/${label}`, spec, document, `/spec/associations/${position}`)
  })
}

function mappingDocument(name: string, spec: JsonObject, { values, locate }: Document, pointer: string): Document {
  const body: JsonObject = { apiVersion: partApiVersion, kind: 'LabelMapping', metadata: { name }, spec }
  const locateHere = (below: string): Place => locate(pointer + below)
  return {
    apiVersion: partApiVersion,
    kind: 'LabelMapping',
    name,
    body,
    values,
    place: locateHere(''),
    locate: locateHere,
  }
}

function isId(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
