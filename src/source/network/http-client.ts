// The one place where requests over http and https go out: to addresses that were checked, with certificates and
// through proxies as it is configured.
import type { BlockList } from 'node:net'
import { lookup as systemLookUp } from 'node:dns'
import { byAddress } from '../../lib/address-match.js'
import { memoize } from '../../lib/memoize.js'
import type { SyncError } from '../../model/errors.js'
import { resolveValue, type ValueLookup } from '../../secrets/resolve-value.js'
import type { Redactor } from '../../secrets/redact/redact.js'
import type { Headers } from './authorization.js'
import { unusableConnection, type Connection } from './connection.js'
import type { Deadline } from './deadline.js'
import { basic, Dispatchers } from './dispatchers.js'
import { networkError } from './http-errors.js'
import {
  bareHost,
  isForbidden,
  noLinkLocal,
  readNetworks,
  forbiddenAddress,
  type ResolveHost,
  type AddressPolicy,
} from './address-policy.js'
import { environmentProxy, type Proxies, type Proxy, proxyFault, proxyRefused } from './proxy.js'
import { hasBody, send, type Response } from './send.js'
import { isOutdated, readValidity } from './tls-errors.js'

export interface HttpClientOptions {
  /** `connections` of the configuration file, checked. */
  readonly entries: readonly Connection[]
  /** Networks that are reached though they would be refused. */
  readonly networks: readonly string[]
  /** Of the environment. */
  readonly proxies: Proxies
  readonly extraAuthorities?: string
  /** Where user and password of a proxy are looked up, and who is told of them. */
  readonly lookup: ValueLookup
  readonly redactor: Redactor
  /** Names of hosts; default: as the system does. */
  readonly resolveHost?: ResolveHost
}

/** One request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Headers
  readonly body?: Buffer
  /** What messages name. */
  readonly shown: string
  /** What is not connected to. */
  readonly policy: AddressPolicy
  readonly deadline: Deadline
}

/** What an address is, read once. */
interface Route {
  readonly url: URL
  readonly origin: string
  readonly path: string
  readonly host: string
  readonly connection: Connection | undefined
}

const mostRoutes = 5_000

/** To be closed: it keeps connections. */
export class HttpClient implements AsyncDisposable {
  readonly #options: HttpClientOptions
  readonly #networks: BlockList
  readonly #dispatchers: Dispatchers
  readonly #connectionFor: (address: string) => Connection | undefined
  readonly #routes = new Map<AddressPolicy, (address: string) => Route>()

  constructor(options: HttpClientOptions) {
    this.#options = options
    this.#networks = readNetworks(options.networks)
    this.#dispatchers = new Dispatchers({ ...options, networks: this.#networks })
    this.#connectionFor = byAddress(options.entries)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatchers.close()
  }

  /**
   * The answer, whatever its status; its body is dropped unless that is 200 or 201. Errors: `Unavailable`, `Rejected`,
   * also of who reads the body.
   */
  async request(address: string, { shown, policy, deadline, ...asked }: HttpRequest): Promise<Response> {
    const { url, origin, path, host, connection } = this.#routesFor(policy)(address)
    const proxy = this.#proxyFor(url, connection)
    if (proxy !== undefined) await this.#refuseBehind(host, proxy, policy)
    const named = proxy === undefined ? shown : `${shown} (through the proxy ${proxy.origin})`
    const { dispatcher, lookup } = this.#dispatchers.of({ connection, proxy, policy })
    try {
      const readError = (error: unknown): SyncError => networkError(shown, error)
      const response = await send(dispatcher, { ...asked, origin, path }, { deadline, readError })
      if (!hasBody(response.statusCode)) response.body.destroy()
      if (response.statusCode === 407) throw proxyRefused(named, 407)
      return response
    } catch (error) {
      const validity =
        proxy === undefined && isOutdated(error) ? await readValidity(url, lookup, deadline.signal) : undefined
      throw proxyFault(named, error) ?? networkError(named, error, validity)
    }
  }

  #routesFor(refusing: AddressPolicy): (address: string) => Route {
    const known = this.#routes.get(refusing)
    if (known !== undefined) return known
    const routes = memoize(mostRoutes, (address) => this.#routeTo(new URL(address), refusing))
    this.#routes.set(refusing, routes)
    return routes
  }

  #routeTo(url: URL, { refuses, refusal, unknownHost = refusal }: AddressPolicy): Route {
    const host = bareHost(url)
    if (refuses(host, this.#networks)) throw unknownHost(host)
    return { url, host, origin: url.origin, path: url.pathname + url.search, connection: this.#connectionFor(url.href) }
  }

  /**
   * The proxy looks the name up itself, so what is connected to is not what was checked here. A name that somebody else
   * gave is refused all the same where this machine knows it and it leads inwards.
   */
  async #refuseBehind(host: string, proxy: Proxy, refusing: AddressPolicy): Promise<void> {
    const itself = bareHost(new URL(proxy.origin))
    if (isForbidden(itself, this.#networks)) throw forbiddenAddress(itself)
    if (refusing === noLinkLocal) return
    const { refuses, refusal, unknownHost = refusal } = refusing
    const found = await this.#addressesOf(host)
    if (found.some((address) => refuses(address, this.#networks))) throw unknownHost(host)
  }

  #addressesOf(host: string): Promise<readonly string[]> {
    const { resolveHost = systemLookUp } = this.#options
    return new Promise((resolve) =>
      resolveHost(host, { all: true }, (error, found) =>
        resolve(error === null ? found.map(({ address }) => address) : []),
      ),
    )
  }

  #proxyFor(url: URL, connection: Connection | undefined): Proxy | undefined {
    const { proxies, lookup, redactor } = this.#options
    const proxy =
      connection?.proxy === undefined
        ? environmentProxy(url, proxies)
        : configuredProxy(connection, connection.proxy, lookup)
    if (proxy?.user === undefined) return proxy
    redactor.add(proxy.user.password)
    redactor.add(basic(proxy.user).replace(/^Basic /, ''))
    return proxy
  }
}

/** Throws `Unavailable` where user or password have no value now. */
function configuredProxy(connection: Connection, address: string, lookup: ValueLookup): Proxy | undefined {
  const { proxyUsername, proxyPassword } = connection
  if (address === 'none') return undefined
  const { origin } = new URL(address)
  if (proxyUsername === undefined || proxyPassword === undefined) return { origin }
  try {
    return {
      origin,
      user: { name: resolveValue(proxyUsername, lookup), password: resolveValue(proxyPassword, lookup) },
    }
  } catch (cause) {
    throw unusableConnection(connection, cause)
  }
}
