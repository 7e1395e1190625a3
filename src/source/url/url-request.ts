// One file or archive over http(s): asked for, with redirects that are checked one by one, and read to a limit.
import type { BlockList } from 'node:net'
import type { Clock } from '../../lib/clock.js'
import { Rejected } from '../../model/errors.js'
import { showAddress } from '../../lib/printable.js'
import { detectArchiveFormat } from '../archive/archive-format.js'
import { Deadline } from '../network/deadline.js'
import { statusError } from '../network/http-errors.js'
import { authorizedRequest, type HttpAccess, type AuthorizedResponse } from '../network/authorized-request.js'
import { bareHost, type AddressPolicy } from '../network/address-policy.js'

/** What the server gave with the file that is here, and takes to say that it is still the same. */
export interface Validators {
  readonly etag?: string
  readonly lastModified?: string
}

/** `unchanged`: the file is still that of the validators. */
export type UrlAnswer =
  | { readonly unchanged: true }
  | { readonly unchanged: false; readonly body: Buffer; readonly validators: Validators; readonly type: string }

/** What an answer may cost, and the settings that say so. */
export interface UrlBounds {
  readonly silenceMs: number
  readonly totalMs: number
  readonly bytes: number
  /** Of an archive, where one may be larger. */
  readonly archive?: { readonly bytes: number; readonly setting: string }
  readonly redirects: number
  readonly settings: { readonly silence: string; readonly total: string; readonly bytes: string }
}

export interface UrlRequestOptions {
  readonly bounds: UrlBounds
  readonly networks: BlockList
  /** What is not connected to: of the address that was asked for, and of one that a server leads to. */
  readonly addressPolicy: AddressPolicy
  readonly redirectPolicy: AddressPolicy
  readonly access: HttpAccess
  readonly clock: Clock
}

type Response = AuthorizedResponse

/** What was asked for, and how messages name it. */
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
   * Errors: `Unavailable` (network, TLS, 429, 5xx, time), `Rejected` (401, 403, 404, a redirect that is not followed, a
   * page, too large).
   */
  async get(address: string, validators: Validators, signal: AbortSignal): Promise<UrlAnswer> {
    const asked = { url: new URL(address), shown: showAddress(address) }
    using deadline = new Deadline(this.#options.bounds, asked.shown, signal)
    deadline.startSilence()
    try {
      return await this.#follow(asked, validators, deadline)
    } catch (error) {
      throw deadline.over === undefined ? error : deadline.over.reason
    }
  }

  async #follow(asked: RequestedUrl, validators: Validators, deadline: Deadline): Promise<UrlAnswer> {
    const { redirects } = this.#options.bounds
    const seen: string[] = []
    for (let at = asked.url; ;) {
      seen.push(at.href)
      const response = await this.#send(asked, at, validators, deadline)
      if (!isRedirect(response)) return this.#read(asked.shown, response, deadline)
      at = this.#redirected(asked, at, response)
      if (seen.includes(at.href)) throw redirectLoop(asked.shown)
      if (seen.length > redirects) throw tooManyRedirects(asked.shown, redirects)
    }
  }

  #send({ url, shown }: RequestedUrl, at: URL, validators: Validators, deadline: Deadline): Promise<Response> {
    const { addressPolicy, redirectPolicy, access } = this.#options
    const policy = at.origin === url.origin ? addressPolicy : redirectPolicy
    return authorizedRequest(access, at.href, {
      method: 'GET',
      headers: headersOf(validators),
      deadline,
      shown,
      policy,
    })
  }

  async #read(address: string, response: Response, deadline: Deadline): Promise<UrlAnswer> {
    const { statusCode: status, headers, authorized } = response
    if (status === 304) return { unchanged: true }
    const asked = { authorized, now: this.#options.clock.now(), what: 'file' } as const
    if (status !== 200)
      throw statusError(address, { status, headers }, asked) ?? notAFile(address, `answered ${status}`)
    const type = typeOf(response)
    if (isEncoded(address, headers['content-encoding']) || isTransferEncoded(headers['transfer-encoding'])) {
      response.body.destroy()
      throw notAFile(address, 'answered with an encoded body')
    }
    const body = await this.#readBody(address, response, deadline)
    if (type === 'text/html' || /^\s*<(?:!doctype html|html)[\s>]/i.test(body.toString('latin1', 0, 200)))
      throw aPage(address)
    return { unchanged: false, body, validators: validatorsOf(response), type }
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

  /** Where a redirect leads. Never from https to http, never where it is not connected to. */
  #redirected({ url, shown: address }: RequestedUrl, from: URL, { headers }: Response): URL {
    const { location } = headers
    const to = typeof location === 'string' && URL.canParse(location, from.href) ? new URL(location, from) : undefined
    if (to === undefined) throw notAFile(address, 'redirects to nowhere')
    to.hash = ''
    const shown = showAddress(to.href)
    if (!['http:', 'https:'].includes(to.protocol) || to.username !== '' || to.password !== '')
      throw redirected(address, shown, 'which gitmoor does not follow')
    if (from.protocol === 'https:' && to.protocol === 'http:')
      throw redirected(address, shown, 'without encryption, where anybody on the way could change it')
    const { refuses, refusal, unknownHost } =
      to.origin === url.origin ? this.#options.addressPolicy : this.#options.redirectPolicy
    if (!refuses(bareHost(to), this.#options.networks)) return to
    if (unknownHost !== undefined) throw unknownHost(bareHost(to))
    throw redirected(address, shown, refusal(bareHost(to)).message.replace(/^\S+ is |\.$/g, ''))
  }
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

/** What is kept of them goes back to the server: only short ones on one line. */
function validatorsOf({ headers }: Response): Validators {
  const short = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]{1,500}$/.test(value)
  const { etag, 'last-modified': lastModified } = headers
  return { ...(short(etag) ? { etag } : {}), ...(short(lastModified) ? { lastModified } : {}) }
}

function typeOf({ headers }: Response): string {
  return String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase()
}

function isRedirect({ statusCode }: Response): boolean {
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

/** A file that is packed with gzip by itself is often said to be encoded so, and comes as it is. */
function isEncoded(address: string, encoding: string | readonly string[] | undefined): boolean {
  if (encoding === undefined || encoding === 'identity') return false
  return !(/\.(gz|tgz)$/i.test(address) && /^(x-)?gzip$/.test(String(encoding)))
}

/** Encoded on the way, beside being cut into chunks: `gzip, chunked`. The HTTP client undoes only the chunks. */
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
    hint: 'If that is where the file is now and it is meant, use that address for the source.',
  })
}

function redirectLoop(address: string): Rejected {
  return new Rejected(`${address} redirects in a circle.`, {
    code: 'source/redirect-loop',
    hint: 'Mend the server, or give the address where the file is.',
  })
}

function tooManyRedirects(address: string, most: number): Rejected {
  return new Rejected(`${address} redirects more than ${most} times.`, {
    code: 'source/redirected',
    hint: 'Open the address in a browser and use the one where it ends.',
  })
}
