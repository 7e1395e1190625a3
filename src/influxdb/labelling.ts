// How resources of InfluxDB have labels.
import type { Identity } from '../model/address.js'
import type { Json } from '../model/json.js'
import type { Labelling } from '../platform/platform.js'
import { resourceTypes } from './kinds/kinds.js'

const families: ReadonlyMap<Json | undefined, string> = new Map(
  Object.entries(resourceTypes).map(([family, type]) => [type, family]),
)

/** Labels, as InfluxDB has them: a label mapping puts a label on a resource, and `spec.associations` declares it. */
export const labelling: Labelling = {
  family: 'Label',
  labelled: ({ family, observed }) => {
    const { resourceType, resourceID, labelID } = observed.actual
    const owner = families.get(resourceType)
    if (family !== 'LabelMapping' || owner === undefined || !isText(resourceID) || !isText(labelID)) return undefined
    return { label: labelID as Identity, resource: { family: owner, identity: resourceID as Identity } }
  },
  declare: (names) => ({ associations: names.map((name) => ({ kind: 'Label', name })) }),
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}
