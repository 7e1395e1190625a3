// Requests one file or archive over HTTP, checks every redirect, and limits the size.
import type { BlockList } from 'node:net'
import type { Clock } from '../../lib/clock.js'
import { Rejected } from '../../model/errors.js'
import { showAddress } from '../../lib/text/printable.js'
import { detectArchiveFormat } from '../archive/archive-format.js'
import { Deadline } from '../network/deadline.js'
import { redirectAddress, statusError, tooManyRedirects } from '../network/http-errors.js'
import { authorizedRequest, type HttpAccess, type AuthorizedResponse } from '../network/authorized-request.js'
import { bareHost, type AddressPolicy } from '../network/address-policy.js'
import { contentType, isRedirect } from '../network/send.js'

/** The validators of the stored file, for a conditional request. */
export interface Validators {
  readonly etag?: string
  readonly lastModified?: string
}

/** `unchanged`: the validators still match. */
export type UrlAnswer =
  | { readonly unchanged: true }
  | { readonly unchanged: false; readonly body: Buffer; readonly validators: Validators; readonly type: string }

/** Limits of a response, and the settings that define them. */
export interface UrlBounds {
  readonly silenceMs: number
  readonly totalMs: number
  readonly bytes: number
  /** For an archive, if it may be larger. */
  readonly archive?: { readonly bytes: number; readonly setting: string }
  readonly redirects: number
  readonly settings: { readonly silence: string; readonly total: string; readonly bytes: string }
}

export interface UrlRequestOptions {
  readonly bounds: UrlBounds
  readonly networks: BlockList
  /** Which addresses are refused: for the requested address, and for a redirect to another origin. */
  readonly addressPolicy: AddressPolicy
  readonly redirectPolicy: AddressPolicy
  readonly access: HttpAccess
  readonly clock: Clock
}

type Response = AuthorizedResponse

/** The requested URL, and its name in messages. */
interface RequestedUrl {
  readonly url: URL
  readonly shown: string
}

export class UrlRequest {
  readonly #options: UrlRequestOptions

  constructor(options: UrlRequestOptions) {
    this.#options = options
  }

  /**
   * Errors: `Unavailable` (network, TLS, 429, 5xx, time), `Rejected` (401, 403, 404, a refused redirect, an HTML page,
   * too large).
   */
  async get(address: string, validators: Validators, signal: AbortSignal): Promise<UrlAnswer> {
    const requested = { url: new URL(address), shown: showAddress(address) }
    using deadline = new Deadline(this.#options.bounds, requested.shown, signal)
    deadline.startSilence()
    try {
      return await this.#follow(requested, validators, deadline)
    } catch (error) {
      throw deadline.over === undefined ? error : deadline.over.reason
    }
  }

  async #follow(requested: RequestedUrl, validators: Validators, deadline: Deadline): Promise<UrlAnswer> {
    const { redirects } = this.#options.bounds
    const seen: string[] = []
    for (let at = requested.url; ;) {
      seen.push(at.href)
      const response = await this.#send(requested, at, validators, deadline)
      if (!isRedirect(response)) return this.#read(requested.shown, response, deadline)
      at = this.#redirected(requested, at, response)
      if (seen.includes(at.href)) throw redirectLoop(requested.shown)
      if (seen.length > redirects) throw tooManyRedirects(requested.shown, redirects)
    }
  }

