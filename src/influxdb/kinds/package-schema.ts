// The JSON Schema of a package file, for editors. The fields of charts come from the table of chart kinds; a test
// compares the others with those that the kinds read.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { chartKinds, type ChartKind } from './dashboard/chart-kinds.js'
import { apiVersions } from './envelope.js'

const text = { type: ['string', 'number', 'null'] }
const number = { type: ['number', 'null'] }
const flag = { type: ['boolean', 'null'] }
const duration = { type: ['string', 'null'], description: 'A duration of Flux, such as 1h30m.' }
const envRef = map({ envRef: map({ key: text, default: text }, ['key']) }, ['envRef'])
const secretRef = map({ secretRef: map({ key: text }, ['key']) }, ['secretRef'])
const name = { anyOf: [text, envRef] }
const credential = { anyOf: [text, envRef, secretRef] }
const level = words('CRIT', 'WARN', 'INFO', 'OK', 'ANY', 'UNKNOWN')
const status = words('active', 'inactive')
const params = list(map({ key: text, default: {}, type: words('bool', 'duration', 'float', 'int', 'string', 'time') }))

const named = { name, description: text }
const labels = { associations: list(map({ kind: words('Label'), name }, ['kind', 'name'])) }
const check = {
  ...named,
  every: duration,
  offset: duration,
  query: text,
  statusMessageTemplate: text,
  status,
  tags: list(map({ key: text, value: text })),
  ...labels,
}
const endpoint = { ...named, url: text, status, ...labels }

/** The fields of `spec`, by kind. */
const specs: Readonly<Record<string, () => JsonObject>> = {
  Bucket: () => ({
    ...named,
    retentionRules: list(map({ type: words('expire'), everySeconds: number })),
    schemaType: words('implicit', 'explicit'),
    measurementSchemas: list(
      map({
        name: text,
        columns: list(
          map({
            name: text,
            type: words('timestamp', 'tag', 'field'),
            dataType: words('float', 'integer', 'unsigned', 'string', 'boolean'),
          }),
        ),
      }),
    ),
    ...labels,
  }),
  CheckDeadman: () => ({ ...check, level, timeSince: duration, staleTime: duration, reportZero: flag }),
  CheckThreshold: () => ({
    ...check,
    thresholds: list(
      map({
        type: words('greater', 'lesser', 'inside_range', 'outside_range'),
        level,
        value: number,
        min: number,
        max: number,
        allValues: flag,
      }),
    ),
  }),
  Dashboard: () => ({ ...named, charts: list({ anyOf: [...chartKinds].map(chartSchema) }), ...labels }),
  Label: () => ({ ...named, color: text }),
  NotificationEndpointHTTP: () => ({
    ...endpoint,
    method: words('GET', 'POST', 'PUT'),
    type: words('none', 'basic', 'bearer'),
    username: credential,
    password: credential,
    token: credential,
  }),
  NotificationEndpointPagerDuty: () => ({ ...endpoint, routingKey: credential }),
  NotificationEndpointSlack: () => ({ ...endpoint, token: credential }),
  NotificationRule: () => ({
    ...named,
    endpointName: name,
    channel: text,
    every: duration,
    offset: duration,
    messageTemplate: text,
    status,
    statusRules: list(map({ currentLevel: level, previousLevel: level })),
    tagRules: list(
      map({ key: text, value: text, operator: words('equal', 'notequal', 'equalregex', 'notequalregex') }),
    ),
    ...labels,
  }),
  Task: () => ({
    ...named,
    every: duration,
    cron: text,
    offset: duration,
    query: text,
    status,
    params,
    task: params,
    ...labels,
  }),
  Telegraf: () => ({ ...named, config: text, ...labels }),
  Variable: () => ({
    ...named,
    type: words('constant', 'map', 'query'),
    values: { type: ['array', 'object', 'null'] },
    query: text,
    language: words('flux', 'influxql'),
    selected: list(name),
    ...labels,
  }),
}

/** The schema of a document, by kind, and of a JSON file with a list of them. */
export function packageSchema(): JsonObject {
  const documents = Object.entries(specs).map(([kind, fields]) =>
    map(
      {
        apiVersion: { enum: [...apiVersions] },
        kind: { const: kind },
        metadata: map({ name }, ['name']),
        spec: { anyOf: [map(fields()), { type: 'null' }] },
      },
      ['apiVersion', 'kind', 'metadata'],
    ),
  )
  const document = { anyOf: documents }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'InfluxDB package of gitmoor',
    anyOf: [...documents, { type: 'array', items: document }],
  }
}

function chartSchema([kind, { shape }]: readonly [string, ChartKind]): JsonObject {
  const fields = Object.entries(shape).map(([key, field]) => [
    key,
    chartFields[key] ?? typeOf(field.normalise(undefined)),
  ])
  const title = kind.replaceAll(/(?:^|_)[a-z]/g, (start) => start.toUpperCase())
  return map({ kind: anyCase(kind, title), ...(Object.fromEntries(fields) as JsonObject) }, ['kind'])
}

/** One of the spellings, which an editor offers, or another letter case. */
function anyCase(...spellings: readonly [string, ...string[]]): JsonObject {
  const pattern = spellings[0].replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
  return { anyOf: [{ enum: [...spellings] }, { type: 'string', pattern: `^${pattern}$` }] }
}

/** Fields whose declaration differs from their state. */
const chartFields: Readonly<Record<string, JsonObject>> = {
  axes: list(
    map({ name: text, base: text, label: text, prefix: text, suffix: text, scale: text, domain: list(number) }, [
      'name',
    ]),
  ),
  queries: list(map({ query: text, params })),
  colors: list(map({ id: text, name: text, type: text, hex: text, value: number })),
  decimalPlaces: number,
}

/** The schema of values with this default. */
function typeOf(standard: Json): JsonObject {
  if (typeof standard === 'string') return text
  if (typeof standard === 'number') return number
  if (typeof standard === 'boolean') return flag
  if (Array.isArray(standard)) return list({})
  if (!isObject(standard)) return {}
  return map(Object.fromEntries(Object.entries(standard).map(([key, value]) => [key, typeOf(value)])))
}

function map(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required: [...required] }),
    additionalProperties: false,
  }
}

function list(items: JsonObject): JsonObject {
  return { anyOf: [{ type: 'array', items }, { type: 'null' }] }
}

/** Some kinds accept these words in any letter case, so other texts are not errors. */
function words(...choices: readonly string[]): JsonObject {
  return { anyOf: [{ enum: [...choices] }, text] }
}
