// The InfluxDB API's form of a resource, made from its state: an entry of a summary, and the two sides of a diff.
import type { Identity } from '../../model/address.js'
import type { Json, JsonObject } from '../../model/json.js'

/** A resource that another one refers to: declared here, or found on the target. */
export interface KnownResource {
  /** '' if it does not exist yet. */
  readonly id: string
  readonly name: string
  /** '' if no package declares it. */
  readonly metaName: string
  readonly kind: string
  readonly state: JsonObject
}

export interface WireContext {
  /** '' if it does not exist yet. */
  readonly id: Identity | ''
  readonly orgID: string
  /** Finds a resource of a family by its metaName or identity. */
  readonly known: (
    family: string,
    which: { readonly metaName: string } | { readonly id: string },
  ) => KnownResource | undefined
}

/**
 * One kind's form in the InfluxDB API. `state`: a normalized state, complete with defaults for a declared resource.
 * Both functions are pure and never throw.
 */
export interface Wire<Spec = any> {
  /** The fields of `new` and `old` in a diff. */
  readonly diff: (state: JsonObject, context: WireContext) => JsonObject
  /** The fields of a summary beside `kind`, `templateMetaName`, `envReferences` and `labelAssociations`. */
  readonly summary: (state: JsonObject, context: WireContext, spec: Spec) => JsonObject
}

/** The ids of a resource: only the organisation's, if the resource does not exist yet. */
export function wireIds({ id, orgID }: Pick<WireContext, 'id' | 'orgID'>): JsonObject {
  return id === '' ? { orgID } : { id, orgID }
}

/** When a document was made and changed, as far as the target says; else the zero time of Go, as in InfluxDB. */
export function wireTimes({ createdAt, updatedAt }: JsonObject): JsonObject {
  return { createdAt: createdAt ?? zeroTime, updatedAt: updatedAt ?? zeroTime }
}

const zeroTime = '0001-01-01T00:00:00Z'

/** A query in the form of the InfluxDB API. */
export function queryDocument(text: Json, editMode: '' | 'advanced'): JsonObject {
  return { text, editMode, name: '', builderConfig }
}

/** The query builder's data for a query that was written by hand. */
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
