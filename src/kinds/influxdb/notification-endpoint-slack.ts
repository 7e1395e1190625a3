import type { Kind } from '../../model/kind.js'
import { readCredential, writtenCredential } from './credential.js'
import type { Fields } from './fields.js'
import type { Means } from './means.js'
import { endpointKind, type EndpointSpec, type OwnFields } from './notification-endpoint.js'
import { written } from './written.js'

/** State: the fields of every endpoint, and optionally a `token`. */
export function notificationEndpointSlackKind(means: Means): Kind<EndpointSpec> {
  return endpointKind({
    kind: 'NotificationEndpointSlack',
    type: 'slack',
    readOwn: (spec) => readOwn(spec, means),
    declareOwn: (held, _nameOf, identity) => written({ token: writtenCredential(held, 'token', identity) }),
  })
}

function readOwn(spec: Fields, means: Means): OwnFields {
  const token = readCredential(spec, 'token', means)
  return { own: token === undefined ? {} : { token }, credentials: [token] }
}
