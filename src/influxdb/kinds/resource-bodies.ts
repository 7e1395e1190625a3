// The body of a request of InfluxDB's resource API that creates or replaces a resource, from its state. Pure.
import type { Identity } from '../../model/address.js'
import type { JsonObject } from '../../model/json.js'
import { checkWire } from './check/check-wire.js'
import { described } from './dashboard/dashboard.js'
import { labelWire } from './label/label.js'
import { credentialBody } from './notification-endpoint/credential.js'
import { endpointDocument } from './notification-endpoint/notification-endpoint-wire.js'
import { retentionForm, ruleFields } from './resource-forms.js'
import { taskFlux } from './task/task-flux.js'
import { telegrafWire } from './telegraf.js'
import { variableWire } from './variable/variable.js'
import { wireIds, type WireContext } from './wire.js'

export interface BodyContext {
  readonly orgID: string
  /** Of the resource, if it exists: an endpoint without a credential in its state keeps its own secret. */
  readonly id?: Identity
  /** Of the endpoint that a rule names: `http`, `slack` or `pagerduty`. A rule needs it. */
  readonly endpointType?: string
}

type ResourceBody = (state: JsonObject, context: BodyContext) => JsonObject

/**
 * By family. A state is complete. The same document creates (POST) and replaces (PUT of checks, endpoints, rules and
 * Telegraf configurations) or changes (PATCH of the others): every field is given, empty ones too. A dashboard has no
 * cells: see `dashboardCells`.
 */
export const resourceBodies: Readonly<Record<string, ResourceBody>> = {
  Bucket: bucketBody,
  Check: (state, context) => withoutTimes(checkWire.diff(state, asWire(context))),
  Dashboard: (state, { orgID }) => ({ orgID, ...described(state) }),
  Label: (state, context) => withoutId(labelWire.summary(state, asWire(context), {})),
  NotificationEndpoint: (state, context) => withoutTimes(endpointDocument(state, asWire(context), credentialBody)),
  NotificationRule: ruleBody,
  Task: taskBody,
  Telegraf: (state, context) => ({
    ...withoutId(telegrafWire.diff(state, asWire(context))),
    metadata: state['metadata'] ?? { buckets: [] },
  }),
  Variable: variableBody,
}

function asWire({ id, orgID }: BodyContext): WireContext {
  return { id: id ?? '', orgID, known: () => undefined }
}

/** The target sets them. */
function withoutTimes({ createdAt: _created, updatedAt: _updated, taskID: _task, ...body }: JsonObject): JsonObject {
  return body
}

function withoutId({ id: _id, ...body }: JsonObject): JsonObject {
  return body
}

/**
 * `everySeconds: 0` keeps data forever; no rules would change nothing. The duration of shards is given too, because
 * InfluxDB refuses a retention that is shorter than that of a former one.
 */
function bucketBody(state: JsonObject, { orgID }: BodyContext): JsonObject {
  const { retentionRules, schemaType } = state
  return {
    orgID,
    ...described(state),
    retentionRules: retentionForm(retentionRules),
    ...(schemaType === undefined ? {} : { schemaType }),
  }
}

function variableBody(state: JsonObject, context: BodyContext): JsonObject {
  const { variables: _repeated, ...form } = variableWire.summary(state, asWire(context), {})
  return withoutId(form)
}

function ruleBody(state: JsonObject, { orgID, id, endpointType = '' }: BodyContext): JsonObject {
  const { runbookLink, sleepUntil, limit, limitEvery } = state
  const others = Object.entries({ runbookLink, sleepUntil, limit, limitEvery }).filter((one) => one[1] !== undefined)
  return {
    ...wireIds({ id: id ?? '', orgID }),
    ...ruleFields(state, endpointType),
    ...(Object.fromEntries(others) as JsonObject),
  }
}

/** The Flux has the name. InfluxDB would print the Flux anew for a change of the name beside it. */
function taskBody(state: JsonObject, { orgID }: BodyContext): JsonObject {
  const { description, status } = state
  return { orgID, description: description ?? '', status: status ?? 'active', flux: taskFlux(state) }
}
