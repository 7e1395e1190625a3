// The InfluxDB API's form of a resource, made from its state: an entry of a summary, and the two sides of a diff.
import type { Identity } from '../../model/address.js'
import type { Json, JsonObject } from '../../model/json.js'

/** A thing that another one refers to, as far as it is known: declared here, or found on the target. */
export interface Known {
  /** '' where it is not there yet. */
  readonly id: string
  readonly name: string
  /** '' where no package declares it. */
  readonly metaName: string
  readonly kind: string
  readonly held: JsonObject
}

export interface WireContext {
  /** '' where it is not there yet. */
  readonly id: Identity | ''
  readonly orgID: string
  /** What an address or an identity of a family stands for. */
  readonly known: (family: string, which: { readonly metaName: string } | { readonly id: string }) => Known | undefined
}

/** One kind's part of the wire format. `held`: normalised, and with every default where it is declared. Both are pure and never throw. */
export interface Wire<Spec = any> {
  /** The fields of `new` and `old` in a diff. */
  readonly diff: (held: JsonObject, context: WireContext) => JsonObject
  /** What a summary has beside `kind`, `templateMetaName`, `envReferences` and `labelAssociations`. */
  readonly summary: (held: JsonObject, context: WireContext, spec: Spec) => JsonObject
}

/** How a document says who it is: its organisation only, where it is not there yet. */
export function identified({ id, orgID }: WireContext): JsonObject {
  return id === '' ? { orgID } : { id, orgID }
}

/** When a document was made and changed, as far as the target says; else the zero time of Go, as in InfluxDB. */
export function timesOf({ createdAt, updatedAt }: JsonObject): JsonObject {
  return { createdAt: createdAt ?? zeroTime, updatedAt: updatedAt ?? zeroTime }
}

const zeroTime = '0001-01-01T00:00:00Z'

/** A query as the target's own document. */
export function queryDocument(text: Json, editMode: '' | 'advanced'): JsonObject {
  return { text, editMode, name: '', builderConfig }
}

/** What the target's query builder knows of a query that was written by hand. */
const builderConfig = { buckets: [], tags: [], functions: [], aggregateWindow: { period: '', fillValues: false } }

/** The collection of each family in a diff. A summary also lists tasks under `summaryTask`. */
export const collections: Readonly<Record<string, string>> = {
  Bucket: 'buckets',
  Check: 'checks',
  Dashboard: 'dashboards',
  Label: 'labels',
  LabelMapping: 'labelMappings',
  NotificationEndpoint: 'notificationEndpoints',
  NotificationRule: 'notificationRules',
  Task: 'tasks',
  Telegraf: 'telegrafConfigs',
  Variable: 'variables',
}
