// Smart HTTP (gitprotocol-http). With version 2 of the protocol one POST is a whole exchange; the listing that git
// begins with is left out.
import type { Clock } from '../../../lib/clock.js'
import { showText } from '../../../lib/printable.js'
import { authorizedRequest, type HttpAccess, type AuthorizedResponse } from '../../network/authorized-request.js'
import type { Deadline } from '../../network/deadline.js'
import type { Headers } from '../../network/authorization.js'
import { noLinkLocal } from '../../network/address-policy.js'
import { notGit, redirectTarget, repositoryError, tooManyRedirects } from '../../network/http-errors.js'
import { readGreeting, withoutPreamble } from './ref-advertisement.js'
import { refuseOtherFormat, type GitRequest, type GitService, type Transport } from './protocol.js'

const DISCOVERY = '/info/refs'
/** Of a content type in a message. */
const mostTypeCharacters = 80
/** A server that spoke only version 0 is asked again after so long whether it has learnt another. */
export const version0Ms = 3_600_000
/** Within one host. */
export const mostRedirects = 3

/** What is sent. Without a body: the listing is asked for. */
interface ServiceRequest {
  readonly service: GitService
  readonly version: 0 | 2
  readonly body?: Buffer
}

type Response = AuthorizedResponse

export class HttpTransport implements Transport {
  readonly #access: HttpAccess
  readonly #clock: Clock
  /** Where a remote that redirects within its host really is, while it stays there. */
  readonly #redirects = new Map<string, string>()
  /** Remotes that speak only version 0, and until when that is taken for granted. */
  readonly #version0Until = new Map<string, number>()

  constructor(access: HttpAccess, clock: Clock) {
    this.#access = access
    this.#clock = clock
  }

  async send(remote: string, question: GitRequest, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
    const { v2, v0, service = 'git-upload-pack', onMethod } = question
    if (v2 !== undefined && this.#clock.elapsed() >= (this.#version0Until.get(remote) ?? 0)) {
      onMethod?.('git-http')
      const answer = await this.#requestVersion2(remote, { service, version: 2, body: v2 }, deadline)
      if (answer !== undefined) return answer
      this.#version0Until.set(remote, this.#clock.elapsed() + version0Ms)
    }
    onMethod?.('git-http-v0')
    if (v0 === undefined) return this.#advertisement(remote, { service, version: 0 }, deadline)
    return (await this.#post(remote, { service, version: 0, body: v0 }, deadline)).body
  }

  /**
   * Undefined: only version 0 is spoken there. A server of that version ends without a word, or with an error; which it
   * speaks it says in its listing.
   */
  async #requestVersion2(
    remote: string,
    sent: ServiceRequest,
    deadline: Deadline,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { body } = await this.#post(remote, sent, deadline)
    const first = await body.peek()
    if (first !== undefined && !isVersionError(first)) return body
    try {
      if (!(await this.#speaksOnlyVersion0(remote, sent, deadline))) return body
    } catch (error) {
      body.destroy()
      throw error
    }
    body.destroy()
    return undefined
  }

  async #speaksOnlyVersion0(remote: string, { service }: ServiceRequest, deadline: Deadline): Promise<boolean> {
    const { response } = await this.#discover(remote, { service, version: 2 }, deadline)
    if (response.statusCode !== 200) return false
    const greeting = await readGreeting(response.body)
    refuseOtherFormat(remote, greeting)
    return !greeting.includes('version 2\n')
  }

  async #advertisement(remote: string, sent: ServiceRequest, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
    const { response } = await this.#discover(remote, sent, deadline)
    if (response.statusCode !== 200) throw this.#refusal(remote, response)
    return withoutPreamble(response.body, sent.service)
  }

