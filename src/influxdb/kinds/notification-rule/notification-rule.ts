import { addressOf, type Identity } from '../../../model/address.js'
import type { Document } from '../../../model/resources/document.js'
import type { Json, JsonObject } from '../../../model/json.js'
import type { Kind, NameOf, Reference } from '../../../model/resources/kind.js'
import { readAssociations, type Labelled } from '../label/associations.js'
import { apiVersions, decodeDocument, readDisplayName, cachedDecode, type Referring } from '../envelope.js'
import type { Fields } from '../fields/fields.js'
import type { FluxPort } from '../flux/flux.js'
import { refuseBadName, refuseBadText } from '../flux/flux-syntax.js'
import { stateName, mappedText, exportedFields } from '../state.js'
import { runHealth } from '../health.js'
import { labelMappings } from '../label/label-mapping.js'
import type { KindContext } from '../kind-context.js'
import {
  normaliseStatusRules,
  normaliseTagRules,
  readStatusRules,
  readTagRules,
  exportedStatusRules,
} from './rule-conditions.js'
import { normaliseSpan, readInterval, exportedSpan, type Interval } from '../fields/span.js'
import { normalisedStatus, readStatus } from '../fields/status.js'

export interface NotificationRuleSpec extends Labelled, Referring, Interval {
  readonly name: string
  readonly description: string
  /** Used by Slack only. */
  readonly channel: string
  /** The metaName of an endpoint; '' is an error. */
  readonly endpointName: string
  readonly messageTemplate: string
  readonly status: string
  readonly statusRules: readonly JsonObject[]
  readonly tagRules: readonly JsonObject[]
}

/**
 * State: `{name, description, channel, endpointID, every, offset, messageTemplate, status, statusRules, tagRules}`,
 * always complete, rules sorted. The rule's type comes from its endpoint and is not part of the state; `channel` and
 * `messageTemplate` are '' if that type does not use them. A target may have several rules with one name.
 */
export function notificationRuleKind({ flux }: Pick<KindContext, 'flux'>): Kind<NotificationRuleSpec> {
  return {
    kind: 'NotificationRule',
    apiVersions,
    family: 'NotificationRule',
    decode: cachedDecode((document) =>
      decodeDocument(document, (spec) => readRule(spec, document, flux), readAssociations),
    ),
    references: (spec) => (spec.endpointName === '' ? [] : [neededEndpoint(spec)]),
    parts: { documents: ({ associations }, document) => labelMappings('NotificationRule', associations, document) },
    encode: ({ associations: _associations, envReferences: _references, endpointName, ...state }, resolve) => ({
      ...state,
      ...withoutEffect(resolve({ ...endpointReference(endpointName), output: 'type' })),
      endpointID: resolve(endpointReference(endpointName)),
    }),
    normalise: normaliseRule,
    displayName: stateName,
    authored: { declare: declareRule },
    health: runHealth,
    inputs: { envReferences: ({ envReferences }) => envReferences },
  }
}

/** InfluxDB drops what rules of the endpoint's type do not use. */
function withoutEffect(type: Json): JsonObject {
  if (type === 'http') return { channel: '', messageTemplate: '' }
  return type === 'pagerduty' ? { channel: '' } : {}
}

function endpointReference(endpointName: string): Reference {
  return { to: addressOf('NotificationEndpoint', endpointName), pointer: '/spec/endpointName' }
}

/** Slack and PagerDuty need a message, so a rule without one cannot use them. */
function neededEndpoint({ endpointName, messageTemplate }: NotificationRuleSpec): Reference {
  const hasNoMessage = messageTemplate === ''
  return {
    ...endpointReference(endpointName),
    refuses: (kind) => (hasNoMessage && kind !== 'NotificationEndpointHTTP' ? noMessage(kind) : undefined),
  }
}

function noMessage(kind: string): ReturnType<Required<Reference>['refuses']> {
  const message = `there is no messageTemplate, and a rule of a ${kind} needs one`
  return {
    pointer: '/spec/messageTemplate',
    code: 'kinds/required',
    message,
    hint: 'Write one, such as "${ r._message }".',
  }
}

function readRule(
  spec: Fields,
  document: Document,
  flux: FluxPort,
): Omit<NotificationRuleSpec, 'associations' | 'envReferences'> {
  const name = readDisplayName(spec, document, 1)
  refuseBadName(spec, name, flux)
  const [description, channel, messageTemplate] = ['description', 'channel', 'messageTemplate'].map(
    (key) => spec.text(key) ?? '',
  )
  refuseBadText(spec, 'channel', channel!, flux)
  refuseBadText(spec, 'messageTemplate', messageTemplate!, flux)
  return {
    name,
    description: description!,
    channel: channel!,
    endpointName: readEndpointName(spec),
    ...readInterval(spec),
    messageTemplate: messageTemplate!,
    status: readStatus(spec),
    statusRules: readStatusRules(spec),
    tagRules: readTagRules(spec, flux),
  }
}

function readEndpointName(spec: Fields): string {
  const name = spec.name('endpointName') ?? ''
  if (name === '')
    spec.error(
      'endpointName',
      'required',
      'there is no endpointName',
      'Write the metadata.name of a notification endpoint.',
    )
  return name
}

function normaliseRule(state: JsonObject): JsonObject {
  const { statusRules, tagRules } = state
  return {
    ...state,
    ...mappedText(state, 'every', normaliseSpan),
    ...mappedText(state, 'offset', normaliseSpan),
    ...normalisedStatus(state),
    ...(statusRules === undefined ? {} : { statusRules: normaliseStatusRules(statusRules) }),
    ...(tagRules === undefined ? {} : { tagRules: normaliseTagRules(tagRules) }),
  }
}

function declareRule(state: JsonObject, nameOf: NameOf): JsonObject {
  const { name, description, channel, endpointID, every, offset, messageTemplate, status, statusRules, tagRules } =
    state
  const endpointName =
    typeof endpointID === 'string' ? nameOf('NotificationEndpoint', endpointID as Identity) : undefined
  const conditions = { statusRules: exportedStatusRules(statusRules), tagRules }
  return exportedFields({
    name,
    description,
    channel,
    endpointName,
    every,
    offset: exportedSpan(offset),
    messageTemplate,
    status,
    ...conditions,
  })
}
