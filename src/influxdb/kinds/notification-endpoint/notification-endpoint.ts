// What the three kinds of notification endpoint have in common.
import { addressOf } from '../../../model/address.js'
import type { Document } from '../../../model/resources/document.js'
import type { JsonObject } from '../../../model/json.js'
import type { Kind, KindAuthoring, Reference } from '../../../model/resources/kind.js'
import { quoted } from '../../../lib/text/printable.js'
import { readAssociations, type Labelled } from '../label/associations.js'
import { secretRefKey, recogniseCredentials, withSecrets, type EndpointCredential } from './credential.js'
import { apiVersions, decodeDocument, readDisplayName, cachedDecode, type Referring } from '../envelope.js'
import type { Fields } from '../fields/fields.js'
import { stateName, mappedText, exportedFields } from '../state.js'
import { endpointHealth } from '../health.js'
import { labelMappings } from '../label/label-mapping.js'
import { upper } from '../fields/level.js'
import { isParsableUrl } from './parsable-url.js'
import { normalisedStatus, readStatus } from '../fields/status.js'

export interface EndpointSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly status: string
  /** The state's fields that only this kind of endpoint has. */
  readonly own: JsonObject
  /** Keys of the target's secrets that the endpoint names, used or not. */
  readonly secrets: readonly string[]
}

/** The fields that a kind of endpoint reads beside the common ones. */
export interface OwnFields {
  readonly own: JsonObject
  readonly credentials: readonly (EndpointCredential | undefined)[]
}

/** The differences between the kinds of endpoint. */
export interface EndpointNature {
  readonly kind: string
  /** The type in the InfluxDB API: `http`, `pagerduty`, `slack`. */
  readonly type: string
  readonly readOwn: (spec: Fields) => OwnFields
  /** The declaration of the fields that only this kind has. */
  readonly declareOwn: KindAuthoring['declare']
}

const noCredentials: JsonObject = { username: null, password: null, token: null, routingKey: null }

/**
 * State: `{type, name, description, url, status, username, password, token, routingKey}`, always complete, and the
 * fields of the kind. Unused credentials are null, so an update removes credentials that left the package or that
 * belong to a former kind of the endpoint. Every kind normalizes the credentials of all kinds.
 */
export function endpointKind({ kind, type, readOwn, declareOwn }: EndpointNature): Kind<EndpointSpec> {
  return {
    kind,
    apiVersions,
    family: 'NotificationEndpoint',
    decode: cachedDecode((document) =>
      decodeDocument(document, (spec) => readEndpoint(spec, document, readOwn), readAssociations),
    ),
    references: ({ secrets }) => secrets.map(secretReference),
    parts: { documents: ({ associations }, document) => labelMappings('NotificationEndpoint', associations, document) },
    encode: ({ name, description, url, status, own }) => ({
      type,
      name,
      description,
      url,
      status,
      ...noCredentials,
      ...own,
    }),
    normalise: normaliseEndpoint,
    matching: { key: stateName },
    displayName: stateName,
    authored: {
      declare: (state, nameOf, identity) =>
        state['type'] === type ? { ...declareCommon(state), ...declareOwn(state, nameOf, identity) } : undefined,
    },
    health: endpointHealth,
    inputs: { envReferences: ({ envReferences }) => envReferences, secretReferences: ({ secrets }) => secrets },
    secrets: { conceal: withSecrets, recognise: recogniseCredentials },
  }
}

function readEndpoint(
  spec: Fields,
  document: Document,
  readOwn: EndpointNature['readOwn'],
): Omit<EndpointSpec, 'associations' | 'envReferences'> {
  const name = readDisplayName(spec, document, 1)
  const description = spec.text('description') ?? ''
  const url = readUrl(spec)
  const status = readStatus(spec)
  const { own, credentials } = readOwn(spec)
  const keys = credentials.flatMap((credential) => secretRefKey(credential) ?? [])
  return { name, description, url, status, own, secrets: [...new Set(keys)] }
}

function readUrl(spec: Fields): string {
  const url = spec.text('url') ?? ''
  if (url === '') spec.error('url', 'required', 'there is no url')
  else if (!isParsableUrl(url))
    spec.error(
      'url',
      'not-allowed',
      `the url ${quoted(url)} is not valid`,
      'Write a URL such as https://example.com/hook.',
    )
  return url
}

/** A given secret is written before the endpoint that uses it. Others are on the target, or missing. */
function secretReference(key: string): Reference {
  return { to: addressOf('Secret', key), optional: true }
}

function normaliseEndpoint(state: JsonObject): JsonObject {
  return { ...state, ...normalisedStatus(state), ...mappedText(state, 'method', upper) }
}

function declareCommon({ name, description, url, status }: JsonObject): JsonObject {
  return exportedFields({ name, description, url, status })
}
