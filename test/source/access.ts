// How sources of tests reach servers: as an agent does, with nothing configured but what the test says.
import type { Authorization } from '../../src/source/network/authorization.js'
import type { Access } from '../../src/source/network/authorized-request.js'
import { Connections, type ConnectionsOptions } from '../../src/source/network/connections.js'
import { Redactor } from '../../src/secrets/redact.js'

export type AccessOptions = Partial<ConnectionsOptions> & { readonly authorization?: Authorization }

/** To be closed. */
export function openAccess({ authorization, ...options }: AccessOptions = {}): Access & AsyncDisposable {
  const lookup = { directory: '/', environment: () => undefined }
  const connections = new Connections({
    entries: [],
    networks: [],
    proxies: {},
    lookup,
    redactor: new Redactor(),
    ...options,
  })
  return {
    connections,
    authorization: authorization ?? (() => Promise.resolve({})),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  }
}
