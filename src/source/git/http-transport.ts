// Smart HTTP (gitprotocol-http) with version 2 of the protocol. One POST is a whole exchange; the listing that git begins with is left out.
import { Agent, request } from 'undici'
import type { Dispatcher } from 'undici'
import type { LookupFunction } from 'node:net'
import type { Clock } from '../../model/clock.js'
import type { Authorization } from '../network/authorization.js'
import { isOutdated, readValidity } from '../network/tls-fault.js'
import { networkError, notGit, redirectedTo, refusedAnswer, tooManyRedirects } from '../network/http-answer.js'
import type { Transport } from './transport.js'
import { noProtocolV2 } from './transport.js'

const SERVICE = '/git-upload-pack'
const DISCOVERY = '/info/refs'
const RESULT = 'application/x-git-upload-pack-result'
const ADVERTISEMENT = 'application/x-git-upload-pack-advertisement'
/** Within one host. */
export const mostRedirects = 3
/** To one server. */
export const mostConnections = 8

type Response = Dispatcher.ResponseData & {
  /** A credential went with the request. */
  readonly authorized: boolean
}

export class HttpTransport implements Transport {
  readonly #agent: Agent
  readonly #lookup: LookupFunction
  readonly #authorization: Authorization
  readonly #clock: Clock
  /** Where a remote that redirects within its host really is, while it stays there. */
  readonly #moved = new Map<string, string>()

  constructor(options: { readonly lookup: LookupFunction; readonly authorization: Authorization; readonly clock: Clock }) {
    this.#lookup = options.lookup
    this.#agent = new Agent({ connections: mostConnections, connect: { lookup: options.lookup } })
    this.#authorization = options.authorization
    this.#clock = options.clock
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async *ask(remote: string, body: Buffer, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { body: answer } = await this.#post(remote, body, signal)
    let empty = true
    try {
      for await (const chunk of answer as AsyncIterable<Uint8Array>) {
        empty = false
        yield chunk
      }
    } catch (error) {
      throw networkError(remote, error)
    } finally {
      answer.destroy()
    }
    if (empty) await this.#discover(remote, signal) // a server of version 0 ends without a word; the reason is found where it speaks
  }

  async #post(remote: string, body: Buffer, signal: AbortSignal): Promise<Response> {
    let base = this.#moved.get(remote) ?? remote
    this.#moved.delete(remote)
    for (let attempt = 0; attempt <= mostRedirects; attempt++) {
      const url = base + SERVICE
      const response = await this.#send(remote, url, body, signal)
      if (isRedirect(response)) base = baseOf(remote, redirectedTo(remote, url, answerOf(response)), SERVICE)
      else if (response.statusCode === 200) return this.#accept(remote, base, response)
      else base = await this.#elsewhere(remote, base, response, signal)
    }
    throw tooManyRedirects(remote)
  }

  #accept(remote: string, base: string, response: Response): Response {
    if (!isOfType(response, RESULT)) throw notGit(remote, `answers with ${typeOf(response)}`)
    if (base !== remote) this.#moved.set(remote, base)
    return response
  }

  /** Some servers redirect only the listing. Gives that other place, or throws what the answer means. */
  async #elsewhere(remote: string, base: string, response: Response, signal: AbortSignal): Promise<string> {
    const { authorized } = response
    const refusal = refusedAnswer(remote, answerOf(response), { authorized, now: this.#clock.now() })
    if (response.statusCode !== 404 && response.statusCode !== 405) throw refusal
    const found = await this.#discover(remote, signal)
    if (found === undefined || found === base) throw refusal
    return found
  }

  /** Asks for the listing only to learn where it is and which version is spoken. Undefined: there is none. */
  async #discover(remote: string, signal: AbortSignal): Promise<string | undefined> {
    let base = remote
    for (let attempt = 0; attempt <= mostRedirects; attempt++) {
      const url = base + DISCOVERY
      const response = await this.#send(remote, `${url}?service=git-upload-pack`, undefined, signal)
      if (isRedirect(response)) base = baseOf(remote, redirectedTo(remote, url, answerOf(response)), DISCOVERY)
      else if (response.statusCode !== 200) return undefined
      else if (!isOfType(response, ADVERTISEMENT)) throw notGit(remote, `answers with ${typeOf(response)}`)
      else if (await begins(response, 'version 2\n')) return base
      else throw noProtocolV2(remote)
    }
    throw tooManyRedirects(remote)
  }

  /** One request. The body of any answer but 200 is dropped. Silence and time are the caller's, by the signal. */
  async #send(remote: string, url: string, body: Buffer | undefined, signal: AbortSignal): Promise<Response> {
    const authorization = await this.#authorization(url.replace(/\?.*$/, ''))
    const headers = {
      'git-protocol': 'version=2',
      'user-agent': 'git/gitmoor',
      ...(body === undefined ? {} : { 'content-type': 'application/x-git-upload-pack-request', accept: RESULT }),
      ...authorization,
    }
    const method = body === undefined ? 'GET' : 'POST'
    try {
      const options = { method, headers, signal, dispatcher: this.#agent, headersTimeout: 0, bodyTimeout: 0 } as const
      const response = await request(url, body === undefined ? options : { ...options, body })
      response.body.on('error', () => undefined) // it is thrown to whoever reads; nobody reads a refusal
      if (response.statusCode !== 200) response.body.destroy()
      return { ...response, authorized: Object.keys(authorization).length > 0 }
    } catch (error) {
      const validity = isOutdated(error) ? await readValidity(new URL(url), this.#lookup, signal) : undefined
      throw networkError(remote, error, validity)
    }
  }
}

function isRedirect({ statusCode }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode)
}

function answerOf({ statusCode, headers }: Response): { readonly status: number; readonly headers: Response['headers'] } {
  return { status: statusCode, headers }
}

function typeOf({ headers }: Response): string {
  return String(headers['content-type'] ?? 'no content type')
    .split(';')[0]!
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9/+. -]/g, '')
}

function isOfType(response: Response, type: string): boolean {
  if (typeOf(response) === type) return true
  response.body.destroy()
  return false
}

/** The repository's address, where a redirect of one of its services leads to the same service elsewhere. */
function baseOf(remote: string, to: URL, service: string): string {
  if (!to.pathname.endsWith(service)) throw notGit(remote, 'redirects to a page')
  return to.origin + to.pathname.slice(0, -service.length)
}

/** Whether the listing's first lines have `word`; the rest is not read. */
async function begins(response: Response, word: string): Promise<boolean> {
  let text = ''
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.includes(word) || text.length > 200) break
  }
  return text.slice(0, 200).includes(word)
}
