// The diff of a dry run and of an apply: an entry for each resource of the plan.
import { compareText } from '../../lib/text/compare-text.js'
import { wires } from '../kinds/kinds.js'
import { familyOf, nameOf } from '../../model/address.js'
import type { Change } from '../../model/resources/change.js'
import type { JsonObject } from '../../model/json.js'
import type { Resource } from '../../model/resources/resource.js'
import type { Steps } from '../../lib/async/steps.js'
import { writesTarget } from '../../plan/counts.js'
import { sameJson } from '../../plan/diff.js'
import { collectionFor, emptyCollections, plainObject, listedResources } from './wire-collections.js'
import { allMappings, isRemoval, type MappingKey } from './mappings.js'
import { WireObjects, type WirePlan } from './wire-objects.js'

/** All collections. Declared resources come before removed ones, each sorted by metaName. */
export function* toWireDiff(
  wirePlan: WirePlan,
  objects: WireObjects,
  present: ReadonlySet<MappingKey>,
): Steps<Readonly<Record<string, readonly JsonObject[]>>> {
  const diff = emptyCollections()
  const changes = new Map(wirePlan.planned.plan.changes.map((change) => [change.address, change]))
  for (const resource of listedResources(wirePlan.resources)) {
    yield
    diff[collectionFor(resource.address)!]!.push(
      declaredEntry(resource, changes.get(resource.address), wirePlan, objects),
    )
  }
  for (const change of removals(wirePlan)) {
    yield
    diff[collectionFor(change.address)!]!.push(removedEntry(change, wirePlan, objects))
  }
  return { ...diff, labelMappings: (yield* allMappings(wirePlan, objects, present)).map(plainObject) }
}

function removals({ planned }: WirePlan): readonly Change[] {
  return planned.plan.changes
    .filter(({ action, partOf, address }) => isRemoval(action) && partOf === undefined && collectionFor(address))
    .sort((a, b) => compareText(nameOf(a.address), nameOf(b.address)))
}

/** A resource that was deleted by hand is new, with its former id as `previousID`. */
function declaredEntry(
  resource: Resource,
  change: Change | undefined,
  { planned }: WirePlan,
  objects: WireObjects,
): JsonObject {
  const { address, kind } = resource
  const id = objects.idOf(address)
  const context = objects.contextOf(id)
  const wire = wires[kind.kind]!
  const [state, live] = [objects.desired(resource), objects.actual(address)]
  const desired = plainObject(wire.diff(state, context))
  const previousID = objects.isNew(address) ? planned.owned.get(address)?.identity : undefined
  return {
    id,
    stateStatus: objects.isNew(address) ? 'new' : 'exists',
    templateMetaName: nameOf(address),
    kind: kind.kind,
    new: desired,
    ...oldSide(familyOf(address), live && (sameJson(live, state) ? desired : plainObject(wire.diff(live, context)))),
    changed: change !== undefined && writesTarget(change),
    ...(change?.adopts === true ? { adopted: true } : {}),
    ...(previousID === undefined ? {} : { previousID }),
  }
}

/** The entry of a new variable has no `old`. */
function oldSide(family: string, old: JsonObject | undefined): JsonObject {
  if (old !== undefined) return { old }
  return family === 'Variable' ? {} : { old: null }
}

/** Removed entries show their kind and the target's display name. */
function removedEntry(change: Change, { planned }: WirePlan, objects: WireObjects): JsonObject {
  const { address, kind, identity = '', losesData } = change
  const family = familyOf(address)
  const wire = wires[kind]!
  const live = objects.actual(address)
  const empty = family === 'Check' || family === 'NotificationEndpoint' ? null : wire.diff({}, objects.contextOf(''))
  return plainObject({
    id: identity,
    stateStatus: 'remove',
    templateMetaName: nameOf(address),
    kind: planned.owned.get(address)?.kind ?? kind,
    new: empty && { ...empty, name: change.displayName ?? '' },
    ...oldSide(family, live && wire.diff(live, objects.contextOf(identity))),
    changed: writesTarget(change),
    ...(losesData === true ? { losesData } : {}),
  })
}
