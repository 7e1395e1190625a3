// Keeps connections: one dispatcher for all servers with the same settings, recreated when its files change.
import type { BlockList, LookupFunction } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici'
import { readSmallFile } from '../../secrets/resolve-value.js'
import { mostTlsFileBytes, readTlsTexts, tlsOptions, type HostConnection, type TlsTexts } from './connection.js'
import { guardedLookup, noLinkLocal, type ResolveHost, type AddressPolicy } from './address-policy.js'
import type { Proxy } from './proxy.js'
import { TrackedClient } from './tracked-client.js'

export interface DispatchersOptions {
  readonly networks: BlockList
  readonly resolveHost?: ResolveHost
  /** File of further trusted authorities, as in NODE_EXTRA_CA_CERTS. */
  readonly extraAuthorities?: string
}

/** How to reach a server. `connection` and `proxy`: undefined is none. */
export interface ConnectionPath {
  readonly connection: HostConnection | undefined
  readonly proxy: Proxy | undefined
  readonly policy: AddressPolicy
}

interface CachedDispatcher {
  readonly dispatcher: Dispatcher
  readonly lookup: LookupFunction
  /** Identifies the settings and files that it was created with. */
  readonly fingerprint: string
}

/** The most connections to one server. */
export const mostConnections = 8

/** Close it after use. */
export class Dispatchers {
  readonly #options: DispatchersOptions
  readonly #made = new Map<AddressPolicy, Map<string, CachedDispatcher>>()

  constructor(options: DispatchersOptions) {
    this.#options = options
  }

  async close(): Promise<void> {
    const made = [...this.#made.values()].flatMap((some) => [...some.values()])
    await Promise.all(made.map(({ dispatcher }) => dispatcher.destroy()))
  }

  /**
   * Connections with replaced files end after their requests. Throws `Unavailable` if a file of the connection cannot
   * be used.
   */
  of(way: ConnectionPath): CachedDispatcher {
    const texts = way.connection === undefined ? {} : readTlsTexts(way.connection)
    const fingerprint =
      way.connection === undefined && way.proxy === undefined ? '' : JSON.stringify([way.proxy, texts])
    const some = this.#made.get(way.policy) ?? new Map<string, CachedDispatcher>()
    this.#made.set(way.policy, some)
    const key = `${way.connection?.name ?? ''} ${way.proxy?.origin ?? ''}`
    const known = some.get(key)
    if (known?.fingerprint === fingerprint) return known
    const made = { ...this.#make(way, texts), fingerprint }
    some.set(key, made)
    known?.dispatcher.close().catch(() => undefined)
    return made
  }

  #make({ connection, proxy, policy }: ConnectionPath, texts: TlsTexts): Omit<CachedDispatcher, 'fingerprint'> {
    const { networks, resolveHost } = this.#options
    const server = connection && this.#secure(connection, texts)
    if (proxy === undefined) {
      const lookup = guardedLookup(networks, resolveHost, policy)
      return { dispatcher: new Agent({ factory: openPool, connect: { lookup, ...server } }), lookup }
    }
    const lookup = guardedLookup(networks, resolveHost, noLinkLocal)
    const { ca } = texts
    // The client certificate is not for the proxy.
    const itself = connection && ca !== undefined ? this.#secure(connection, { ca }) : {}
    const dispatcher = new ProxyAgent({
      uri: proxy.origin,
      proxyTunnel: false,
      factory: openPool,
      requestTls: { ...server },
      proxyTls: { lookup, ...itself },
      ...(proxy.user === undefined ? {} : { token: basic(proxy.user) }),
    })
    return { dispatcher, lookup }
  }

  #secure(connection: HostConnection, texts: TlsTexts): { readonly secureContext?: SecureContext } {
    const options = tlsOptions(connection, texts, this.#extra())
    return Object.keys(options).length === 0 ? {} : { secureContext: createSecureContext(options) }
  }

  /** Ignored if it cannot be read, as the runtime does. */
  #extra(): readonly string[] {
    const { extraAuthorities } = this.#options
    if (extraAuthorities === undefined) return []
    try {
      return [readSmallFile(extraAuthorities, mostTlsFileBytes)]
    } catch {
      return []
    }
  }
}

function openPool(origin: string | URL, options: Pool.Options): Dispatcher {
  return new Pool(origin, {
    connections: mostConnections,
    ...options,
    factory: (to, given) => new TrackedClient(to, given),
  })
}

/** The value of the Proxy-Authorization header. */
export function basic({ name, password }: NonNullable<Proxy['user']>): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
