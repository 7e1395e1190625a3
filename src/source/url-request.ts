// One file over http(s): asked for, with redirects that are checked one by one, and read to a limit.
import { Agent, request } from 'undici'
import type { Dispatcher } from 'undici'
import type { BlockList, LookupFunction } from 'node:net'
import type { Clock } from '../model/clock.js'
import { Rejected } from '../model/errors.js'
import { showAddress } from '../model/show-text.js'
import { Deadline } from './deadline.js'
import { networkError, refusedByServer } from './http-answer.js'
import type { Authorization } from './http-transport.js'
import { bareHost, guardedLookup, inwardRefused, linkLocalRefused, type LookUp } from './networks.js'
import type { SourceLimits } from './source.js'
import { isOutdated, readValidity } from './tls-fault.js'

export const REDIRECTS = 3

/** What the server gave with the file that is here, and takes to say that it is still the same. */
export interface Validators {
  readonly etag?: string
  readonly lastModified?: string
}

/** `unchanged`: the file is still that of the validators. */
export type UrlAnswer =
  | { readonly unchanged: true }
  | { readonly unchanged: false; readonly body: Buffer; readonly validators: Validators; readonly type: string }

export interface UrlRequestOptions {
  readonly limits: SourceLimits
  readonly networks: BlockList
  readonly authorization: Authorization
  readonly clock: Clock
  readonly lookUp?: LookUp
}

/** To be closed: it keeps connections. */
export class UrlRequest {
  readonly #options: UrlRequestOptions
  /** For the address that a person wrote, and for addresses that a server leads to: these must not lead inwards. */
  readonly #own: Way
  readonly #led: Way

  constructor(options: UrlRequestOptions) {
    this.#options = options
    this.#own = wayOf(guardedLookup(options.networks, options.lookUp, linkLocalRefused))
    this.#led = wayOf(guardedLookup(options.networks, options.lookUp, inwardRefused))
  }

  async close(): Promise<void> {
    await Promise.all([this.#own.agent.destroy(), this.#led.agent.destroy()])
  }

  /** Errors: `Unavailable` (network, TLS, 429, 5xx, time), `Rejected` (401, 403, 404, a redirect that is not followed, a page, too large). */
  async get(address: string, validators: Validators, signal: AbortSignal): Promise<UrlAnswer> {
    const { gitRequestMs, fetchMs } = this.#options.limits
    using deadline = new Deadline({ silenceMs: gitRequestMs, totalMs: fetchMs }, address, signal)
    deadline.listen()
    try {
      return await this.#follow(address, validators, deadline)
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : error
    }
  }

  async #follow(address: string, validators: Validators, deadline: Deadline): Promise<UrlAnswer> {
    const seen: string[] = []
    for (let at = new URL(address); ;) {
      seen.push(at.href)
      const response = await this.#send(address, at, validators, deadline)
      if (!isRedirect(response)) return this.#read(address, at, response, deadline)
      at = this.#redirected(address, at, response)
      if (seen.includes(at.href)) throw redirectLoop(address)
      if (seen.length > REDIRECTS) throw tooManyRedirects(address)
    }
  }

  async #send(address: string, at: URL, validators: Validators, deadline: Deadline): Promise<Dispatcher.ResponseData> {
    const way = at.origin === new URL(address).origin ? this.#own : this.#led
    const headers = { ...headersOf(validators), ...authorizationHeader(this.#options.authorization(at.href)) }
    try {
      const options = { method: 'GET', headers, signal: deadline.signal, dispatcher: way.agent, headersTimeout: 0, bodyTimeout: 0 } as const
      const response = await request(at, options)
      response.body.on('error', () => undefined) // it is thrown to whoever reads; nobody reads a refusal
      if (response.statusCode !== 200) response.body.destroy()
      return response
    } catch (error) {
      const validity = isOutdated(error) ? await readValidity(at, way.lookup, deadline.signal) : undefined
      throw networkError(address, error, validity)
    }
  }

  async #read(address: string, at: URL, response: Dispatcher.ResponseData, deadline: Deadline): Promise<UrlAnswer> {
    const { statusCode: status, headers } = response
    if (status === 304) return { unchanged: true }
    const asked = { authorized: this.#options.authorization(at.href) !== undefined, now: this.#options.clock.now(), what: 'file' } as const
    if (status !== 200) throw refusedByServer(address, { status, headers }, asked) ?? notAFile(address, `answered ${status}`)
    const type = typeOf(response)
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') throw notAFile(address, 'answered with an encoded body')
    const body = await this.#readBody(address, response, deadline)
    if (type === 'text/html' || /^\s*<(?:!doctype html|html)[\s>]/i.test(body.toString('latin1', 0, 200))) throw aPage(address)
    return { unchanged: false, body, validators: validatorsOf(response), type }
  }

  async #readBody(address: string, { body }: Dispatcher.ResponseData, deadline: Deadline): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        deadline.listen()
        bytes += chunk.length
        if (bytes > this.#options.limits.fileBytes) throw tooLarge(address, this.#options.limits.fileBytes)
        chunks.push(chunk)
      }
    } catch (error) {
      throw networkError(address, error)
    } finally {
      body.destroy()
    }
    return Buffer.concat(chunks)
  }

