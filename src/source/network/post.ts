import { Deadline } from './deadline.js'
import { Unavailable } from '../../model/errors.js'
import { showAddress } from '../../lib/text/printable.js'
import type { HttpClient } from './http-client.js'
import { noLinkLocal } from './address-policy.js'

/** The largest response. */
export const mostPostBytes = 65_536

/**
 * Sends a POST without body and credentials to a configured address, within `limitMs`. Returns status and text; the
 * text is empty unless the status is 200 or 201. Errors: `Unavailable`, `Rejected`.
 */
export async function post(
  connections: HttpClient,
  limitMs: number,
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<{ readonly status: number; readonly text: string }> {
  const shown = showAddress(url)
  using deadline = new Deadline({ silenceMs: limitMs, totalMs: limitMs }, shown, new AbortController().signal)
  const { statusCode: status, body } = await connections.request(url, {
    method: 'POST',
    headers,
    shown,
    policy: noLinkLocal,
    deadline,
  })
  if (status !== 200 && status !== 201) return { status, text: '' }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > mostPostBytes) throw tooLong(shown)
  }
  return { status, text: Buffer.concat(chunks).toString('utf8') }
}

function tooLong(shown: string): Unavailable {
  return new Unavailable(`${shown} answered with more than ${mostPostBytes} bytes.`, {
    code: 'source/server-error',
    hint: 'Check whether this is the address of the API.',
  })
}
