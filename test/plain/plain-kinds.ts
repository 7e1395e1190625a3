// Kinds of a platform that only tests have. Each facet of a kind has one that uses it. They have names that the
// embedded platform has, too, so a scenario can run on both; a spec is any map, and a state is the spec with defaults.
import { addressOf, type Address, type Identity } from '../../src/model/address.js'
import type { Document, EnvReference } from '../../src/model/resources/document.js'
import { isObject, Secret, type Json, type JsonObject } from '../../src/model/json.js'
import { partApiVersion, type Kind, type KindFacets } from '../../src/model/resources/kind.js'
import { problemAt, type Problem } from '../../src/model/problem.js'
import { compareText } from '../../src/lib/text/compare-text.js'

export const plainVersion = 'plain/v1'

interface PlainSpec {
  readonly state: JsonObject
  /** Names of labels. */
  readonly labels: readonly string[]
  /** Keys of the secret store. */
  readonly secrets: readonly string[]
  readonly envReferences: readonly EnvReference[]
}

interface Shape extends KindFacets<PlainSpec> {
  readonly family?: string
  readonly defaults?: JsonObject
  readonly group?: number
  /** A field with the metaName of a resource of another family. */
  readonly refersTo?: { readonly field: string; readonly stored: string; readonly family: string }
  readonly required?: readonly string[]
}

const described = { description: '' }
const name = ({ name: own }: JsonObject): string | undefined => (typeof own === 'string' ? own : undefined)
const lowerName = (state: JsonObject): string | undefined => name(state)?.trim().toLowerCase()

/** `label mapping`: of a resource to a label; removing either removes it. */
export const plainKinds: readonly Kind[] = [
  plainKind('Label', { defaults: { color: '', ...described }, group: 1, matching: { key: lowerName } }),
  plainKind('Bucket', {
    defaults: { ...described, retentionRules: [] },
    matching: { key: name },
    removal: { losesData: true, losses: shorterRetention, belongsToTarget: (actual) => isSystems(actual) },
  }),
  check('CheckDeadman', 'deadman'),
  check('CheckThreshold', 'threshold'),
  plainKind('Dashboard', { defaults: { ...described, charts: [] }, comparison: { anyOrder: ['charts'] } }),
  plainKind('Task', { defaults: { ...described, status: 'active' }, required: ['query'] }),
  plainKind('NotificationEndpointSlack', {
    family: 'NotificationEndpoint',
    defaults: { type: 'slack', ...described, token: null },
    matching: { key: name },
    secrets: { conceal, recognise: recogniseOwn },
  }),
  plainKind('NotificationRule', {
    defaults: described,
    group: 3,
    refersTo: { field: 'endpointName', stored: 'endpointID', family: 'NotificationEndpoint' },
  }),
  {
    ...part('LabelMapping', ['resourceType', 'resourceID', 'labelID']),
    references: ({ resource, label }) => [{ to: resource as Address }, { to: label as Address }],
    encode: ({ resourceType, resource, label }, resolve) => ({
      resourceType,
      resourceID: resolve({ to: resource as Address }),
      labelID: resolve({ to: label as Address }),
    }),
    matching: { key: mappingKey },
    grouping: { group: 4 },
  },
  {
    ...part('Secret', ['key', 'value']),
    references: () => [],
    encode: ({ key, value }) => ({ key, value }),
    displayName: ({ key }) => (typeof key === 'string' ? key : undefined),
    matching: { key: ({ key }) => (typeof key === 'string' ? key : undefined) },
    removal: { onRemove: 'untrack', losesData: true },
    grouping: { group: 0 },
  },
]

/** Resources that the target made itself. */
export function isSystems(actual: JsonObject): boolean {
  return name(actual)?.startsWith('_') === true
}

export function plainKindNamed(kind: string, apiVersion: string): Kind | undefined | 'version' {
  const named = plainKinds.find((one) => one.kind === kind)
  return named === undefined || named.apiVersions.includes(apiVersion) ? named : 'version'
}

