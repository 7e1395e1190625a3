import type { Kind } from '../../model/kind.js'
import { readCredential, writtenCredential } from './credential.js'
import type { Fields } from './fields.js'
import type { Means } from './means.js'
import { endpointKind, type EndpointSpec, type OwnFields } from './notification-endpoint.js'
import { written } from './written.js'

/** State: the fields of every endpoint, `url` being the client's, and `routingKey`. */
export function notificationEndpointPagerDutyKind(means: Means): Kind<EndpointSpec> {
  return endpointKind({
    kind: 'NotificationEndpointPagerDuty',
    type: 'pagerduty',
    readOwn: (spec) => readOwn(spec, means),
    declareOwn: (held, _nameOf, identity) => written({ routingKey: writtenCredential(held, 'routingKey', identity) }),
  })
}

function readOwn(spec: Fields, means: Means): OwnFields {
  const routingKey = readCredential(spec, 'routingKey', means)
  if (routingKey === undefined)
    spec.error('routingKey', 'required', 'there is no routingKey', 'Write it, or better the key of a secret.')
  return { own: routingKey === undefined ? {} : { routingKey }, credentials: [routingKey] }
}
