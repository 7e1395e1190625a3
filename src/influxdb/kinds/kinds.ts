// influxdb/kinds: the meaning of the documents of an InfluxDB package. Takes documents; gives specs and states. Pure.
// Promises: all errors of a document at once, each at its own field; decoding, encoding and normalising never throw.
import type { Kind } from '../../model/resources/kind.js'
import { bucketWire } from './bucket/bucket-wire.js'
import { bucketKind } from './bucket/bucket.js'
import { checkDeadmanKind } from './check/check-deadman.js'
import { checkThresholdKind } from './check/check-threshold.js'
import { checkWire } from './check/check-wire.js'
import { dashboardKind, dashboardWire } from './dashboard/dashboard.js'
import { labelMappingKind } from './label/label-mapping.js'
import { labelKind, labelWire } from './label/label.js'
import { noContext, type KindContext } from './kind-context.js'
import { kindRank } from './known-kinds.js'
import { notificationEndpointHttpKind } from './notification-endpoint/notification-endpoint-http.js'
import { notificationEndpointPagerDutyKind } from './notification-endpoint/notification-endpoint-pager-duty.js'
import { notificationEndpointSlackKind } from './notification-endpoint/notification-endpoint-slack.js'
import { notificationEndpointWire } from './notification-endpoint/notification-endpoint-wire.js'
import { notificationRuleWire } from './notification-rule/notification-rule-wire.js'
import { notificationRuleKind } from './notification-rule/notification-rule.js'
import { secretKind } from './secret.js'
import { taskKind, taskWire } from './task/task.js'
import { telegrafKind, telegrafWire } from './telegraf.js'
import { variableKind, variableWire } from './variable/variable.js'
import type { Wire } from './wire.js'
import type { JsonObject } from '../../model/json.js'

export { explainInfluxdbKind, familyOfKind, packageKinds } from './known-kinds.js'
export { FluxError, noFlux, type FluxFacts, type FluxPort } from './flux/flux.js'
export { isSystemBucket, type BucketSpec } from './bucket/bucket.js'
export { endpointOfKey, ownCredentialKeys } from './notification-endpoint/credential.js'
export { isOutcome } from './health.js'
export { packageSchema } from './package-schema.js'
export { resourceTypes } from './label/label-mapping.js'
export { listEntries } from './dashboard/chart-field.js'
export { taskOption } from './task/task-flux.js'
export { chartFromView, type CellForm } from './dashboard/chart-from-view.js'
export { resourceBodies, type BodyContext } from './resource-bodies.js'
export { dashboardCells, resourceForms, type DashboardCell } from './resource-forms.js'
export { resourceStates, type ResourceState } from './resource-states.js'
export { collections, type KnownResource, type Wire, type WireContext } from './wire.js'
export { secretDocument } from './secret.js'
export { noContext, type KindContext }

/** The kinds, with a parser of Flux and a key. */
export function influxdbKindsWith(means: KindContext): readonly Kind[] {
  const kinds = [
    labelKind(),
    bucketKind(),
    checkDeadmanKind(means),
    checkThresholdKind(means),
    dashboardKind(means),
    notificationEndpointHttpKind(means),
    notificationEndpointPagerDutyKind(means),
    notificationEndpointSlackKind(means),
    notificationRuleKind(means),
    taskKind(means),
    telegrafKind(),
    variableKind(),
    labelMappingKind(),
    secretKind(),
  ]
  return kinds.map(withOrder)
}

/** Its place in an apply and in an export. */
function withOrder(kind: Kind): Kind {
  const { authored, family } = kind
  return {
    ...kind,
    grouping: { group: groups[family] ?? 2 },
    ...(authored === undefined ? {} : { authored: { ...authored, rank: kindRank(kind.kind) } }),
  }
}

/** The order of groups in an apply: secrets, labels, all other kinds (2), rules, label mappings. */
const groups: Readonly<Record<string, number>> = { Secret: 0, Label: 1, NotificationRule: 3, LabelMapping: 4 }

/** The kinds without a parser of Flux and without a key. */
export const influxdbKinds: readonly Kind[] = influxdbKindsWith(noContext)

/** Each kind's form in the InfluxDB API. */
export const wires: Readonly<Record<string, Wire>> = {
  Bucket: bucketWire,
  CheckDeadman: checkWire,
  CheckThreshold: checkWire,
  Dashboard: dashboardWire,
  Label: labelWire,
  NotificationEndpointHTTP: notificationEndpointWire,
  NotificationEndpointPagerDuty: notificationEndpointWire,
  NotificationEndpointSlack: notificationEndpointWire,
  NotificationRule: notificationRuleWire,
  Task: taskWire,
  Telegraf: telegrafWire,
  Variable: variableWire,
}

/** Finds the kind of a document. undefined: unknown kind; 'version': unknown apiVersion. See `explainInfluxdbKind`. */
export function kindAmong(kinds: readonly Kind[]): (kind: string, apiVersion: string) => Kind | undefined | 'version' {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]))
  return (kind, apiVersion) => {
    const named = byName.get(kind)
    return named === undefined || named.apiVersions.includes(apiVersion) ? named : 'version'
  }
}

/** Finds the kind of a document among those without a parser and a key. */
export const influxdbKind = kindAmong(influxdbKinds)

/** The fields of a target's resource that are read here. */
interface FoundResource {
  readonly family: string
  readonly identity: string
  readonly state: JsonObject
}

/**
 * By `family/identity`, the resources that the target made itself and nobody declares: system buckets, and the tasks
 * that run checks and rules.
 */
export function systemResources(all: readonly FoundResource[]): ReadonlySet<string> {
  const buckets = all.filter(
    ({ family, state: { name } }) => family === 'Bucket' && typeof name === 'string' && name.startsWith('_'),
  )
  const owners = all.filter(({ family }) => family === 'Check' || family === 'NotificationRule')
  const tasks = owners.flatMap(({ state: { taskID } }) => (typeof taskID === 'string' ? [`Task/${taskID}`] : []))
  return new Set([...buckets.map(({ family, identity }) => `${family}/${identity}`), ...tasks])
}
