// The one place where requests over http and https go out: to addresses that were checked, with certificates and through proxies as it is configured.
import type { BlockList } from 'node:net'
import { lookup as systemLookUp } from 'node:dns'
import { request, type Dispatcher } from 'undici'
import { byAddress } from '../../model/address-match.js'
import { resolveValue, type Lookup } from '../../secrets/lookup.js'
import type { Redactor } from '../../secrets/redact.js'
import type { Headers } from './authorization.js'
import { unusableConnection, type Connection } from './connection.js'
import { basic, Dispatchers } from './dispatchers.js'
import { networkError } from './http-answer.js'
import { bareHost, isRefused, linkLocalRefused, readNetworks, refusedAddress, type LookUp, type Refusing } from './networks.js'
import { environmentProxy, type Proxies, type Proxy } from './proxy.js'
import { proxyFault, proxyRefused } from './proxy-fault.js'
import { isOutdated, readValidity } from './tls-fault.js'

export interface ConnectionsOptions {
  /** `connections` of the configuration file, checked. */
  readonly entries: readonly Connection[]
  /** Networks that are reached though they would be refused. */
  readonly networks: readonly string[]
  /** Of the environment. */
  readonly proxies: Proxies
  readonly extraAuthorities?: string
  /** Where user and password of a proxy are looked up, and who is told of them. */
  readonly lookup: Lookup
  readonly redactor: Redactor
  /** Names of hosts; default: as the system does. */
  readonly lookUp?: LookUp
}

/** One request. How long it may take is the caller's, by the signal. */
export interface Asked {
  readonly method: 'GET' | 'POST'
  readonly headers: Headers
  readonly body?: Buffer
  /** What messages name. */
  readonly shown: string
  /** What is not connected to. */
  readonly refusing: Refusing
  readonly signal: AbortSignal
}

export type Response = Dispatcher.ResponseData

/** To be closed: it keeps connections. */
export class Connections implements AsyncDisposable {
  readonly #options: ConnectionsOptions
  readonly #networks: BlockList
  readonly #dispatchers: Dispatchers
  readonly #connectionFor: (address: string) => Connection | undefined

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#networks = readNetworks(options.networks)
    this.#dispatchers = new Dispatchers({ ...options, networks: this.#networks })
    this.#connectionFor = byAddress(options.entries)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatchers.close()
  }

  /** The answer, whatever its status; its body is dropped unless that is 200 or 201. Errors: `Unavailable`, `Rejected`. */
  async request(url: URL, { shown, refusing, ...asked }: Asked): Promise<Response> {
    this.#refuse(url, refusing)
    const connection = this.#connectionFor(url.href)
    const proxy = this.#proxyFor(url, connection)
    if (proxy !== undefined) await this.#refuseBehind(url, proxy, refusing)
    const named = proxy === undefined ? shown : `${shown} (through the proxy ${proxy.origin})`
    const { dispatcher, lookup } = this.#dispatchers.of({ connection, proxy, refusing })
    try {
      const response = await request(url, { ...asked, dispatcher, headersTimeout: 0, bodyTimeout: 0 })
      response.body.on('error', () => undefined) // it is thrown to whoever reads; nobody reads a refusal
      if (response.statusCode !== 200 && response.statusCode !== 201) response.body.destroy()
      if (response.statusCode === 407) throw proxyRefused(named, 407)
      return response
    } catch (error) {
      const validity = proxy === undefined && isOutdated(error) ? await readValidity(url, lookup, asked.signal) : undefined
      throw proxyFault(named, error) ?? networkError(named, error, validity)
    }
  }

  #refuse(url: URL, { refuses, refusal, unknown = refusal }: Refusing): void {
    if (refuses(bareHost(url), this.#networks)) throw unknown(bareHost(url))
  }

  /**
   * The proxy looks the name up itself, so what is connected to is not what was checked here. A name that somebody else gave is refused all the same
   * where this machine knows it and it leads inwards.
   */
  async #refuseBehind(url: URL, proxy: Proxy, refusing: Refusing): Promise<void> {
    const host = bareHost(new URL(proxy.origin))
    if (isRefused(host, this.#networks)) throw refusedAddress(host)
    if (refusing === linkLocalRefused) return
    const { refuses, refusal, unknown = refusal } = refusing
    const found = await this.#addressesOf(bareHost(url))
    if (found.some((address) => refuses(address, this.#networks))) throw unknown(bareHost(url))
  }

  #addressesOf(host: string): Promise<readonly string[]> {
    const { lookUp = systemLookUp } = this.#options
    return new Promise((resolve) =>
      lookUp(host, { all: true }, (error, found) => resolve(error === null ? found.map(({ address }) => address) : [])),
    )
  }

  #proxyFor(url: URL, connection: Connection | undefined): Proxy | undefined {
    const { proxies, lookup, redactor } = this.#options
    const proxy = connection?.proxy === undefined ? environmentProxy(url, proxies) : configuredProxy(connection, connection.proxy, lookup)
    if (proxy?.user === undefined) return proxy
    redactor.add(proxy.user.password)
    redactor.add(basic(proxy.user).replace(/^Basic /, ''))
    return proxy
  }
}

/** Throws `Unavailable` where user or password have no value now. */
function configuredProxy(connection: Connection, address: string, lookup: Lookup): Proxy | undefined {
  const { proxyUsername, proxyPassword } = connection
  if (address === 'none') return undefined
  const { origin } = new URL(address)
  if (proxyUsername === undefined || proxyPassword === undefined) return { origin }
  try {
    return { origin, user: { name: resolveValue(proxyUsername, lookup), password: resolveValue(proxyPassword, lookup) } }
  } catch (cause) {
    throw unusableConnection(connection, cause)
  }
}
