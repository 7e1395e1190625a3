import { addressOf, type Identity } from '../../model/address.js'
import type { Document } from '../../model/document.js'
import type { JsonObject } from '../../model/json.js'
import type { Kind, NameOf, Reference } from '../../model/kind.js'
import { readAssociations, type Labelled } from './associations.js'
import { apiVersions, decodeDocument, readDisplayName, remembering, type Referring } from './envelope.js'
import type { Fields } from './fields.js'
import { heldName, mappedText } from './held.js'
import { labelMappings } from './label-mapping.js'
import { normaliseStatusRules, normaliseTagRules, readStatusRules, readTagRules, writtenStatusRules } from './rule-conditions.js'
import { normaliseSpan, readNeededSpan, readSpan, writtenSpan } from './span.js'
import { normalisedStatus, readStatus } from './status.js'
import { written } from './written.js'

export interface NotificationRuleSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  /** Means something to Slack only. */
  readonly channel: string
  /** The metaName of an endpoint; '': none is named, which is an error. */
  readonly endpointName: string
  /** Durations as Go prints them. */
  readonly every: string
  readonly offset: string
  readonly messageTemplate: string
  readonly status: string
  readonly statusRules: readonly JsonObject[]
  readonly tagRules: readonly JsonObject[]
}

/**
 * Packages 1.10, 4.6, D29. Held: `{name, description, channel, endpointID, every, offset, messageTemplate, status, statusRules, tagRules}`, all of
 * them always, rules sorted. What sort of rule it is comes from its endpoint and is not held. The target has any number of one name.
 */
export function notificationRuleKind(): Kind<NotificationRuleSpec> {
  return {
    kind: 'NotificationRule',
    apiVersions,
    family: 'NotificationRule',
    onRemove: 'remove',
    decode: remembering((document) => decodeDocument(document, (spec) => readRule(spec, document), readAssociations)),
    references: ({ endpointName }) => (endpointName === '' ? [] : [endpointOf(endpointName)]),
    parts: ({ associations }, document) => labelMappings('NotificationRule', associations, document),
    encode: ({ associations: _associations, envReferences: _references, endpointName, ...held }, resolve) => ({
      ...held,
      endpointID: resolve(endpointOf(endpointName)),
    }),
    normalise: normaliseRule,
    displayName: heldName,
    declare: declareRule,
    envReferences: ({ envReferences }) => envReferences,
  }
}

function endpointOf(endpointName: string): Reference {
  return { to: addressOf('NotificationEndpoint', endpointName), pointer: '/spec/endpointName' }
}

function readRule(spec: Fields, document: Document): Omit<NotificationRuleSpec, 'associations' | 'envReferences'> {
  return {
    name: readDisplayName(spec, document, 1),
    description: spec.text('description') ?? '',
    channel: spec.text('channel') ?? '',
    endpointName: readEndpointName(spec),
    every: readNeededSpan(spec, 'every'),
    offset: readSpan(spec, 'offset'),
    messageTemplate: spec.text('messageTemplate') ?? '',
    status: readStatus(spec),
    statusRules: readStatusRules(spec),
    tagRules: readTagRules(spec),
  }
}

function readEndpointName(spec: Fields): string {
  const name = spec.name('endpointName') ?? ''
  if (name === '') spec.error('endpointName', 'required', 'there is no endpointName', 'Write the metadata.name of a notification endpoint.')
  return name
}

function normaliseRule(held: JsonObject): JsonObject {
  const { statusRules, tagRules } = held
  return {
    ...held,
    ...mappedText(held, 'every', normaliseSpan),
    ...mappedText(held, 'offset', normaliseSpan),
    ...normalisedStatus(held),
    ...(statusRules === undefined ? {} : { statusRules: normaliseStatusRules(statusRules) }),
    ...(tagRules === undefined ? {} : { tagRules: normaliseTagRules(tagRules) }),
  }
}

function declareRule(held: JsonObject, nameOf: NameOf): JsonObject {
  const { name, description, channel, endpointID, every, offset, messageTemplate, status, statusRules, tagRules } = held
  const endpointName = typeof endpointID === 'string' ? nameOf('NotificationEndpoint', endpointID as Identity) : undefined
  const conditions = { statusRules: writtenStatusRules(statusRules), tagRules }
  return written({ name, description, channel, endpointName, every, offset: writtenSpan(offset), messageTemplate, status, ...conditions })
}
