import { getRequestListener } from '@hono/node-server'
import { setMaxListeners } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Rejected } from '../../model/errors.js'
import type { ApiEnv } from '../request-context.js'
import { sendClientError, unreadableAnswer } from './client-error.js'
import type { Api } from '../v1/endpoint.js'

export interface ServeOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** How long `close` waits for answers in hand before it drops their connections. Default 5,000. */
  readonly graceMs?: number
  readonly limits?: Partial<ServerLimits>
}

export interface ServerLimits {
  /** For the head of a request to come. Default 15,000. */
  readonly headMs: number
  /** For all of a request to come, and for an answer to be taken. Default 60,000. */
  readonly requestMs: number
  /**
   * Connections. Where each has a request in progress, requests on further ones are answered 503, and beyond a few
   * hundred more they are dropped. Default 1,000.
   */
  readonly connections: number
}

export interface RunningServer {
  /** `http://127.0.0.1:4470`. */
  readonly url: string
  /** Takes nothing new, ends requests that wait, lets the others finish within `graceMs`. */
  close(): Promise<void>
}

export const serverLimits: ServerLimits = { headMs: 15_000, requestMs: 60_000, connections: 1_000 }

/** Of the head of a request. */
export const maximumHeadBytes = 16 * 1024

/** Connections that are told that there are too many; whoever comes then is dropped. */
const answeredOverLimit = 200

/** Listens. Throws `Rejected` with code `api/listen` where the address cannot be had. */
export async function serveApi(api: Api, options: ServeOptions): Promise<RunningServer> {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // every request in hand listens
  const limits = { ...serverLimits, ...options.limits }
  const server = openServer(api, limits, stopping.signal)
  await listen(server, options)
  return {
    url: serverUrl(server.address() as AddressInfo),
    close: () => {
      stopping.abort()
      return closeWithin(server, options.graceMs ?? 5_000)
    },
  }
}

function openServer(api: Api, limits: ServerLimits, stopping: AbortSignal): Server {
  const server = createServer(
    {
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: 5_000,
      maxHeaderSize: maximumHeadBytes,
      connectionsCheckingInterval: Math.min(5_000, limits.headMs / 3),
    },
    (incoming, outgoing) => {
      connections.begin(incoming.socket, outgoing)
      dropIfUnread(outgoing, limits.requestMs)
      void listener(incoming, outgoing)
    },
  )
  const connections = new Connections(server, limits.connections)
  const bindings = (socket: Socket): ApiEnv['Bindings'] => ({
    stopping,
    crowded: connections.isOverLimit(socket),
    drop: () => socket.destroy(),
    client: socket.remoteAddress ?? '',
  })
  const listener = getRequestListener((request, { incoming }) => api.fetch(request, bindings(incoming.socket)), {
    errorHandler: unreadableAnswer,
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    sendClientError(error, socket, connections.answers(socket)),
  )
  server.maxHeadersCount = 100
  server.maxConnections = limits.connections + answeredOverLimit
  return server
}

/** The connections of a server, and the answers that each waits for. */
class Connections {
  readonly #most: number
  /** Without a request in progress, in the order in which they became so. */
  readonly #idle = new Set<Duplex>()
  readonly #overLimit = new WeakSet<Duplex>()
  readonly #inProgress = new WeakMap<Duplex, Set<ServerResponse>>()
  #open = 0

  constructor(server: Server, most: number) {
    this.#most = most
    server.on('connection', (socket) => this.#opened(socket))
  }

  /** True for a connection that is one too many. */
  isOverLimit(socket: Duplex): boolean {
    return this.#open > this.#most && this.#overLimit.has(socket)
  }

  answers(socket: Duplex): readonly ServerResponse[] {
    return [...(this.#inProgress.get(socket) ?? [])]
  }

  /** A request on a connection begins. */
  begin(socket: Duplex, outgoing: ServerResponse): void {
    const inProgress = this.#inProgress.get(socket) ?? new Set()
    this.#inProgress.set(socket, inProgress.add(outgoing))
    this.#idle.delete(socket)
    outgoing.once('close', () => {
      inProgress.delete(outgoing)
      if (inProgress.size === 0 && !socket.destroyed) this.#idle.add(socket)
    })
  }

  /** One that comes when there are enough takes the place of the one that has been without a request for longest. */
  #opened(socket: Socket): void {
    this.#open++
    socket.once('close', () => {
      this.#open--
      this.#idle.delete(socket)
    })
    const [longest] = this.#idle
    this.#idle.add(socket)
    if (this.#open <= this.#most) return
    if (longest === undefined) this.#overLimit.add(socket)
    else {
      this.#idle.delete(longest)
      longest.destroy()
    }
  }
}

/** Who does not read its answer must not keep it in memory. */
function dropIfUnread(outgoing: ServerResponse, ms: number): void {
  outgoing.once('prefinish', () => {
    const timer = setTimeout(() => outgoing.destroy(), ms).unref()
    outgoing.once('close', () => clearTimeout(timer))
  })
}

function listen(server: Server, { host, port }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException): void => {
      const taken = cause.code === 'EADDRINUSE'
      reject(
        new Rejected(
          taken
            ? `${host}:${port} is taken by another program.`
            : `Cannot listen on ${host}:${port}: ${cause.message}.`,
          {
            code: 'api/listen',
            hint: taken
              ? 'Perhaps an agent is running already. Else choose another address with --listen.'
              : 'Choose another address with --listen.',
            cause,
          },
        ),
      )
    }
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
}

function closeWithin(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/** Where a client on this machine reaches it: any-address is asked by loopback. */
function serverUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
