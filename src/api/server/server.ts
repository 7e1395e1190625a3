import { getRequestListener } from '@hono/node-server'
import { setMaxListeners } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { faultText } from '../../lib/text/fault-text.js'
import { Rejected } from '../../model/errors.js'
import type { ApiEnv } from '../request-context.js'
import { sendClientError, unreadableAnswer } from './client-error.js'
import type { Api } from '../v1/endpoint.js'

export interface ServeOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** How long `close` waits for requests in progress before it closes their connections. Default 5,000. */
  readonly graceMs?: number
  readonly limits?: Partial<ServerLimits>
}

export interface ServerLimits {
  /** The time to receive the headers of a request. Default 15,000. */
  readonly headMs: number
  /** The time to receive a request, and for the client to read the answer. Default 60,000. */
  readonly requestMs: number
  /**
   * Connections. While all have a request in progress, requests on further connections get 503; beyond 200 more,
   * connections are closed. Default 1,000.
   */
  readonly connections: number
}

export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:4470`. */
  readonly url: string
  /** Accepts no more requests, ends long polls, and lets other requests finish within `graceMs`. */
  close(): Promise<void>
}

export const serverLimits: ServerLimits = { headMs: 15_000, requestMs: 60_000, connections: 1_000 }

/** Of the headers of a request. */
export const maximumHeadBytes = 16 * 1024

/** Connections over the limit that get 503; further ones are closed. */
const answeredOverLimit = 200

/** Requests on one connection that are not answered yet. With more, it is closed. */
export const mostPipelined = 100

/** Listens. Throws `Rejected` with code `api/listen` if the address is not available. */
export async function serveApi(api: Pick<Api, 'fetch'>, options: ServeOptions): Promise<RunningServer> {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // every request in progress listens
  const limits = { ...serverLimits, ...options.limits }
  const server = openServer(api, limits, stopping.signal)
  await listen(server, options)
  const close = (): Promise<void> => {
    stopping.abort()
    return closeWithin(server, options.graceMs ?? 5_000)
  }
  return { url: serverUrl(server.address() as AddressInfo), close, [Symbol.asyncDispose]: close }
}

function openServer(api: Pick<Api, 'fetch'>, limits: ServerLimits, stopping: AbortSignal): Server {
  const server = createServer(
    {
      headersTimeout: limits.headMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: 5_000,
      maxHeaderSize: maximumHeadBytes,
      connectionsCheckingInterval: Math.min(5_000, limits.headMs / 3),
      requireHostHeader: false, // the listener refuses such requests, with a body
    },
    (incoming, outgoing) => {
      dropIfUnread(outgoing, limits.requestMs)
      connections.begin(incoming.socket, outgoing, () => void listener(incoming, outgoing))
    },
  )
  const connections = new Connections(server, limits.connections)
  const bindings = (socket: Socket): ApiEnv['Bindings'] => ({
    stopping,
    overloaded: connections.isOverLimit(socket),
    drop: () => socket.destroy(),
    client: socket.remoteAddress ?? '',
  })
  const listener = getRequestListener((request, { incoming }) => api.fetch(request, bindings(incoming.socket)), {
    errorHandler: unreadableAnswer,
  })
  // RFC 9110, 10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    sendClientError(error, socket, connections.answers(socket)),
  )
  server.maxHeadersCount = 100
  server.maxConnections = limits.connections + answeredOverLimit
  return server
}

/** The connections of a server, with their open answers. */
class Connections {
  readonly #most: number
  /** Connections without a request in progress, longest idle first. */
  readonly #idle = new Set<Duplex>()
  readonly #overLimit = new WeakSet<Duplex>()
  /** By connection, in order. The first one is in progress, the others wait for it. */
  readonly #pipelines = new WeakMap<Duplex, { readonly outgoing: ServerResponse; readonly answer: () => void }[]>()
  #open = 0

  constructor(server: Server, most: number) {
    this.#most = most
    server.on('connection', (socket) => this.#opened(socket))
  }

  /** True for a connection over the limit. */
  isOverLimit(socket: Duplex): boolean {
    return this.#open > this.#most && this.#overLimit.has(socket)
  }

  answers(socket: Duplex): readonly ServerResponse[] {
    return (this.#pipelines.get(socket) ?? []).map(({ outgoing }) => outgoing)
  }

  /**
   * A request on a connection begins: `answer` is called when those before it are answered. node parses all requests of
   * a packet at once; each is answered in its own turn of the event loop.
   */
  begin(socket: Duplex, outgoing: ServerResponse, answer: () => void): void {
    const pipeline = this.#pipelines.get(socket) ?? []
    if (socket.destroyed) return
    if (pipeline.length >= mostPipelined) return void socket.destroy()
    this.#pipelines.set(socket, pipeline)
    pipeline.push({ outgoing, answer })
    this.#idle.delete(socket)
    outgoing.once('close', () => {
      pipeline.shift()
      if (socket.destroyed) return
      const [next] = pipeline
      if (next === undefined) this.#idle.add(socket)
      else setImmediate(next.answer)
    })
    if (pipeline.length === 1) answer()
  }

  /** At the limit, a new connection replaces the one that is idle for longest. */
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

/** Frees the memory of an answer that its client does not read. */
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
          taken ? `${host}:${port} is already in use.` : `Cannot listen on ${host}:${port}: ${faultText(cause)}.`,
          {
            code: 'api/listen',
            hint: taken
              ? 'Check whether another agent is running, or choose another address with --listen.'
              : 'Choose another address with --listen.',
            ...(taken ? {} : { cause }),
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

/** The URL for local clients: loopback for a wildcard address. */
function serverUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
