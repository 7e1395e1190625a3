// The HTTP client: the only place where HTTP requests leave the agent. It checks addresses, and uses the configured
// certificates and proxies.
import { connect, type BlockList, type Socket } from 'node:net'
import { lookup as systemLookUp } from 'node:dns'
import { byAddress } from '../../lib/text/address-match.js'
import { onAbort } from '../../lib/async/on-abort.js'
import { memoize } from '../../lib/memoize.js'
import type { SyncError } from '../../model/errors.js'
import { resolveValue, type ValueLookup } from '../../secrets/resolve-value.js'
import type { Redactor } from '../../secrets/redact/redact.js'
import type { Headers } from './authorization.js'
import { unusableConnection, type HostConnection } from './connection.js'
import type { Deadline } from './deadline.js'
import { basic, Dispatchers } from './dispatchers.js'
import { networkError } from './http-errors.js'
import {
  bareHost,
  guardedLookup,
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
  /** `connections` of the configuration file, validated. */
  readonly entries: readonly HostConnection[]
  /** Networks that are allowed. */
  readonly networks: readonly string[]
  /** The proxies of the environment. */
  readonly proxies: Proxies
  readonly extraAuthorities?: string
  /** Resolves user and password of a proxy; the redactor learns them. */
  readonly lookup: ValueLookup
  readonly redactor: Redactor
  /** Resolves host names. Default: the system resolver. */
  readonly resolveHost?: ResolveHost
}

/** One request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: Headers
  readonly body?: Buffer
  /** The name in messages. */
  readonly shown: string
  /** Which addresses are refused. */
  readonly policy: AddressPolicy
  readonly deadline: Deadline
  /** The body of an answer with any status is kept. Default: only with 200 and 201. */
  readonly keepsBody?: boolean
}

/** The parsed form of an address, cached. */
interface Route {
  readonly url: URL
  readonly origin: string
  readonly path: string
  readonly host: string
  readonly connection: HostConnection | undefined
}

const mostRoutes = 5_000

/** Keeps connections open: close it after use. */
export class HttpClient implements AsyncDisposable {
  readonly #options: HttpClientOptions
  readonly #networks: BlockList
  readonly #dispatchers: Dispatchers
  #connectionFor: (address: string) => HostConnection | undefined
  readonly #routes = new Map<AddressPolicy, (address: string) => Route>()

  constructor(options: HttpClientOptions) {
    this.#options = options
    this.#networks = readNetworks(options.networks)
    this.#dispatchers = new Dispatchers({ ...options, networks: this.#networks })
    this.#connectionFor = byAddress(options.entries)
  }

  /** Replaces all entries. Requests in progress finish with the former ones. */
  replace(entries: readonly HostConnection[]): void {
    this.#connectionFor = byAddress(entries)
    this.#routes.clear()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatchers.close()
  }

  /**
   * Returns the response, whatever its status. The body is dropped unless the status is 200 or 201, or
   * `keepsBody`. Errors, also while
   * reading the body: `Unavailable`, `Rejected`.
   */
  async request(address: string, { shown, policy, deadline, keepsBody, ...request }: HttpRequest): Promise<Response> {
    const { url, origin, path, host, connection } = this.#routesFor(policy)(address)
    const proxy = this.#proxyFor(url, connection)
    if (proxy !== undefined) await this.#refuseBehind(host, proxy, policy)
    const named = proxy === undefined ? shown : `${shown} (through the proxy ${proxy.origin})`
    const { dispatcher, lookup } = this.#dispatchers.of({ connection, proxy, policy })
    try {
      const readError = (error: unknown): SyncError => networkError(shown, error)
      const response = await send(dispatcher, { ...request, origin, path }, { deadline, readError })
      if (keepsBody !== true && !hasBody(response.statusCode)) response.body.destroy()
      if (response.statusCode === 407) throw proxyRefused(named, 407)
      return response
    } catch (error) {
      const validity =
        proxy === undefined && isOutdated(error) ? await readValidity(url, lookup, deadline.signal) : undefined
      throw proxyFault(named, error) ?? networkError(named, error, validity)
    }
  }

  /**
   * Opens a TCP connection to a configured server, without a proxy. It ends with the signal. Errors: `Rejected` for a
   * refused address; those of the socket.
   */
  openSocket({ host, port }: { readonly host: string; readonly port: number }, signal: AbortSignal): Promise<Socket> {
    if (isForbidden(host, this.#networks)) return Promise.reject(forbiddenAddress(host))
    const lookup = guardedLookup(this.#networks, this.#options.resolveHost, noLinkLocal)
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, lookup })
      const ignoreAbort = onAbort(signal, () => socket.destroy(signal.reason as Error))
      socket.once('close', ignoreAbort)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        socket.on('error', () => {}) // an error between two readers of the socket also closes it
        resolve(socket)
      })
    })
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
   * A proxy resolves the name itself, so it may connect to another address than the one checked here. Names from other
   * parties are refused if this machine resolves them to a private address.
   */
  async #refuseBehind(host: string, proxy: Proxy, refusing: AddressPolicy): Promise<void> {
    const itself = bareHost(new URL(proxy.origin))
    if (isForbidden(itself, this.#networks)) throw forbiddenAddress(itself)
    if (refusing === noLinkLocal) return
    const { refuses, refusal, unknownHost = refusal } = refusing
    const found = await this.#resolveAddresses(host)
    if (found.some((address) => refuses(address, this.#networks))) throw unknownHost(host)
  }

  #resolveAddresses(host: string): Promise<readonly string[]> {
    const { resolveHost = systemLookUp } = this.#options
    return new Promise((resolve) =>
      resolveHost(host, { all: true }, (error, found) =>
        resolve(error === null ? found.map(({ address }) => address) : []),
      ),
    )
  }

  #proxyFor(url: URL, connection: HostConnection | undefined): Proxy | undefined {
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

/** Throws `Unavailable` if user or password cannot be read. */
function configuredProxy(connection: HostConnection, address: string, lookup: ValueLookup): Proxy | undefined {
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
