// Smart HTTP (gitprotocol-http). In version 2, one POST is a whole exchange: git's ref advertisement is skipped.
import type { Clock } from '../../../lib/clock.js'
import { showText } from '../../../lib/text/printable.js'
import { authorizedRequest, type HttpAccess, type AuthorizedResponse } from '../../network/authorized-request.js'
import type { Deadline } from '../../network/deadline.js'
import type { Headers } from '../../network/authorization.js'
import { noLinkLocal } from '../../network/address-policy.js'
import { contentType, isRedirect } from '../../network/send.js'
import { notGit, redirectTarget, repositoryError, tooManyRedirects } from '../../network/http-errors.js'
import { readGreeting, withoutPreamble } from './ref-advertisement.js'
import { refuseOtherFormat, type GitRequest, type GitService, type Transport } from './protocol.js'

const DISCOVERY = '/info/refs'
/** The longest content type in a message. */
const mostTypeCharacters = 80
/** After this time, gitmoor tries version 2 again. */
export const version0Ms = 3_600_000
/** Redirects within one host. */
export const mostRedirects = 3

/** A request to a service. Without a body, it requests the ref advertisement. */
interface ServiceRequest {
  readonly service: GitService
  readonly version: 0 | 2
  readonly body?: Buffer
}

type Response = AuthorizedResponse

export class HttpTransport implements Transport {
  readonly #access: HttpAccess
  readonly #clock: Clock
  /** The current base address of each remote that redirects within its host. */
  readonly #redirects = new Map<string, string>()
  /** Remotes that support only version 0, and when gitmoor tries version 2 again. */
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
   * Undefined: the remote supports only version 0. Such a server rejects the request, sends an empty body or sends an
   * error; its ref advertisement shows its version.
   */
  async #requestVersion2(
    remote: string,
    sent: ServiceRequest,
    deadline: Deadline,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const response = await this.#post(remote, sent, deadline)
    if (response.statusCode !== 200) {
      if (await this.#speaksOnlyVersion0(remote, sent, deadline)) return undefined
      throw this.#refusal(remote, response)
    }
    const { body } = response
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
      if (isRedirect(response)) base = redirectedBase(remote, redirectTarget(remote, url, response), path)
      else if (response.statusCode === 200)
        return this.#accept(remote, { base, type: `application/x-${sent.service}-result` }, response)
      else if (sent.version === 2 && isRejection(response)) return response
      else base = await this.#discoverRedirect(remote, { base, sent }, { response, deadline })
    }
    throw tooManyRedirects(remote, mostRedirects)
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

  /**
   * Some servers redirect only the ref advertisement. Returns the new base address, or throws the error for the
   * response.
   */
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
    return repositoryError(remote, response, { ...response, now: this.#clock.now() })
  }

  /** Requests the ref advertisement and follows redirects. Returns any other response. */
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
      base = redirectedBase(remote, redirectTarget(remote, url, response), DISCOVERY)
    }
    throw tooManyRedirects(remote, mostRedirects)
  }

  /** One request. The body is dropped unless the status is 200. */
  async #send(
    remote: string,
    url: string,
    { service, version, body }: ServiceRequest,
    deadline: Deadline,
  ): Promise<Response> {
    const request = {
      headers: requestHeaders(service, version, body),
      deadline,
      shown: remote,
      policy: noLinkLocal,
      ...(body && { body }),
    }
    return authorizedRequest(this.#access, url, { ...request, method: body === undefined ? 'GET' : 'POST' })
  }
}

function requestHeaders(service: GitService, version: ServiceRequest['version'], body: Buffer | undefined): Headers {
  return {
    ...(version === 2 && { 'git-protocol': 'version=2' }),
    'user-agent': 'git/gitmoor',
    ...(body && { 'content-type': `application/x-${service}-request`, accept: `application/x-${service}-result` }),
  }
}

/** True for an error that a server sends if it does not know the protocol version. */
function isVersionError(chunk: Uint8Array): boolean {
  return /^[0-9a-f]{4}ERR .*(?:expected|unknown|invalid)/.test(Buffer.from(chunk.subarray(0, 200)).toString('latin1'))
}

/** Servers of version 0, such as Azure DevOps, may reject a version 2 request with these statuses. */
function isRejection({ statusCode }: Response): boolean {
  return [400, 415, 501].includes(statusCode)
}

function refuseType(remote: string, response: Response, type: string): void {
  const given = contentType(response)
  if (given === type) return
  response.body.destroy()
  const came = given === '' ? 'no content type' : `the content type "${showText(given, mostTypeCharacters)}"`
  throw notGit(remote, `answered with ${came} instead of "${type}"`)
}

/** The repository's base address after a redirect to the same service. */
function redirectedBase(remote: string, to: URL, service: string): string {
  if (!to.pathname.endsWith(service)) throw notGit(remote, 'redirects to a page')
  return to.origin + to.pathname.slice(0, -service.length)
}
