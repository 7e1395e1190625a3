import type { Identity } from '../../../model/address.js'
import type { JsonObject } from '../../../model/json.js'
import { wireCredential } from './credential.js'
import { wireIds, wireTimes, type Wire, type WireContext } from '../wire.js'

/** The InfluxDB API's form of an endpoint: of credentials it shows only the keys of their secrets. */
export const notificationEndpointWire: Wire = {
  diff: endpointDocument,
  summary: (held, context) => ({ notificationEndpoint: endpointDocument(held, context) }),
}

function endpointDocument(held: JsonObject, context: WireContext): JsonObject {
  const { name, description, status, type } = held
  const common = { name: name ?? '', description: description ?? '', status: status ?? '', type: type ?? '' }
  return { ...wireIds(context), ...common, ...wireTimes(held), ...ownFields(held, context.id) }
}

function ownFields(held: JsonObject, id: Identity | ''): JsonObject {
  const shown = (field: string): string => wireCredential(held, field, id)
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
