import { compareText } from '../../../lib/text/compare-text.js'
import type { Document } from '../../../model/resources/document.js'
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import type { Kind } from '../../../model/resources/kind.js'
import { quoted } from '../../../lib/text/printable.js'
import { asInteger } from '../../../model/scalar.js'
import { readAssociations, type Labelled } from '../label/associations.js'
import { bucketLosses } from './bucket-losses.js'
import { apiVersions, decodeDocument, readDisplayName, cachedDecode, type Referring } from '../envelope.js'
import type { Fields } from '../fields/fields.js'
import { stateName, exportedFields } from '../state.js'
import { labelMappings } from '../label/label-mapping.js'
import { encodeSchemas, readSchema, type MeasurementSchema } from './measurement-schemas.js'
import { isWholeSeconds, parseDuration } from '../fields/duration.js'
import { largest } from '../fields/number-limits.js'

export interface BucketSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  /** 0: forever. */
  readonly retentionSeconds: number
  readonly schemaType?: string
  readonly measurementSchemas?: readonly MeasurementSchema[]
}

const leastRetentionSeconds = 3600
/** InfluxDB makes these itself in each organisation. */
export const systemBuckets = ['_monitoring', '_tasks']
const schemaTypes = ['implicit', 'explicit']

/**
 * State: `{name, description, retentionRules: [{type: 'expire', everySeconds}], schemaType?, measurementSchemas?}`.
 * `retentionRules` is empty when data is kept forever. Removing a bucket, shortening its retention and shrinking a
 * schema lose data. Declaring a system bucket has no effect: its state is only its name, and it is never removed.
 */
export function bucketKind(): Kind<BucketSpec> {
  return {
    kind: 'Bucket',
    apiVersions,
    family: 'Bucket',
    decode: cachedDecode((document) =>
      decodeDocument(document, (spec) => readBucket(spec, document), readAssociations),
    ),
    references: () => [],
    removal: { losesData: true, belongsToTarget: isSystemBucket, losses: bucketLosses },
    parts: { documents: ({ associations }, document) => labelMappings('Bucket', associations, document) },
    encode: encodeBucket,
    normalise: normaliseBucket,
    matching: { key: stateName },
    displayName: stateName,
    authored: {
      declare: ({ name, description, retentionRules, schemaType, measurementSchemas }) =>
        exportedFields({ name, description, retentionRules, schemaType, measurementSchemas }),
    },
    inputs: { envReferences: ({ envReferences }) => envReferences },
  }
}

function readBucket(spec: Fields, document: Document): Omit<BucketSpec, 'associations' | 'envReferences'> {
  const name = readDisplayName(spec, document, 2)
  checkName(spec, name)
  const description = spec.text('description') ?? ''
  const retentionSeconds = readRetention(spec)
  const schemaType = readSchemaType(spec)
  const schemas = spec.each('measurementSchemas').map(readSchema)
  if (systemBuckets.includes(name)) warnOfFields(spec, name)
  return {
    name,
    description,
    retentionSeconds,
    ...(schemaType === undefined ? {} : { schemaType }),
    ...(schemas.length === 0 ? {} : { measurementSchemas: schemas }),
  }
}

/** Warns of each field of a system bucket, whose state is only its name. */
function warnOfFields(spec: Fields, name: string): void {
  for (const field of ['description', 'retentionRules', 'schemaType', 'measurementSchemas'])
    if (spec.raw(field) !== undefined)
      spec.warning(
        field,
        'no-effect',
        `${field} has no effect, because no sync changes the system bucket ${name}`,
        'Remove the field. The command `influx bucket update` can change the bucket itself.',
      )
}

/** Rejects names that InfluxDB rejects during an apply: a leading `_`, or a `"` anywhere. */
function checkName(spec: Fields, name: string): void {
  if (name.startsWith('_') && !systemBuckets.includes(name))
    spec.error('name', 'not-allowed', `the bucket name ${quoted(name)} begins with _, like those of system buckets`)
  else if (name.includes('"'))
    spec.error('name', 'not-allowed', `the bucket name ${quoted(name)} contains a double quote`)
}

