import type { Kind } from '../../../model/resources/kind.js'
import { readCredential, exportedCredential } from './credential.js'
import type { Fields } from '../fields/fields.js'
import type { KindContext } from '../kind-context.js'
import { endpointKind, type EndpointSpec, type OwnFields } from './notification-endpoint.js'
import { exportedFields } from '../state.js'

/** State: the fields of every endpoint, and optionally a `token`. */
export function notificationEndpointSlackKind(means: KindContext): Kind<EndpointSpec> {
  return endpointKind({
    kind: 'NotificationEndpointSlack',
    type: 'slack',
    readOwn: (spec) => readOwn(spec, means),
    declareOwn: (state, _nameOf, identity) => exportedFields({ token: exportedCredential(state, 'token', identity) }),
  })
}

function readOwn(spec: Fields, means: KindContext): OwnFields {
  const token = readCredential(spec, 'token', means)
  return { own: token === undefined ? {} : { token }, credentials: [token] }
}
