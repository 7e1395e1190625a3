import type { Kind } from '../../../model/resources/kind.js'
import { readCredential, exportedCredential } from './credential.js'
import type { Fields } from '../fields/fields.js'
import type { KindContext } from '../kind-context.js'
import { endpointKind, type EndpointSpec, type OwnFields } from './notification-endpoint.js'
import { exportedFields } from '../state.js'

/** State: the fields of every endpoint, `url` being the client's, and `routingKey`. */
export function notificationEndpointPagerDutyKind(means: KindContext): Kind<EndpointSpec> {
  return endpointKind({
    kind: 'NotificationEndpointPagerDuty',
    type: 'pagerduty',
    readOwn: (spec) => readOwn(spec, means),
    declareOwn: (state, _nameOf, identity) =>
      exportedFields({ routingKey: exportedCredential(state, 'routingKey', identity) }),
  })
}

function readOwn(spec: Fields, means: KindContext): OwnFields {
  const routingKey = readCredential(spec, 'routingKey', means)
  if (routingKey === undefined)
    spec.error('routingKey', 'required', 'there is no routingKey', 'Write it, or better the key of a secret.')
  return { own: routingKey === undefined ? {} : { routingKey }, credentials: [routingKey] }
}
