import type { Authorization } from './authorization.js'
import type { HttpRequest, HttpClient } from './http-client.js'
import type { Response } from './send.js'

/** The HTTP client, and the authorization of its requests. */
export interface HttpAccess {
  readonly client: HttpClient
  readonly authorization: Authorization
}

/** `authorized`: the request was sent with a credential. */
export type AuthorizedResponse = Response & { readonly authorized: boolean }

/**
 * Sends one request with its credential. If the server rejects the credential, it is read again, and a newer one is
 * tried once.
 */
export async function authorizedRequest(
  { client, authorization }: HttpAccess,
  url: string,
  request: HttpRequest,
): Promise<AuthorizedResponse> {
  const address = url.split('?', 1)[0]!
  const given = await authorization(address)
  const authorized = Object.keys(given).length > 0
  const response = await client.request(
    url,
    authorized ? { ...request, headers: { ...request.headers, ...given } } : request,
  )
  if (response.statusCode !== 401 || !authorized) return { ...response, authorized }
  const newer = await authorization(address, given)
  if (JSON.stringify(newer) === JSON.stringify(given)) return { ...response, authorized }
  return { ...(await client.request(url, { ...request, headers: { ...request.headers, ...newer } })), authorized }
}
