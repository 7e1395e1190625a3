import { nameOf } from '../../../model/address.js'
import { Unknown, type JsonObject } from '../../../model/json.js'
import type { NotificationRuleSpec } from './notification-rule.js'
import type { KnownResource, Wire, WireContext } from '../wire.js'

const family = 'NotificationEndpoint'

/** The endpoint types of the InfluxDB API. The type of a rule is that of its endpoint. */
const endpointTypes: Readonly<Record<string, string>> = {
  NotificationEndpointHTTP: 'http',
  NotificationEndpointPagerDuty: 'pagerduty',
  NotificationEndpointSlack: 'slack',
}

/** The InfluxDB API's form of a rule. Its type and endpoint come from the declared endpoint. */
export const notificationRuleWire: Wire<NotificationRuleSpec> = {
  diff: (state, context) => {
    const endpoint = findEndpoint(state, context)
    return {
      ...commonFields(state),
      endpointID: endpoint?.id ?? '',
      endpointName: diffName(endpoint),
      endpointType: endpointType(endpoint),
    }
  },
  summary: (state, context, { endpointName, messageTemplate }) => {
    const endpoint = context.known(family, { metaName: endpointName })
    const { id } = context
    const ends = {
      endpointID: endpoint?.id ?? '',
      endpointTemplateMetaName: endpoint?.metaName ?? '',
      endpointType: endpointType(endpoint),
    }
    return { id, ...commonFields({ ...state, messageTemplate }), ...ends, status: state['status'] ?? '' }
  },
}

/** The fields that every form of a rule has. */
export function commonFields({
  name,
  description,
  every,
  offset,
  messageTemplate,
  statusRules,
  tagRules,
}: JsonObject): JsonObject {
  return {
    name: name ?? '',
    description: description ?? '',
    every: every ?? '',
    offset: offset ?? '',
    messageTemplate: messageTemplate ?? '',
    statusRules: statusRules ?? [],
    tagRules: tagRules ?? [],
  }
}

/** The rule's endpoint, by its id or, before it exists, by its metaName. */
function findEndpoint({ endpointID }: JsonObject, { known }: WireContext): KnownResource | undefined {
  if (endpointID instanceof Unknown) return known(family, { metaName: nameOf(endpointID.to) })
  return typeof endpointID === 'string' ? known(family, { id: endpointID }) : undefined
}

/** The metaName, on both sides of a diff; the display name if no package declares the endpoint. */
function diffName(endpoint: KnownResource | undefined): string {
  return endpoint?.metaName || endpoint?.name || ''
}

function endpointType(endpoint: KnownResource | undefined): string {
  return (endpoint && endpointTypes[endpoint.kind]) ?? ''
}
