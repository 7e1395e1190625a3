// What both kinds of check have in common.
import type { Document } from '../../../model/resources/document.js'
import type { JsonObject } from '../../../model/json.js'
import type { Kind } from '../../../model/resources/kind.js'
import { readAssociations, type Labelled } from '../label/associations.js'
import { apiVersions, decodeDocument, readDisplayName, cachedDecode, type Referring } from '../envelope.js'
import type { Fields } from '../fields/fields.js'
import { stateName, mappedText, trimmedText, sortedBy, exportedFields } from '../state.js'
import type { FluxFacts, FluxPort } from '../flux/flux.js'
import { refuseBadKey, refuseBadName, refuseBadQuery, refuseBadText } from '../flux/flux-syntax.js'
import { runHealth } from '../health.js'
import { labelMappings } from '../label/label-mapping.js'
import { upper } from '../fields/level.js'
import { readKeyAndValue } from '../fields/key-and-value.js'
import { normaliseSpan, readInterval, exportedSpan, type Interval } from '../fields/span.js'
import { normalisedStatus, readStatus } from '../fields/status.js'
import { normaliseThresholds } from './thresholds.js'

export interface CheckSpec extends Labelled, Referring, Interval {
  readonly name: string
  readonly description: string
  readonly query: string
  readonly statusMessageTemplate: string
  readonly status: string
  readonly tags: readonly Tag[]
  /** The state's fields that only this kind of check has. */
  readonly own: JsonObject
}

type Tag = { readonly key: string; readonly value: string }

/** The differences between the kinds of check. */
export interface CheckNature {
  readonly kind: string
  /** The type in the InfluxDB API: `threshold`, `deadman`. */
  readonly type: string
  readonly readOwn: (spec: Fields) => JsonObject
  /** Reports problems of a valid query that only this kind has. */
  readonly remarkQuery?: (spec: Fields, facts: FluxFacts) => void
  /** The declaration of the fields that only this kind has. */
  readonly declareOwn: (state: JsonObject) => JsonObject
}

/**
 * State: `{type, name, description, every, offset, query, statusMessageTemplate, status, tags: [{key, value}]}`, always
 * complete, and the fields of the kind. Each kind normalizes the fields of both, because a check may change its kind.
 * Checks of one package may share a name.
 */
export function checkKind(nature: CheckNature, flux: FluxPort): Kind<CheckSpec> {
  const { kind, type, declareOwn } = nature
  return {
    kind,
    apiVersions,
    family: 'Check',
    decode: cachedDecode((document) =>
      decodeDocument(document, (spec) => readCheck(spec, document, nature, flux), readAssociations),
    ),
    references: () => [],
    parts: { documents: ({ associations }, document) => labelMappings('Check', associations, document) },
    encode: ({ associations: _associations, envReferences: _references, own, ...common }) => ({
      type,
      ...common,
      ...own,
    }),
    normalise: normaliseCheck,
    matching: { key: stateName, sharesNames: true },
    displayName: stateName,
    authored: {
      declare: (state) => (state['type'] === type ? { ...declareCommon(state), ...declareOwn(state) } : undefined),
    },
    health: runHealth,
    inputs: { envReferences: ({ envReferences }) => envReferences },
  }
}

function readCheck(
  spec: Fields,
  document: Document,
  { readOwn, remarkQuery }: CheckNature,
  flux: FluxPort,
): Omit<CheckSpec, 'associations' | 'envReferences'> {
  const name = readDisplayName(spec, document, 1)
  refuseBadName(spec, name, flux)
  const description = spec.text('description') ?? ''
  const interval = readInterval(spec)
  const query = readNeeded(spec, 'query').trim()
  const facts = query === '' ? undefined : refuseBadQuery(spec, query, flux)
  if (facts !== undefined && facts.wrong === undefined) remarkQuery?.(spec, facts)
  const statusMessageTemplate = readNeeded(spec, 'statusMessageTemplate')
  refuseBadText(spec, 'statusMessageTemplate', statusMessageTemplate, flux)
  const status = readStatus(spec)
  const tags = spec.each('tags').map((tag) => readTag(tag, flux))
  return { name, description, ...interval, query, statusMessageTemplate, status, tags, own: readOwn(spec) }
}

function readNeeded(spec: Fields, key: string): string {
  const text = spec.text(key) ?? ''
  if ((key === 'query' ? text.trim() : text) === '') spec.error(key, 'required', `there is no ${key}`)
  return text
}

function readTag(tag: Fields, flux: FluxPort): Tag {
  const read = readKeyAndValue(tag, 'tag')
  if (read.key !== '') refuseBadKey(tag, read.key, flux)
  refuseBadText(tag, 'value', read.value, flux)
  tag.warnUnknown()
  return read
}

function normaliseCheck(state: JsonObject): JsonObject {
  const spans = ['every', 'offset', 'timeSince', 'staleTime'].map((key) => mappedText(state, key, normaliseSpan))
  return Object.assign({}, state, ...spans, {
    ...trimmedText(state, 'query'),
    ...normalisedStatus(state),
    ...mappedText(state, 'level', upper),
    ...(state['tags'] === undefined ? {} : { tags: sortedBy(state['tags'], ['key', 'value']) }),
    ...(state['thresholds'] === undefined ? {} : { thresholds: normaliseThresholds(state['thresholds']) }),
  }) as JsonObject
}

function declareCommon({
  name,
  description,
  every,
  offset,
  query,
  statusMessageTemplate,
  status,
  tags,
}: JsonObject): JsonObject {
  return exportedFields({
    name,
    description,
    every,
    offset: exportedSpan(offset),
    query,
    statusMessageTemplate,
    status,
    tags,
  })
}
