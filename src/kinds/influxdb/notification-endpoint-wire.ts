import type { Identity } from '../../model/address.js'
import type { JsonObject } from '../../model/json.js'
import { shownCredential } from './credential.js'
import { identified, type Wire } from './wire.js'

/** Packages 4.2, 4.3: the endpoint as the target's own document, of its credentials only the keys. */
export const notificationEndpointWire: Wire = {
  diff: (held, { id }) => endpointDocument(held, id),
  summary: (held, context) => ({ notificationEndpoint: { ...identified(context), ...endpointDocument(held, context.id) } }),
}

function endpointDocument(held: JsonObject, id: Identity | ''): JsonObject {
  const { name, description, status, type } = held
  return { name: name ?? '', description: description ?? '', status: status ?? '', type: type ?? '', ...ownFields(held, id) }
}

function ownFields(held: JsonObject, id: Identity | ''): JsonObject {
  const shown = (field: string): string => shownCredential(held, field, id)
  const url = held['url'] ?? ''
  if (held['type'] === 'pagerduty') return { clientURL: url, routingKey: shown('routingKey') }
  if (held['type'] !== 'http') return { url, token: shown('token') }
  return {
    url,
    method: held['method'] ?? '',
    authMethod: held['authMethod'] ?? '',
    username: shown('username'),
    password: shown('password'),
    token: shown('token'),
    contentTemplate: '',
  }
}
