// What both kinds of check have in common (packages 1.7).
import type { Document } from '../../model/document.js'
import type { JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import { readAssociations, type Labelled } from './associations.js'
import { apiVersions, decodeDocument, readDisplayName, remembering, type Referring } from './envelope.js'
import type { Fields } from './fields.js'
import { heldName, mappedText, trimmedText } from './held.js'
import { labelMappings } from './label-mapping.js'
import { upper } from './level.js'
import { sortedBy } from './sorted.js'
import { normaliseSpan, readNeededSpan, readSpan, writtenSpan } from './span.js'
import { normalisedStatus, readStatus } from './status.js'
import { normaliseThresholds } from './thresholds.js'
import { written } from './written.js'

export interface CheckSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  /** Durations as Go prints them. */
  readonly every: string
  readonly offset: string
  readonly query: string
  readonly statusMessageTemplate: string
  readonly status: string
  readonly tags: readonly Tag[]
  /** What only this kind of check has, in its held form. */
  readonly own: JsonObject
}

type Tag = { readonly key: string; readonly value: string }

/** What tells one kind of check from the other. */
export interface CheckNature {
  readonly kind: string
  /** How the target calls it: `threshold`, `deadman`. */
  readonly type: string
  readonly readOwn: (spec: Fields) => JsonObject
  /** As an author would write what only this kind has. */
  readonly declareOwn: (held: JsonObject) => JsonObject
}

/**
 * Held: `{type, name, description, every, offset, query, statusMessageTemplate, status, tags: [{key, value}]}`, all of them always, and what the kind
 * adds. Both kinds normalise both, for a check may change from one to the other. Checks of one package may share a name (1.2).
 */
export function checkKind({ kind, type, readOwn, declareOwn }: CheckNature): Kind<CheckSpec> {
  return {
    kind,
    apiVersions,
    family: 'Check',
    onRemove: 'remove',
    sharesNames: true,
    decode: remembering((document) => decodeDocument(document, (spec) => readCheck(spec, document, readOwn), readAssociations)),
    references: () => [],
    parts: ({ associations }, document) => labelMappings('Check', associations, document),
    encode: ({ associations: _associations, envReferences: _references, own, ...common }) => ({ type, ...common, ...own }),
    normalise: normaliseCheck,
    key: heldName,
    displayName: heldName,
    declare: (held) => (held['type'] === type ? { ...declareCommon(held), ...declareOwn(held) } : undefined),
    envReferences: ({ envReferences }) => envReferences,
  }
}

function readCheck(spec: Fields, document: Document, readOwn: CheckNature['readOwn']): Omit<CheckSpec, 'associations' | 'envReferences'> {
  return {
    name: readDisplayName(spec, document, 1),
    description: spec.text('description') ?? '',
    every: readNeededSpan(spec, 'every'),
    offset: readSpan(spec, 'offset'),
    query: readNeeded(spec, 'query').trim(),
    statusMessageTemplate: readNeeded(spec, 'statusMessageTemplate'),
    status: readStatus(spec),
    tags: spec.each('tags').map(readTag),
    own: readOwn(spec),
  }
}

function readNeeded(spec: Fields, key: string): string {
  const text = spec.text(key) ?? ''
  if ((key === 'query' ? text.trim() : text) === '') spec.error(key, 'required', `there is no ${key}`)
  return text
}

function readTag(tag: Fields): Tag {
  const read = { key: tag.text('key') ?? '', value: tag.text('value') ?? '' }
  tag.warnUnknown()
  return read
}

function normaliseCheck(held: JsonObject): JsonObject {
  const spans = ['every', 'offset', 'timeSince', 'staleTime'].map((key) => mappedText(held, key, normaliseSpan))
  return Object.assign({}, held, ...spans, {
    ...trimmedText(held, 'query'),
    ...normalisedStatus(held),
    ...mappedText(held, 'level', upper),
    ...(held['tags'] === undefined ? {} : { tags: sortedBy(held['tags'], ['key', 'value']) }),
    ...(held['thresholds'] === undefined ? {} : { thresholds: normaliseThresholds(held['thresholds']) }),
  }) as JsonObject
}

function declareCommon({ name, description, every, offset, query, statusMessageTemplate, status, tags }: JsonObject): JsonObject {
  return written({ name, description, every, offset: writtenSpan(offset), query, statusMessageTemplate, status, tags })
}