/** All rules are checked; only the first takes effect. */
function readRetention(spec: Fields): number {
  const rules = spec.each('retentionRules').map(readRule)
  if (rules.length > 1) spec.warning('retentionRules', 'no-effect', 'only the first retention rule takes effect')
  return rules[0] ?? 0
}

function readRule(rule: Fields): number {
  const type = rule.text('type')
  if (type !== 'expire')
    rule.error(
      'type',
      'not-allowed',
      `the type of the retention rule is ${type === undefined ? 'absent' : quoted(type)}`,
      'Write `type: expire`.',
    )
  const everySeconds = readEverySeconds(rule)
  rule.warnUnknown()
  return everySeconds
}

/** 0 if the value is not a number. */
function readEverySeconds(rule: Fields): number {
  const written = rule.raw('everySeconds')
  if (written !== undefined && asInteger(written) === undefined) {
    const shown = typeof written === 'string' ? `${quoted(written)} ` : ''
    rule.error('everySeconds', 'wrong-type', `everySeconds ${shown}is not a number of seconds`, secondsHint(written))
    return 0
  }
  const everySeconds = rule.integer('everySeconds', largest.seconds) ?? 0
  if (everySeconds < leastRetentionSeconds) {
    const hint = `At least ${leastRetentionSeconds}; without retentionRules the bucket keeps its data forever.`
    rule.error('everySeconds', 'too-small', `the retention of ${everySeconds} seconds is too short`, hint)
  }
  return everySeconds
}

/** Names the number that a duration such as `1h` is. */
function secondsHint(written: Json): string {
  const duration = typeof written === 'string' ? (parseDuration(written) ?? 0n) : 0n
  const seconds = isWholeSeconds(duration) ? duration / 1_000_000_000n : 0n
  return seconds >= leastRetentionSeconds ? `Write ${seconds}.` : 'Write a number of seconds, such as 3600 for 1h.'
}

function readSchemaType(spec: Fields): string | undefined {
  const schemaType = spec.text('schemaType')
  if (schemaType === undefined || schemaTypes.includes(schemaType)) return schemaType
  spec.error(
    'schemaType',
    'not-allowed',
    `the schemaType ${quoted(schemaType)} is not one of ${schemaTypes.join(', ')}`,
  )
  return undefined
}

/** Without spread, which takes most of the time: a plan of many buckets encodes each three times. */
function encodeBucket({ name, description, retentionSeconds, schemaType, measurementSchemas }: BucketSpec): JsonObject {
  const retentionRules = retentionSeconds === 0 ? [] : [{ type: 'expire', everySeconds: retentionSeconds }]
  const state: Record<string, Json> = { name, description, retentionRules }
  if (schemaType !== undefined) state['schemaType'] = schemaType
  if (measurementSchemas !== undefined) state['measurementSchemas'] = encodeSchemas(measurementSchemas)
  return state
}

/** True for a bucket that InfluxDB makes itself in each organisation. */
export function isSystemBucket({ name }: JsonObject): boolean {
  return typeof name === 'string' && systemBuckets.includes(name)
}

function normaliseBucket(state: JsonObject): JsonObject {
  if (isSystemBucket(state)) return { name: state['name']! }
  const { retentionRules, measurementSchemas } = state
  const normal: Record<string, Json> = { ...state }
  if (Array.isArray(retentionRules)) normal['retentionRules'] = normaliseRules(retentionRules)
  if (Array.isArray(measurementSchemas)) normal['measurementSchemas'] = byName(measurementSchemas).map(normaliseSchema)
  return normal
}

/** A rule of 0 seconds keeps data forever, as no rule does. The target adds fields of its own to a rule. */
function normaliseRules(rules: readonly Json[]): readonly Json[] {
  const [first] = rules
  if (first === undefined) return []
  if (!isObject(first)) return [first]
  const { type, everySeconds } = first
  return everySeconds === 0 ? [] : [{ type: type ?? null, everySeconds: everySeconds ?? null }]
}

function normaliseSchema(schema: Json): Json {
  return isObject(schema) && Array.isArray(schema['columns'])
    ? { ...schema, columns: byName(schema['columns']) }
    : schema
}

function byName(list: readonly Json[]): readonly Json[] {
  const entryName = (entry: Json): string => (isObject(entry) && stateName(entry)) || ''
  return [...list].sort((a, b) => compareText(entryName(a), entryName(b)))
}
