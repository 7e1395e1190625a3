// What keeps connections: one dispatcher for all servers that are reached the same way, made anew when its files
// changed.
import type { BlockList, LookupFunction } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { Agent, Pool, ProxyAgent, type Dispatcher } from 'undici'
import { readSmallFile } from '../../secrets/lookup.js'
import { mostBytes, readTlsTexts, tlsOptions, type Connection, type TlsTexts } from './connection.js'
import { guardedLookup, linkLocalRefused, type LookUp, type Refusing } from './networks.js'
import type { Proxy } from './proxy.js'
import { TrackedClient } from './tracked-client.js'

export interface DispatchersOptions {
  readonly networks: BlockList
  readonly lookUp?: LookUp
  /** File of further authorities that are trusted everywhere, as NODE_EXTRA_CA_CERTS names it. */
  readonly extraAuthorities?: string
}

/** How a server is reached. `connection` and `proxy`: undefined is none. */
export interface Way {
  readonly connection: Connection | undefined
  readonly proxy: Proxy | undefined
  readonly refusing: Refusing
}

interface Made {
  readonly dispatcher: Dispatcher
  readonly lookup: LookupFunction
  /** All that it was made of. */
  readonly of: string
}

/** To one server. */
export const mostConnections = 8

/** To be closed. */
export class Dispatchers {
  readonly #options: DispatchersOptions
  readonly #made = new Map<Refusing, Map<string, Made>>()

  constructor(options: DispatchersOptions) {
    this.#options = options
  }

  async close(): Promise<void> {
    const made = [...this.#made.values()].flatMap((some) => [...some.values()])
    await Promise.all(made.map(({ dispatcher }) => dispatcher.destroy()))
  }

  /**
   * Connections under way over files that changed end by themselves. Throws `Unavailable` where a file of the
   * connection cannot be used now.
   */
  of(way: Way): Made {
    const texts = way.connection === undefined ? {} : readTlsTexts(way.connection)
    const of = way.connection === undefined && way.proxy === undefined ? '' : JSON.stringify([way.proxy, texts])
    const some = this.#made.get(way.refusing) ?? new Map<string, Made>()
    this.#made.set(way.refusing, some)
    const key = `${way.connection?.name ?? ''} ${way.proxy?.origin ?? ''}`
    const known = some.get(key)
    if (known?.of === of) return known
    const made = { ...this.#make(way, texts), of }
    some.set(key, made)
    known?.dispatcher.close().catch(() => undefined)
    return made
  }

  #make({ connection, proxy, refusing }: Way, texts: TlsTexts): Omit<Made, 'of'> {
    const { networks, lookUp } = this.#options
    const server = connection && this.#secure(connection, texts)
    if (proxy === undefined) {
      const lookup = guardedLookup(networks, lookUp, refusing)
      return { dispatcher: new Agent({ factory: openPool, connect: { lookup, ...server } }), lookup }
    }
    const lookup = guardedLookup(networks, lookUp, linkLocalRefused)
    const { ca } = texts
    const itself = connection && ca !== undefined ? this.#secure(connection, { ca }) : {} // the client certificate is not for the proxy
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

  #secure(connection: Connection, texts: TlsTexts): { readonly secureContext?: SecureContext } {
    const options = tlsOptions(connection, texts, this.#extra())
    return Object.keys(options).length === 0 ? {} : { secureContext: createSecureContext(options) }
  }

  /** Where it cannot be read it is left out, as the runtime does. */
  #extra(): readonly string[] {
    const { extraAuthorities } = this.#options
    if (extraAuthorities === undefined) return []
    try {
      return [readSmallFile(extraAuthorities, mostBytes)]
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

/** The value of Proxy-Authorization. */
export function basic({ name, password }: NonNullable<Proxy['user']>): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
