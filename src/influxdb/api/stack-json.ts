// A template stack as the InfluxDB API shows it.
import { compareText } from '../../lib/text/compare-text.js'
import { resourceTypes } from '../kinds/kinds.js'
import type { TemplateStackView } from '../templates/template-stack.js'

type Event = TemplateStackView['events'][number]
type EventResource = Event['resources'][number]

/** The stack, with the fields of its latest event beside its own. */
export function stackJson({ id, orgID, createdAt, events }: TemplateStackView): object {
  const shownEvents = events.map(eventJson)
  return { id, orgID, createdAt: wireTime(createdAt), events: shownEvents, ...shownEvents.at(-1) }
}

function eventJson({ eventType, name, description, resources, sources, urls, updatedAt }: Event): object {
  const listed = resources.filter(({ kind }) => kindOrder.includes(kind)).toSorted(byKindAndName)
  return {
    eventType,
    name,
    description,
    resources: listed.map(resourceJson),
    sources,
    urls,
    updatedAt: wireTime(updatedAt),
  }
}

function resourceJson({ apiVersion, resourceID, kind, templateMetaName, associations }: EventResource): object {
  const links = { self: `/api/v2/${resourceTypes[kind]}/${resourceID}` }
  return { apiVersion, resourceID, kind, templateMetaName, associations, links }
}

/** The reverse of the order of an export. */
const kindOrder: readonly string[] = [
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
  const kinds = kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind)
  if (kinds !== 0) return kinds
  return compareText(a.templateMetaName, b.templateMetaName)
}

/** RFC 3339 in UTC, with nanoseconds. `ms`: since the epoch. */
function wireTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000000Z')
}
