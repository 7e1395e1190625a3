// The state of each family, from its form in InfluxDB's resource API: the inverse of `resourceForms`. Never throws.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { asText } from '../../model/scalar.js'
import { thresholdsOfForm } from './check/thresholds.js'
import { listEntries } from './dashboard/chart-field.js'
import { credentialOfForm } from './notification-endpoint/credential.js'
import { taskQuery } from './task/task-flux.js'
import { valuesOfForm } from './variable/variable-values.js'

export interface ResourceState {
  readonly state: JsonObject
  /** What only the target sets: times, the task of a check, the end of its last run. No secrets. */
  readonly readOnly: JsonObject
  /** Fields of an endpoint whose secret is its own: nobody can read their values, so `state` lacks them. */
  readonly ownSecrets: readonly string[]
}

type StateOfForm = (form: JsonObject) => ResourceState

/**
 * By family. A form is what InfluxDB answers, or gitmoor itself. InfluxDB omits empty fields of some families: absent
 * ones have their defaults. Values of the wrong type stay. A dashboard has no charts: see `chartFromView`.
 */
export const resourceStates: Readonly<Record<string, StateOfForm>> = {
  Bucket: (form) => withReadOnly(form, bucketState(form)),
  Check: (form) => withReadOnly(form, checkState(form)),
  Dashboard: (form) => withReadOnly(isObject(form['meta']) ? form['meta'] : {}, described(form)),
  Label: (form) => withReadOnly({}, labelState(form)),
  NotificationEndpoint: endpointState,
  NotificationRule: (form) => withReadOnly(form, ruleState(form)),
  Task: (form) => withReadOnly(form, taskState(form)),
  Telegraf: (form) => withReadOnly({}, telegrafState(form)),
  Variable: (form) => withReadOnly(form, variableState(form)),
}

const readOnlyFields = [
  'createdAt',
  'updatedAt',
  'taskID',
  'lastRunStatus',
  'lastRunError',
  'latestCompleted',
  'latestScheduled',
  'latestSuccess',
  'latestFailure',
]

function withReadOnly(from: JsonObject, state: JsonObject): ResourceState {
  return { state, readOnly: kept(from, readOnlyFields), ownSecrets: [] }
}

/** Fields that no package declares. An update that replaces the resource gives them back. */
function kept(form: JsonObject, fields: readonly string[]): JsonObject {
  const found = fields.filter((field) => form[field] !== undefined && form[field] !== null && form[field] !== '')
  return Object.fromEntries(found.map((field) => [field, form[field]!]))
}

function described({ name, description }: JsonObject): JsonObject {
  return { name: name ?? '', description: description ?? '' }
}

function texts(form: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, form[field] ?? '']))
}

/**
 * Without a schema type a bucket is implicit: InfluxDB OSS stores none, also of a request for `explicit`. Measurement
 * schemas have their own resources in InfluxDB's API: its reader may add them to the form.
 */
function bucketState(form: JsonObject): JsonObject {
  return {
    ...described(form),
    retentionRules: form['retentionRules'] ?? [],
    schemaType: form['schemaType'] ?? 'implicit',
    ...kept(form, ['measurementSchemas']),
  }
}

/** The buckets of a configuration are metadata that no package declares. */
function telegrafState(form: JsonObject): JsonObject {
  const { config, metadata } = form
  const buckets = isObject(metadata) ? listEntries(metadata['buckets']) : []
  return { ...described(form), config: config ?? '', ...(buckets.length === 0 ? {} : { metadata: metadata! }) }
}

function labelState({ name, properties }: JsonObject): JsonObject {
  const { color, description } = isObject(properties) ? properties : {}
  return { name: name ?? '', color: color ?? '', description: description ?? '' }
}

function variableState(form: JsonObject): JsonObject {
  const { type, values } = isObject(form['arguments']) ? form['arguments'] : {}
  const given = valuesOfForm(type ?? '', values ?? [])
  return { ...described(form), type: type ?? '', ...given, selected: form['selected'] ?? [] }
}

function checkState(form: JsonObject): JsonObject {
  const { query, type, tags, thresholds, reportZero } = form
  const own =
    type === 'deadman'
      ? { ...texts(form, ['level']), ...spans(form, ['timeSince', 'staleTime']), reportZero: reportZero ?? false }
      : { thresholds: thresholdsOfForm(thresholds) }
  return {
    type: type ?? '',
    ...described(form),
    ...spans(form, ['every', 'offset']),
    query: isObject(query) ? (query['text'] ?? '') : (query ?? ''),
    ...texts(form, ['statusMessageTemplate', 'status']),
    tags: tags ?? [],
    ...own,
  }
}

/** InfluxDB omits durations that nobody gave. */
function spans(form: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, form[field] ?? '0s']))
}

function endpointState(form: JsonObject): ResourceState {
  const { type } = form
  const shown = ['username', 'password', 'token', 'routingKey'].map(
    (field) => [field, credentialOfForm(form, field)] as const,
  )
  const own = shown.filter(([, credential]) => credential === 'own').map(([field]) => field)
  const http =
    type === 'http' ? { ...texts(form, ['method', 'authMethod']), ...kept(form, ['contentTemplate', 'headers']) } : {}
  const state = {
    type: type ?? '',
    ...described(form),
    url: (type === 'pagerduty' ? form['clientURL'] : form['url']) ?? '',
    status: form['status'] ?? '',
    ...Object.fromEntries(shown.filter((one): one is [string, Exclude<(typeof one)[1], 'own'>] => one[1] !== 'own')),
    ...http,
  }
  return { ...withReadOnly(form, state), ownSecrets: own }
}

/** InfluxDB keeps a channel for Slack only, and a message for all types but http. */
function ruleState(form: JsonObject): JsonObject {
  const { statusRules, tagRules } = form
  return {
    ...described(form),
    ...texts(form, ['channel', 'endpointID', 'messageTemplate', 'status']),
    ...spans(form, ['every', 'offset']),
    statusRules: Array.isArray(statusRules) ? (statusRules as readonly Json[]).map(statusRule) : (statusRules ?? []),
    tagRules: tagRules ?? [],
    ...kept(form, ['runbookLink', 'sleepUntil', 'limit', 'limitEvery']),
  }
}

/** No previous level is null, or UNKNOWN where a client wrote ''. */
function statusRule(rule: Json): Json {
  if (!isObject(rule)) return rule
  const { previousLevel } = rule
  return { ...rule, previousLevel: previousLevel === 'UNKNOWN' ? '' : (previousLevel ?? '') }
}

function taskState(form: JsonObject): JsonObject {
  const flux = form['flux'] ?? ''
  return {
    ...described(form),
    ...texts(form, ['cron', 'every', 'offset', 'status']),
    query: asText(flux) === undefined ? flux : taskQuery(asText(flux)!),
  }
}