  /** Where a redirect leads. Never from https to http; to another origin only if it does not lead inwards. */
  #redirected(address: string, from: URL, { headers }: Dispatcher.ResponseData): URL {
    const { location } = headers
    const to = typeof location === 'string' && URL.canParse(location, from.href) ? new URL(location, from) : undefined
    if (to === undefined) throw notAFile(address, 'redirects to nowhere')
    to.hash = ''
    const shown = showAddress(to.href)
    if (!['http:', 'https:'].includes(to.protocol) || to.username !== '' || to.password !== '')
      throw redirected(address, shown, 'which gitmoor does not follow')
    if (from.protocol === 'https:' && to.protocol === 'http:')
      throw redirected(address, shown, 'without encryption, where anybody on the way could change it')
    const { refuses, refusal } = to.origin === new URL(address).origin ? linkLocalRefused : inwardRefused
    if (refuses(bareHost(to), this.#options.networks))
      throw redirected(address, shown, refusal(bareHost(to)).message.replace(/^\S+ is |\.$/g, ''))
    return to
  }
}

interface Way {
  readonly agent: Agent
  readonly lookup: LookupFunction
}

function wayOf(lookup: LookupFunction): Way {
  return { agent: new Agent({ connections: 8, connect: { lookup } }), lookup }
}

function headersOf({ etag, lastModified }: Validators): Readonly<Record<string, string>> {
  return {
    'user-agent': 'gitmoor',
    accept: 'application/yaml, application/json, text/yaml, text/plain, */*;q=0.1',
    'accept-encoding': 'identity',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  }
}

function authorizationHeader(authorization: { readonly header: string } | undefined): { readonly authorization?: string } {
  return authorization === undefined ? {} : { authorization: authorization.header }
}

/** What is kept of them goes back to the server: only short ones on one line. */
function validatorsOf({ headers }: Dispatcher.ResponseData): Validators {
  const short = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]{1,500}$/.test(value)
  const { etag, 'last-modified': lastModified } = headers
  return { ...(short(etag) ? { etag } : {}), ...(short(lastModified) ? { lastModified } : {}) }
}

function typeOf({ headers }: Dispatcher.ResponseData): string {
  return String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase()
}

function isRedirect({ statusCode }: Dispatcher.ResponseData): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode)
}

function notAFile(address: string, what: string): Rejected {
  return new Rejected(`${address} is not a package file: it ${what}.`, {
    code: 'source/not-a-file',
    hint: 'Give the address of the file itself, such as its raw form.',
  })
}

function aPage(address: string): Rejected {
  return new Rejected(`${address} answers with a page (HTML), not with a package file.`, {
    code: 'source/not-a-file',
    hint: 'Give the address of the file itself, such as its raw form, not that of a page that shows it. Pages for signing in answer like this, too.',
  })
}

function tooLarge(address: string, most: number): Rejected {
  return new Rejected(`${address} is larger than ${most} bytes (limits.fileBytes).`, {
    code: 'source/file-too-large',
    hint: 'Split it, or raise limits.fileBytes.',
  })
}

function redirected(address: string, to: string, why: string): Rejected {
  return new Rejected(`${address} redirects to ${to}: ${why}.`, {
    code: 'source/redirected',
    hint: 'If that is where the file is now and it is meant, use that address for the source.',
  })
}

function redirectLoop(address: string): Rejected {
  return new Rejected(`${address} redirects in a circle.`, {
    code: 'source/redirect-loop',
    hint: 'Mend the server, or give the address where the file is.',
  })
}

function tooManyRedirects(address: string): Rejected {
  return new Rejected(`${address} redirects more than ${REDIRECTS} times.`, {
    code: 'source/redirected',
    hint: 'Open the address in a browser and use the one where it ends.',
  })
}
