// Packages at URLs of a request: fetched once, not stored, and never from a private network.
import type { BlockList } from 'node:net'
import { systemClock, type Clock } from '../../lib/clock.js'
import { Rejected, Unavailable } from '../../model/errors.js'
import { showAddress } from '../../lib/text/printable.js'
import type { HttpAccess } from '../network/authorized-request.js'
import { bareHost, hidePrivate, isPrivate, noSuchHost, readNetworks } from '../network/address-policy.js'
import { packageUrl } from './package-url.js'
import type { RemoteLimits, RemotePackage, RemotePackages } from '../remote-packages.js'
import { UrlRequest, type UrlAnswer, type UrlBounds } from './url-request.js'

export interface HttpPackagesOptions {
  readonly limits: RemoteLimits
  /** Private networks that are allowed. */
  readonly networks: readonly string[]
  readonly access: HttpAccess
  readonly clock?: Clock
}

export class HttpPackages implements RemotePackages {
  readonly #networks: BlockList
  readonly #request: UrlRequest

  constructor({ limits, networks, access, clock = systemClock }: HttpPackagesOptions) {
    this.#networks = readNetworks(networks)
    const policies = { networks: this.#networks, addressPolicy: hidePrivate, redirectPolicy: hidePrivate }
    this.#request = new UrlRequest({ ...policies, bounds: toUrlBounds(limits), access, clock })
  }

  async fetch(url: string, signal: AbortSignal): Promise<RemotePackage> {
    const address = packageUrl(url)
    if (isPrivate(bareHost(address), this.#networks)) throw noSuchHost(bareHost(address))
    const answer = await this.#get(address, signal)
    if (answer.unchanged) throw nothingGiven(url)
    return { url, contentType: answer.type, bytes: answer.body }
  }

  /** Only the client can retry, so the hint says so. */
  async #get(address: URL, signal: AbortSignal): Promise<UrlAnswer> {
    try {
      return await this.#request.get(address.href, {}, signal)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      throw new Unavailable(error.message, {
        code: error.code,
        hint: 'Retry later, or check the address.',
        cause: error.cause,
      })
    }
  }
}

function nothingGiven(url: string): Rejected {
  return new Rejected(`${showAddress(url)} answered 304 without content.`, {
    code: 'source/not-a-file',
    hint: 'Use the address of the file itself, for example its raw view.',
  })
}

function toUrlBounds({ remoteMs, remoteBytes, remoteRedirects }: RemoteLimits): UrlBounds {
  const settings = { silence: 'limits.remote', total: 'limits.remote', bytes: 'limits.remoteBytes' }
  return { silenceMs: remoteMs, totalMs: remoteMs, bytes: remoteBytes, redirects: remoteRedirects, settings }
}
