// A template stack as the InfluxDB API shows it.
import { compareText } from '../../model/compare-text.js'
import { resourceTypes } from '../../kinds/influxdb/influxdb.js'
import type { RecordView } from '../../stacks/views.js'

type Event = RecordView['events'][number]
type EventResource = Event['resources'][number]

/** The stack, with the fields of its latest event beside its own. */
export function stackAnswer({ id, orgID, createdAt, events }: RecordView): object {
  const told = events.map(eventAnswer)
  return { id, orgID, createdAt: wireTime(createdAt), events: told, ...told.at(-1) }
}

function eventAnswer({ eventType, name, description, resources, sources, urls, updatedAt }: Event): object {
  const listed = resources.filter(({ kind }) => order.includes(kind)).toSorted(byKindAndName)
  return {
    eventType,
    name,
    description,
    resources: listed.map(resourceAnswer),
    sources,
    urls,
    updatedAt: wireTime(updatedAt),
  }
}

function resourceAnswer({ apiVersion, resourceID, kind, templateMetaName, associations }: EventResource): object {
  const links = { self: `/api/v2/${resourceTypes[kind]}/${resourceID}` }
  return { apiVersion, resourceID, kind, templateMetaName, associations, links }
}

/** The reverse of the order of an export. */
const order: readonly string[] = [
  'Telegraf',
  'Dashboard',
  'Variable',
  'Task',
  'NotificationRule',
  'NotificationEndpoint',
  'Check',
  'Bucket',
  'Label',
]

function byKindAndName(a: EventResource, b: EventResource): number {
  const kinds = order.indexOf(a.kind) - order.indexOf(b.kind)
  if (kinds !== 0) return kinds
  return compareText(a.templateMetaName, b.templateMetaName)
}

/** RFC 3339 in UTC, with nanoseconds. `ms`: since the epoch. */
function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z')
}
