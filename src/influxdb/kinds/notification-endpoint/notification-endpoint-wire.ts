import type { JsonObject } from '../../../model/json.js'
import { wireCredential } from './credential.js'
import { wireIds, wireTimes, type Wire, type WireContext } from '../wire.js'

/** The InfluxDB API's form of an endpoint: of credentials it shows only the keys of their secrets. */
export const notificationEndpointWire: Wire = {
  diff: (state, context) => endpointDocument(state, context),
  summary: (state, context) => ({ notificationEndpoint: endpointDocument(state, context) }),
}

/** `shown`: how a credential is written. */
export function endpointDocument(
  state: JsonObject,
  context: Pick<WireContext, 'id' | 'orgID'>,
  shown: typeof wireCredential = wireCredential,
): JsonObject {
  const { name, description, status, type } = state
  const common = { name: name ?? '', description: description ?? '', status: status ?? '', type: type ?? '' }
  const own = ownFields(state, (field) => shown(state, field, context.id))
  return { ...wireIds(context), ...common, ...wireTimes(state), ...own }
}

function ownFields(state: JsonObject, shown: (field: string) => string): JsonObject {
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
    contentTemplate: state['contentTemplate'] ?? '',
    ...(state['headers'] === undefined ? {} : { headers: state['headers'] }),
  }
}
