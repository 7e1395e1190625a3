import type { Authorization } from './authorization.js'
import type { HttpRequest, HttpClient } from './http-client.js'
import type { Response } from './send.js'

/** What requests go through, and what they are authorized by. */
export interface HttpAccess {
  readonly client: HttpClient
  readonly authorization: Authorization
}

/** `authorized`: a credential went with the request. */
export type AuthorizedResponse = Response & { readonly authorized: boolean }

/**
 * One request with what authorizes it. Where the server does not take a credential that may have been replaced
 * meanwhile, it is asked once more with the newer one.
 */
export async function authorizedRequest(
  { client, authorization }: HttpAccess,
  url: string,
  asked: HttpRequest,
): Promise<AuthorizedResponse> {
  const address = url.split('?', 1)[0]!
  const given = await authorization(address)
  const authorized = Object.keys(given).length > 0
  const response = await client.request(url, authorized ? { ...asked, headers: { ...asked.headers, ...given } } : asked)
  if (response.statusCode !== 401 || !authorized) return { ...response, authorized }
  const newer = await authorization(address, given)
  if (JSON.stringify(newer) === JSON.stringify(given)) return { ...response, authorized }
  return { ...(await client.request(url, { ...asked, headers: { ...asked.headers, ...newer } })), authorized }
}
