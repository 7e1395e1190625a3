// The diff of a dry run and of an apply: an entry for each resource of the plan.
import { compareText } from '../../lib/compare-text.js'
import { wires } from '../../kinds/influxdb/influxdb.js'
import { familyOf, nameOf } from '../../model/address.js'
import type { Change } from '../../model/change.js'
import type { JsonObject } from '../../model/json.js'
import type { Resource } from '../../model/resource.js'
import type { Steps } from '../../lib/steps.js'
import { writesTarget } from '../../plan/counts.js'
import { sameJson } from '../../plan/diff.js'
import { collectionOf, emptyCollections, plainObject, listedResources } from './wire-collections.js'
import { allMappings, isLeaving, type Pair } from './mappings.js'
import { WireObjects, type WirePlan } from './wire-objects.js'

/** All collections. Declared resources come before removed ones, each sorted by metaName. */
export function* toWireDiff(
  pictured: WirePlan,
  things: WireObjects,
  present: ReadonlySet<Pair>,
): Steps<Readonly<Record<string, readonly JsonObject[]>>> {
  const diff = emptyCollections()
  const changes = new Map(pictured.planned.plan.changes.map((change) => [change.address, change]))
  for (const resource of listedResources(pictured.resources)) {
    yield
    diff[collectionOf(resource.address)!]!.push(
      declaredEntry(resource, changes.get(resource.address), pictured, things),
    )
  }
  for (const change of leavingOf(pictured)) {
    yield
    diff[collectionOf(change.address)!]!.push(leavingEntry(change, pictured, things))
  }
  return { ...diff, labelMappings: allMappings(pictured, things, present).map(plainObject) }
}

function leavingOf({ planned }: WirePlan): readonly Change[] {
  return planned.plan.changes
    .filter(({ action, partOf, address }) => isLeaving(action) && partOf === undefined && collectionOf(address))
    .sort((a, b) => compareText(nameOf(a.address), nameOf(b.address)))
}

/** A resource that was deleted by hand is new, with its former id as `previousID`. */
function declaredEntry(
  resource: Resource,
  change: Change | undefined,
  { planned }: WirePlan,
  things: WireObjects,
): JsonObject {
  const { address, kind } = resource
  const id = things.idOf(address)
  const context = things.contextOf(id)
  const wire = wires[kind.kind]!
  const [wanted, live] = [things.desired(resource), things.actual(address)]
  const told = wire.diff(wanted, context)
  const previousID = things.isNew(address) ? planned.owned.get(address)?.identity : undefined
  return plainObject({
    id,
    stateStatus: things.isNew(address) ? 'new' : 'exists',
    templateMetaName: nameOf(address),
    kind: kind.kind,
    new: told,
    ...oldSide(familyOf(address), live && (sameJson(live, wanted) ? told : wire.diff(live, context))),
    changed: change !== undefined && writesTarget(change),
    ...(change?.adopts === true ? { adopted: true } : {}),
    ...(previousID === undefined ? {} : { previousID }),
  })
}

/** The entry of a new variable has no `old`. */
function oldSide(family: string, old: JsonObject | undefined): JsonObject {
  if (old !== undefined) return { old }
  return family === 'Variable' ? {} : { old: null }
}

/** Removed entries show their kind and the target's display name. */
function leavingEntry(change: Change, { planned }: WirePlan, things: WireObjects): JsonObject {
  const { address, kind, identity = '', losesData } = change
  const family = familyOf(address)
  const wire = wires[kind]!
  const live = things.actual(address)
  const empty = family === 'Check' || family === 'NotificationEndpoint' ? null : wire.diff({}, things.contextOf(''))
  return plainObject({
    id: identity,
    stateStatus: 'remove',
    templateMetaName: nameOf(address),
    kind: planned.owned.get(address)?.kind ?? kind,
    new: empty && { ...empty, name: change.displayName ?? '' },
    ...oldSide(family, live && wire.diff(live, things.contextOf(identity))),
    changed: writesTarget(change),
    ...(losesData === true ? { losesData } : {}),
  })
}
