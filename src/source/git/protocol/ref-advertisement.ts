// The ref advertisement with which a git service starts over HTTP (gitprotocol-http).
import { FLUSH, writeLine } from './packets.js'
import type { GitService } from './protocol.js'

const GREETING_CHARACTERS = 1000

/** The first lines, which contain the version and the capabilities. The rest is not read. */
export async function readGreeting(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length > GREETING_CHARACTERS) break
  }
  return text.slice(0, GREETING_CHARACTERS)
}

/** The advertisement without the line that names the service, as a service sends it over ssh. */
export async function* withoutPreamble(
  chunks: AsyncIterable<Uint8Array>,
  service: GitService,
): AsyncGenerator<Uint8Array> {
  const preamble = Buffer.concat([writeLine(`# service=${service}`), FLUSH])
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (head === undefined) yield chunk
    else head = Buffer.concat([head, chunk])
    if (head === undefined || head.length < preamble.length) continue
    yield head.subarray(0, preamble.length).equals(preamble) ? head.subarray(preamble.length) : head
    head = undefined
  }
  if (head !== undefined) yield head
}
