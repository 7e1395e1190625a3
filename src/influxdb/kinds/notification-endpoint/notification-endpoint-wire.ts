import type { Identity } from '../../../model/address.js'
import type { JsonObject } from '../../../model/json.js'
import { wireCredential } from './credential.js'
import { wireIds, wireTimes, type Wire, type WireContext } from '../wire.js'

/** The InfluxDB API's form of an endpoint: of credentials it shows only the keys of their secrets. */
export const notificationEndpointWire: Wire = {
  diff: endpointDocument,
  summary: (state, context) => ({ notificationEndpoint: endpointDocument(state, context) }),
}

function endpointDocument(state: JsonObject, context: WireContext): JsonObject {
  const { name, description, status, type } = state
  const common = { name: name ?? '', description: description ?? '', status: status ?? '', type: type ?? '' }
  return { ...wireIds(context), ...common, ...wireTimes(state), ...ownFields(state, context.id) }
}

function ownFields(state: JsonObject, id: Identity | ''): JsonObject {
  const shown = (field: string): string => wireCredential(state, field, id)
  const url = state['url'] ?? ''
  if (state['type'] === 'pagerduty') return { clientURL: url, routingKey: shown('routingKey') }
  if (state['type'] !== 'http') return { url, token: shown('token') }
  return {
    url,
    method: state['method'] ?? '',
    authMethod: state['authMethod'] ?? '',
    username: shown('username'),
    password: shown('password'),
    token: shown('token'),
    contentTemplate: '',
  }
}