/** Two of one package may share a name. */
function check(kind: string, type: string): Kind<PlainSpec> {
  const matching = { key: name, sharesNames: true } as const
  return plainKind(kind, { family: 'Check', defaults: { type, ...described, status: 'active' }, matching })
}

function plainKind(
  kind: string,
  { family = kind, defaults = {}, group = 2, refersTo, required = [], ...facets }: Shape,
): Kind<PlainSpec> {
  return {
    ...facets,
    kind,
    apiVersions: [plainVersion],
    family,
    grouping: { group },
    decode: (document) => decode(document, { ...defaults }, required),
    references: ({ state, secrets }) => [
      ...secrets.map((key) => ({ to: addressOf('Secret', key), optional: true as const })),
      ...(refersTo === undefined || typeof state[refersTo.field] !== 'string'
        ? []
        : [{ to: addressOf(refersTo.family, state[refersTo.field] as string), pointer: `/spec/${refersTo.field}` }]),
    ],
    encode: ({ state }, resolve) => {
      if (refersTo === undefined || typeof state[refersTo.field] !== 'string') return state
      const { [refersTo.field]: named, ...rest } = state
      return { ...rest, [refersTo.stored]: resolve({ to: addressOf(refersTo.family, named as string) }) }
    },
    normalise: (state) => (typeof state['name'] === 'string' ? { ...state, name: state['name'].trim() } : state),
    displayName: name,
    parts: { documents: ({ labels }, document) => labels.map((label) => mapping(family, label, document)) },
    inputs: {
      envReferences: ({ envReferences }) => envReferences,
      secretReferences: ({ secrets }) => secrets,
    },
    authored: {
      rank: kind === 'Label' ? 0 : 1,
      declare: (state, nameOf) => declared(state, { defaults, refersTo }, nameOf),
    },
  }
}

function declared(
  state: JsonObject,
  { defaults, refersTo }: { readonly defaults: JsonObject; readonly refersTo: Shape['refersTo'] | undefined },
  nameOf: (family: string, identity: Identity) => string | undefined,
): JsonObject | undefined {
  if (defaults['type'] !== undefined && state['type'] !== defaults['type']) return undefined
  const { type: _type, ...fields } = state
  const kept = Object.entries(fields).filter(([, value]) => value !== '' && value !== null && !isEmptyList(value))
  const spec = Object.fromEntries(kept)
  if (refersTo === undefined) return spec
  const { [refersTo.stored]: id, ...rest } = spec
  return { ...rest, [refersTo.field]: nameOf(refersTo.family, id as Identity) ?? '' }
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0
}

function decode(
  document: Document,
  defaults: JsonObject,
  required: readonly string[],
): { readonly value: PlainSpec | undefined; readonly problems: readonly Problem[] } {
  const spec = document.body['spec'] ?? {}
  const wrong = (pointer: string, code: string, message: string): Problem =>
    problemAt('error', document.locate(pointer), { code: `kinds/${code}`, message })
  if (!isObject(spec)) return { value: undefined, problems: [wrong('/spec', 'wrong-type', 'the spec is not a map')] }
  // A document's maps have no prototype; those of a state have one, as after it was stored.
  const { associations, ...fields } = JSON.parse(JSON.stringify(spec)) as JsonObject
  const problems = [
    ...required.filter((key) => !(key in fields)).map((key) => wrong('/spec', 'required', `there is no ${key}`)),
    ...(isText(fields['name']) ? [] : [wrong('/spec/name', 'wrong-type', 'the name is not a text')]),
  ]
  const envReferences: EnvReference[] = []
  const given = Object.entries(fields).map(([key, value]): [string, Json] => {
    const envRef = isObject(value) ? value['envRef'] : undefined
    if (!isObject(envRef) || typeof envRef['key'] !== 'string') return [key, value]
    const text = document.values.get(envRef['key'])
    const isGiven = typeof text === 'string'
    const { key: envKey, default: defaultValue } = envRef
    envReferences.push({
      field: `spec.${key}`,
      key: envKey,
      valueType: '',
      ...(isGiven ? { value: text } : {}),
      ...(defaultValue === undefined ? {} : { defaultValue }),
    })
    return [key, isGiven ? text : (defaultValue ?? `env-${envKey}`)]
  })
  const state = { ...defaults, name: document.name, ...Object.fromEntries(given) }
  return { value: { state, labels: labelsOf(associations), secrets: secretsOf(state), envReferences }, problems }
}

