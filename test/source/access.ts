// How sources of tests reach servers: as an agent does, with nothing configured but what the test says.
import type { Authorization } from '../../src/source/network/authorization.js'
import type { HttpAccess } from '../../src/source/network/authorized-request.js'
import { HttpClient, type HttpClientOptions } from '../../src/source/network/http-client.js'
import { Redactor } from '../../src/secrets/redact/redact.js'

export type AccessOptions = Partial<HttpClientOptions> & { readonly authorization?: Authorization }

/** To be closed. */
export function openAccess({ authorization, ...options }: AccessOptions = {}): HttpAccess & AsyncDisposable {
  const lookup = { directory: '/', environment: () => undefined }
  const client = new HttpClient({
    entries: [],
    networks: [],
    proxies: {},
    lookup,
    redactor: new Redactor(),
    ...options,
  })
  return {
    client,
    authorization: authorization ?? (() => Promise.resolve({})),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}
