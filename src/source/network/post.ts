import { Deadline } from './deadline.js'
import { Unavailable } from '../../model/errors.js'
import { showAddress } from '../../model/show-text.js'
import type { Connections } from './connections.js'
import { linkLocalRefused } from './networks.js'

/** Of an answer. */
export const mostBytes = 65_536

/**
 * One POST without a body to an address of the configuration, without credentials, within `limitMs`; gives status and
 * text, empty unless it is 200 or 201. Errors: `Unavailable`, `Rejected`.
 */
export async function post(
  connections: Connections,
  limitMs: number,
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<{ readonly status: number; readonly text: string }> {
  const shown = showAddress(url)
  using deadline = new Deadline({ silenceMs: limitMs, totalMs: limitMs }, shown, new AbortController().signal)
  const { statusCode: status, body } = await connections.request(url, {
    method: 'POST',
    headers,
    shown,
    refusing: linkLocalRefused,
    deadline,
  })
  if (status !== 200 && status !== 201) return { status, text: '' }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLong(shown)
  }
  return { status, text: Buffer.concat(chunks).toString('utf8') }
}

function tooLong(shown: string): Unavailable {
  return new Unavailable(`${shown} answered with more than ${mostBytes} bytes.`, {
    code: 'source/server-error',
    hint: 'Is that the address of the API?',
  })
}