  #send({ url, shown }: RequestedUrl, at: URL, validators: Validators, deadline: Deadline): Promise<Response> {
    const { addressPolicy, redirectPolicy, access } = this.#options
    const policy = at.origin === url.origin ? addressPolicy : redirectPolicy
    return authorizedRequest(access, at.href, {
      method: 'GET',
      headers: conditionalHeaders(validators),
      deadline,
      shown,
      policy,
    })
  }

  async #read(address: string, response: Response, deadline: Deadline): Promise<UrlAnswer> {
    const { statusCode: status, headers, authorized, credential } = response
    if (status === 304) return { unchanged: true }
    const context = { authorized, credential, now: this.#options.clock.now(), what: 'file' } as const
    if (status !== 200) throw statusError(address, response, context) ?? notAFile(address, `answered ${status}`)
    const type = contentType(response)
    if (isEncoded(address, headers['content-encoding']) || isTransferEncoded(headers['transfer-encoding'])) {
      response.body.destroy()
      throw notAFile(address, 'answered with an encoded body')
    }
    const body = await this.#readBody(address, response, deadline)
    if (type === 'text/html' || /^\s*<(?:!doctype html|html)[\s>]/i.test(body.toString('latin1', 0, 200)))
      throw aPage(address)
    return { unchanged: false, body, validators: responseValidators(response), type }
  }

  async #readBody(address: string, { body }: Response, deadline: Deadline): Promise<Buffer> {
    const { bytes, settings, archive } = this.#options.bounds
    const chunks: Uint8Array[] = []
    let most = { bytes, setting: settings.bytes }
    let read = 0
    for await (const chunk of body) {
      deadline.startSilence()
      chunks.push(chunk)
      read += chunk.length
      if (read > most.bytes && archive !== undefined && detectArchiveFormat(Buffer.concat(chunks)) !== undefined)
        most = archive
      if (read > most.bytes) throw tooLarge(address, most)
    }
    return Buffer.concat(chunks)
  }

  /** The target of a redirect. Never from https to http, never to a refused address. */
  #redirected({ url, shown: address }: RequestedUrl, from: URL, { headers }: Response): URL {
    const to = redirectAddress(headers, from.href)
    if (to === undefined) throw notAFile(address, 'redirects without a valid address')
    to.hash = ''
    const shown = showAddress(to.href)
    if (!['http:', 'https:'].includes(to.protocol) || to.username !== '' || to.password !== '')
      throw redirected(address, shown, 'gitmoor does not follow it')
    if (from.protocol === 'https:' && to.protocol === 'http:')
      throw redirected(address, shown, 'it is not encrypted, so the content could be changed on the way')
    const { refuses, refusal, unknownHost } =
      to.origin === url.origin ? this.#options.addressPolicy : this.#options.redirectPolicy
    if (!refuses(bareHost(to), this.#options.networks)) return to
    if (unknownHost !== undefined) throw unknownHost(bareHost(to))
    throw redirected(address, shown, refusal(bareHost(to)).message.replace(/^\S+ is |\.$/g, ''))
  }
}

function conditionalHeaders({ etag, lastModified }: Validators): Readonly<Record<string, string>> {
  return {
    'user-agent': 'gitmoor',
    accept: 'application/yaml, application/json, text/yaml, text/plain, */*;q=0.1',
    'accept-encoding': 'identity',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  }
}

/** Only short validators on one line are stored, because they are sent back to the server. */
function responseValidators({ headers }: Response): Validators {
  const short = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]{1,500}$/.test(value)
  const { etag, 'last-modified': lastModified } = headers
  return { ...(short(etag) ? { etag } : {}), ...(short(lastModified) ? { lastModified } : {}) }
}

function notAFile(address: string, what: string): Rejected {
  return new Rejected(`${address} is not a package file: it ${what}.`, {
    code: 'source/not-a-file',
    hint: 'Use the address of the file itself, for example its raw view.',
  })
}

function aPage(address: string): Rejected {
  return new Rejected(`${address} answered with an HTML page instead of a package file.`, {
    code: 'source/not-a-file',
    hint: 'Use the address of the file itself, for example its raw view. Sign-in pages also answer with HTML.',
  })
}

/** A gzip file is often sent with this content encoding. Its content is then read unchanged. */
function isEncoded(address: string, encoding: string | readonly string[] | undefined): boolean {
  if (encoding === undefined || encoding === 'identity') return false
  return !(/\.(gz|tgz)$/i.test(address) && /^(x-)?gzip$/.test(String(encoding)))
}

/** True for a transfer encoding other than chunked, such as `gzip, chunked`. The HTTP client decodes only chunks. */
function isTransferEncoded(encoding: string | readonly string[] | undefined): boolean {
  return encoding !== undefined && !/^(?:chunked|identity)$/i.test(String(encoding).trim())
}

function tooLarge(address: string, { bytes, setting }: { readonly bytes: number; readonly setting: string }): Rejected {
  return new Rejected(`${address} is larger than ${bytes} bytes (${setting}).`, {
    code: 'source/file-too-large',
    hint: `Split it, or raise ${setting}.`,
  })
}

function redirected(address: string, to: string, why: string): Rejected {
  return new Rejected(`${address} redirects to ${to}: ${why}.`, {
    code: 'source/redirected',
    hint: 'If the file moved there, use that address for the source.',
  })
}

function redirectLoop(address: string): Rejected {
  return new Rejected(`${address} redirects in a loop.`, {
    code: 'source/redirect-loop',
    hint: 'Fix the server, or use the final address of the file.',
  })
}