  async #post(remote: string, sent: ServiceRequest, deadline: Deadline): Promise<Response> {
    const path = `/${sent.service}`
    let base = this.#redirects.get(remote) ?? remote
    this.#redirects.delete(remote)
    for (let attempt = 0; attempt <= mostRedirects; attempt++) {
      const url = base + path
      const response = await this.#send(remote, url, sent, deadline)
      if (isRedirect(response)) base = baseOf(remote, redirectTarget(remote, url, answerOf(response)), path)
      else if (response.statusCode === 200)
        return this.#accept(remote, { base, type: `application/x-${sent.service}-result` }, response)
      else base = await this.#discoverRedirect(remote, { base, sent }, { response, deadline })
    }
    throw tooManyRedirects(remote)
  }

  #accept(
    remote: string,
    { base, type }: { readonly base: string; readonly type: string },
    response: Response,
  ): Response {
    refuseType(remote, response, type)
    if (base !== remote) this.#redirects.set(remote, base)
    return response
  }

  /** Some servers redirect only the listing. Gives that other place, or throws what the answer means. */
  async #discoverRedirect(
    remote: string,
    { base, sent }: { readonly base: string; readonly sent: ServiceRequest },
    { response, deadline }: { readonly response: Response; readonly deadline: Deadline },
  ): Promise<string> {
    const refusal = this.#refusal(remote, response)
    if (response.statusCode !== 404 && response.statusCode !== 405) throw refusal
    const found = await this.#discover(remote, { service: sent.service, version: sent.version }, deadline)
    found.response.body.destroy()
    if (found.response.statusCode !== 200 || found.base === base) throw refusal
    return found.base
  }

  #refusal(remote: string, response: Response): Error {
    return repositoryError(remote, answerOf(response), { authorized: response.authorized, now: this.#clock.now() })
  }

  /** The listing, wherever it is: any answer that is no redirect. */
  async #discover(
    remote: string,
    sent: ServiceRequest,
    deadline: Deadline,
  ): Promise<{ readonly base: string; readonly response: Response }> {
    let base = remote
    for (let attempt = 0; attempt <= mostRedirects; attempt++) {
      const url = base + DISCOVERY
      const response = await this.#send(remote, `${url}?service=${sent.service}`, sent, deadline)
      if (!isRedirect(response)) {
        if (response.statusCode === 200) refuseType(remote, response, `application/x-${sent.service}-advertisement`)
        return { base, response }
      }
      base = baseOf(remote, redirectTarget(remote, url, answerOf(response)), DISCOVERY)
    }
    throw tooManyRedirects(remote)
  }

  /** One request. The body of any answer but 200 is dropped. */
  async #send(
    remote: string,
    url: string,
    { service, version, body }: ServiceRequest,
    deadline: Deadline,
  ): Promise<Response> {
    const asked = {
      headers: headersOf(service, version, body),
      deadline,
      shown: remote,
      policy: noLinkLocal,
      ...(body && { body }),
    }
    return authorizedRequest(this.#access, url, { ...asked, method: body === undefined ? 'GET' : 'POST' })
  }
}

function headersOf(service: GitService, version: ServiceRequest['version'], body: Buffer | undefined): Headers {
  return {
    ...(version === 2 && { 'git-protocol': 'version=2' }),
    'user-agent': 'git/gitmoor',
    ...(body && { 'content-type': `application/x-${service}-request`, accept: `application/x-${service}-result` }),
  }
}

/** It complains of what it was asked, as a server does that does not know the version. */
function isVersionError(chunk: Uint8Array): boolean {
  return /^[0-9a-f]{4}ERR .*(?:expected|unknown|invalid)/.test(Buffer.from(chunk.subarray(0, 200)).toString('latin1'))
}

function isRedirect({ statusCode }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode)
}

function answerOf({ statusCode, headers }: Response): {
  readonly status: number
  readonly headers: Response['headers']
} {
  return { status: statusCode, headers }
}

/** Without its parameters. */
function typeOf({ headers }: Response): string {
  return String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase()
}

function refuseType(remote: string, response: Response, type: string): void {
  const given = typeOf(response)
  if (given === type) return
  response.body.destroy()
  const came = given === '' ? 'no content type' : `the content type "${showText(given, mostTypeCharacters)}"`
  throw notGit(remote, `answered with ${came}, where git has "${type}"`)
}

/** The repository's address, where a redirect of one of its services leads to the same service elsewhere. */
function baseOf(remote: string, to: URL, service: string): string {
  if (!to.pathname.endsWith(service)) throw notGit(remote, 'redirects to a page')
  return to.origin + to.pathname.slice(0, -service.length)
}