function isText(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string' || (isObject(value) && 'envRef' in value)
}

function labelsOf(associations: Json | undefined): readonly string[] {
  const list = Array.isArray(associations) ? (associations as readonly Json[]) : []
  return [...new Set(list.flatMap((one) => (isObject(one) ? [one['name'] as string] : [])))]
}

function secretsOf(state: JsonObject): readonly string[] {
  return Object.values(state).flatMap((value) => {
    const secretRef = isObject(value) ? value['secretRef'] : undefined
    return isObject(secretRef) ? [secretRef['key'] as string] : []
  })
}

function mapping(family: string, label: string, { name: owner, values, locate }: Document): Document {
  const resource = addressOf(family, owner)
  const spec = { resourceType: `${family.toLowerCase()}s`, resource, label: addressOf('Label', label) }
  const own = `${resource}/${label}`
  const body = { apiVersion: partApiVersion, kind: 'LabelMapping', metadata: { name: own }, spec }
  const here = (below: string) => locate(`/spec/associations${below}`)
  return { apiVersion: partApiVersion, kind: 'LabelMapping', name: own, body, values, place: here(''), locate: here }
}

function part(kind: string, fields: readonly string[]) {
  return {
    kind,
    apiVersions: [partApiVersion],
    family: kind,
    decode: ({ body }: Document) => ({ value: body['spec'] as JsonObject, problems: [] }),
    normalise: (state: JsonObject) => state,
    asPart: { invalidFields: (state: JsonObject) => fields.filter((field) => !(field in state)) },
  }
}

/** The natural identity of a mapping: its two ends. */
export function mappingKey({ resourceID, labelID }: JsonObject): string | undefined {
  return isId(resourceID) && isId(labelID) ? `${resourceID}/${labelID}` : undefined
}

function isId(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[0-9a-f]{16}$/.test(value)
}

function shorterRetention(actual: JsonObject, { retentionRules }: JsonObject) {
  const [before, after] = [retention(actual['retentionRules']), retention(retentionRules)]
  if (retentionRules === undefined || after >= before) return []
  const path = before === Infinity ? 'retentionRules[0]' : 'retentionRules[0].everySeconds'
  return [{ path, message: `points older than ${after} s are deleted` }]
}

function retention(rules: Json | undefined): number {
  const [first] = Array.isArray(rules) ? (rules as readonly Json[]) : []
  const seconds = isObject(first) ? first['everySeconds'] : undefined
  return typeof seconds === 'number' ? seconds : Infinity
}

function conceal(state: JsonObject): JsonObject {
  return typeof state['token'] === 'string' ? { ...state, token: new Secret(state['token'], 'new') } : state
}

/** A reference to the endpoint's own secret, `<id>-token`, is that secret. */
function recogniseOwn(
  desired: JsonObject,
  { identity, actual }: { readonly identity: Identity; readonly actual: JsonObject },
  needs: readonly Address[],
): JsonObject {
  const [key] = secretsOf(desired).toSorted(compareText)
  const isOwn = key === `${identity}-token` && actual['token'] instanceof Secret
  return isOwn && !needs.includes(addressOf('Secret', key)) ? { ...desired, token: actual['token']! } : desired
}
