// Each family's form in InfluxDB's resource API (`/api/v2/buckets` and others), made from its state. Pure.
import { createHash } from 'node:crypto'
import type { Identity } from '../../model/address.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { asInteger, asText } from '../../model/scalar.js'
import { systemBuckets } from './bucket/bucket.js'
import { checkWire } from './check/check-wire.js'
import { chartView } from './dashboard/chart.js'
import { listEntries, mapEntries } from './dashboard/chart-field.js'
import { described } from './dashboard/dashboard.js'
import { labelWire } from './label/label.js'
import { notificationEndpointWire } from './notification-endpoint/notification-endpoint-wire.js'
import { commonFields } from './notification-rule/notification-rule-wire.js'
import { taskFlux, taskSchedule } from './task/task-flux.js'
import { telegrafWire } from './telegraf.js'
import { variableWire } from './variable/variable.js'
import { wireIds, wireTimes, type WireContext } from './wire.js'

/** `id`: of the resource; `endpointType`: of an endpoint by its id, '' if it is gone. */
export interface ResourceContext extends Pick<WireContext, 'orgID'> {
  readonly id: Identity
  readonly orgName: string
  readonly endpointType: (id: Json) => Json
}

/** `state`: as the target has it, with its times. */
type ResourceForm = (state: JsonObject, context: ResourceContext) => JsonObject

/** Without labels and links; of a dashboard also without its cells: see `dashboardCells`. */
export const resourceForms: Readonly<Record<string, ResourceForm>> = {
  Bucket: bucketForm,
  Check: (state, context) => checkWire.diff(state, asWire(context)),
  Dashboard: dashboardForm,
  Label: (state, context) => labelWire.summary(state, asWire(context), {}),
  NotificationEndpoint: (state, context) => notificationEndpointWire.diff(state, asWire(context)),
  NotificationRule: ruleForm,
  Task: taskForm,
  Telegraf: (state, context) => ({
    ...telegrafWire.diff(state, asWire(context)),
    metadata: state['metadata'] ?? { buckets: [] },
  }),
  Variable: variableForm,
}

/** None of these forms names another resource. */
function asWire({ id, orgID }: ResourceContext): WireContext {
  return { id, orgID, known: () => undefined }
}

function bucketForm(state: JsonObject, context: ResourceContext): JsonObject {
  const { name, retentionRules, schemaType } = state
  return {
    ...wireIds(context),
    type: typeof name === 'string' && systemBuckets.includes(name) ? 'system' : 'user',
    ...described(state),
    retentionRules: retentionForm(retentionRules),
    ...(schemaType === undefined ? {} : { schemaType }),
    ...wireTimes(state),
  }
}

const hour = 3_600
const day = 24 * hour

/** InfluxDB lists one rule also for a bucket that keeps its data forever. */
export function retentionForm(rules: Json | undefined): readonly JsonObject[] {
  const [first] = Array.isArray(rules) ? (rules as readonly Json[]) : []
  const { everySeconds: every, shardGroupDurationSeconds: shard } = isObject(first) ? first : {}
  const everySeconds = asInteger(every) ?? 0
  return [{ type: 'expire', everySeconds, shardGroupDurationSeconds: asInteger(shard) || shardSeconds(everySeconds) }]
}

/** What InfluxDB chooses for a retention. */
function shardSeconds(everySeconds: number): number {
  if (everySeconds > 0 && everySeconds < 2 * day) return hour
  return everySeconds > 0 && everySeconds <= 180 * day ? day : 7 * day
}

function variableForm(state: JsonObject, context: ResourceContext): JsonObject {
  const { variables: _repeated, ...form } = variableWire.summary(state, asWire(context), {})
  return { ...form, ...wireTimes(state) }
}

function ruleForm(state: JsonObject, context: ResourceContext): JsonObject {
  const { endpointID, taskID } = state
  const type = context.endpointType(endpointID ?? '')
  return {
    ...wireIds(context),
    ...ruleFields(state, type),
    ...wireTimes(state),
    ...(taskID === undefined ? {} : { taskID }),
  }
}

/** A rule has the type of its endpoint; '' if the endpoint is gone. Only rules of Slack have a channel. */
export function ruleFields(state: JsonObject, type: Json): JsonObject {
  const { endpointID, status, channel, statusRules } = state
  return {
    ...commonFields(state),
    statusRules: mapEntries(statusRules, statusRuleForm) ?? [],
    endpointID: endpointID ?? '',
    type,
    ...(type === 'slack' ? { channel: channel ?? '' } : {}),
    status: status ?? '',
  }
}

/** InfluxDB stores an empty previous level as UNKNOWN, and null as none. */
function statusRuleForm(rule: Json): Json {
  return isObject(rule) && rule['previousLevel'] === '' ? { ...rule, previousLevel: null } : rule
}

/** A task's Flux has its schedule as an option. Its offset has no units of zero, its times have whole seconds. */
function taskForm(state: JsonObject, context: ResourceContext): JsonObject {
  const { offset = '', ...period } = taskSchedule(state)
  const { createdAt, updatedAt } = wireTimes(state)
  return {
    ...wireIds(context),
    org: context.orgName,
    ...described(state),
    status: state['status'] ?? 'active',
    flux: taskFlux(state),
    ...period,
    ...(offset === '' ? {} : { offset: offset.replaceAll(/(?<=[a-z])0[a-z]+/g, '') }),
    createdAt: inSeconds(createdAt!),
    updatedAt: inSeconds(updatedAt!),
  }
}

function inSeconds(time: Json): Json {
  return typeof time === 'string' ? time.replace(/\.\d+Z$/, 'Z') : time
}

function dashboardForm(state: JsonObject, context: ResourceContext): JsonObject {
  return { ...wireIds(context), ...described(state), meta: wireTimes(state) }
}

export interface DashboardCell {
  /** That of the chart, or else of its place in the dashboard. */
  readonly id: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  readonly name: string
  readonly properties: JsonObject
}

/** The cells of a dashboard, in the order of its charts. */
export function dashboardCells({ charts }: JsonObject, dashboard: string): readonly DashboardCell[] {
  const given = new Set(listEntries(charts).flatMap((chart) => cellId(chart) ?? []))
  return listEntries(charts).map((chart, at) => {
    const { xPos, yPos, height, width, name } = isObject(chart) ? chart : {}
    const [x, y, h, w] = [xPos, yPos, height, width].map((value) => asInteger(value) ?? 0)
    const id = cellId(chart) ?? freeId(`${dashboard}/cells/${at}`, given)
    return { id, x: x!, y: y!, w: w!, h: h!, name: asText(name) ?? '', properties: chartView(chart) }
  })
}

function cellId(chart: Json): string | undefined {
  const id = isObject(chart) ? chart['id'] : undefined
  return typeof id === 'string' && /^[0-9a-f]{16}$/.test(id) ? id : undefined
}

function freeId(place: string, taken: ReadonlySet<string>): string {
  const id = createHash('sha256').update(place).digest('hex').slice(0, 16)
  return taken.has(id) ? freeId(`${place}/again`, taken) : id
}
