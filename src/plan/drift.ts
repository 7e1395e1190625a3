import type { Change, NamedFieldChange, Plan } from '../model/resources/change.js'
import type { Drift, DriftedField, DriftedResource } from '../model/resources/drift.js'
import { writesTarget } from './counts.js'

const most = { resources: 100, fields: 100, valueLength: 16_384, length: 262_144 }

/** What a plan would correct: the first 100 resources with 100 fields each, at most 256 Ki characters. */
export function driftIn({ changes, sharedDrift = [] }: Pick<Plan, 'changes' | 'sharedDrift'>): Drift {
  const resources: DriftedResource[] = []
  let length = 0
  for (const change of changes.filter(writesTarget).slice(0, most.resources)) {
    const one = driftedResource(change)
    length += JSON.stringify(one).length
    if (length > most.length) break
    resources.push(one)
  }
  return { resources, shared: sharedDrift }
}

const differences = { create: 'missing', update: 'changed', remove: 'undeclared', untrack: 'undeclared' } as const

function driftedResource({
  address,
  kind,
  displayName,
  partOf,
  action,
  fields,
  shown = fields,
}: Change): DriftedResource {
  return {
    address,
    kind,
    ...(displayName === undefined ? {} : { displayName }),
    ...(partOf === undefined ? {} : { partOf }),
    difference: differences[action],
    fields: action === 'update' ? shown.slice(0, most.fields).map(boundedField) : [],
  }
}

function boundedField(field: NamedFieldChange): DriftedField {
  if (JSON.stringify(field).length <= most.valueLength) return field
  return { path: field.path, tooLong: true }
}
