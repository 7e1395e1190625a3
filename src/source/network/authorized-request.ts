import type { Authorization } from './authorization.js'
import type { HttpRequest, HttpClient } from './http-client.js'
import type { Response } from './send.js'

/** The HTTP client, and the authorization of its requests. */
export interface HttpAccess {
  readonly client: HttpClient
  readonly authorization: Authorization
  /** The name of the credential that authorizes requests to an address, for errors. */
  readonly credentialFor?: (url: string) => string | undefined
}

/** `authorized`: the request was sent with a credential. `credential`: its name. */
export type AuthorizedResponse = Response & { readonly authorized: boolean; readonly credential?: string | undefined }

/**
 * Sends one request with its credential. If the server rejects the credential, it is read again, and a newer one is
 * tried once.
 */
export async function authorizedRequest(
  { client, authorization, credentialFor = () => undefined }: HttpAccess,
  url: string,
  request: HttpRequest,
): Promise<AuthorizedResponse> {
  const address = url.split('?', 1)[0]!
  const given = await authorization(address)
  const authorized = Object.keys(given).length > 0
  const sent = { authorized, credential: authorized ? credentialFor(address) : undefined }
  const response = await client.request(
    url,
    authorized ? { ...request, headers: { ...request.headers, ...given } } : request,
  )
  if (response.statusCode !== 401 || !authorized) return { ...response, ...sent }
  const newer = await authorization(address, given)
  if (JSON.stringify(newer) === JSON.stringify(given)) return { ...response, ...sent }
  return { ...(await client.request(url, { ...request, headers: { ...request.headers, ...newer } })), ...sent }
}
