// What two packages declare differently, as changes from one to the other. No target decides.
import { whenReady } from '../lib/async/pending.js'
import type { Steps } from '../lib/async/steps.js'
import type { Address } from '../model/address.js'
import type { Change, FieldChange, NamedFieldChange } from '../model/resources/change.js'
import { leavesOf, replaceAt } from '../model/json-places.js'
import { Unknown, type Json, type JsonObject } from '../model/json.js'
import { unknownYet } from '../model/resources/kind.js'
import type { Resource } from '../model/resources/resource.js'
import { inActualOrder } from './any-order.js'
import { fieldChanges } from './diff.js'
import { namedChanges } from './named-changes.js'
import { changeBase } from './plan-input.js'

/** `unchanged`: resources without parts that both declare alike. */
export interface DeclaredDifferences {
  readonly changes: readonly Change[]
  readonly unchanged: number
}

/**
 * The changes from `before` to `after`; a step for each resource. A value that another resource gives is its name:
 * `(id of Label/red)`. Errors: `InvalidPackage` of a kind.
 */
export function* compareDeclared(before: readonly Resource[], after: readonly Resource[]): Steps<DeclaredDifferences> {
  const former = new Map<Address, Resource>(before.map((resource) => [resource.address, resource]))
  const changes: Change[] = []
  let unchanged = 0
  for (const resource of after) {
    const from = former.get(resource.address)
    former.delete(resource.address)
    const change = from === undefined ? yield* creation(resource) : yield* update(from, resource)
    if (change !== undefined) changes.push(change)
    else if (resource.partOf === undefined) unchanged++
  }
  for (const resource of former.values()) changes.push(yield* removal(resource))
  return { changes, unchanged }
}

function* creation(resource: Resource): Steps<Change> {
  const state = yield* declaredState(resource)
  const fields = fieldChanges(undefined, state).map(withNames)
  return { ...changeBase(resource, state), action: 'create', fields, reason: 'added' }
}

function* removal(resource: Resource): Steps<Change> {
  const state = yield* declaredState(resource)
  return { ...changeBase(resource, state), action: 'remove', fields: [], reason: 'dropped' }
}

/** undefined: both declare the same. */
function* update(before: Resource, after: Resource): Steps<Change | undefined> {
  const old = yield* declaredState(before)
  const state = yield* declaredState(after)
  const anyOrder = after.kind.comparison?.anyOrder
  const ordered = inActualOrder(old, state, anyOrder)
  const fields = fieldChanges(old, ordered, { withRemoved: true })
  if (fields.length === 0 && before.kind.kind === after.kind.kind) return undefined
  const shown = namedChanges(old, ordered, anyOrder, { withRemoved: true })
  return {
    ...changeBase(after, state),
    action: 'update',
    fields: fields.map(withNames),
    ...(shown === undefined ? {} : { shown: shown.map(withNames) }),
    reason: 'edited',
  }
}

function* declaredState({ kind, spec }: Resource): Steps<JsonObject> {
  yield
  return yield* whenReady(() => kind.normalise(kind.encode(spec, unknownYet)))
}

/** Values of other resources by name: both packages were applied, so nothing is "known after apply". */
function withNames<Field extends FieldChange | NamedFieldChange>(field: Field): Field {
  return {
    ...field,
    ...(field.old === undefined ? {} : { old: named(field.old) }),
    ...(field.new === undefined ? {} : { new: named(field.new) }),
  }
}

function named(value: Json): Json {
  const places = [...leavesOf({ value })].filter((place) => place.value instanceof Unknown)
  if (places.length === 0) return value
  const names = places.map(({ keys, value: unknown }) => ({ keys, value: nameOf(unknown as Unknown) }))
  return replaceAt({ value }, names)['value']!
}

function nameOf({ output, to }: Unknown): string {
  return `(${output} of ${to})`
}
