import { getRequestListener } from '@hono/node-server'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Rejected } from '../model/errors.js'
import type { Api } from './endpoint.js'

export interface ServeOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** How long `close` waits for answers in hand before it drops their connections. Default 5,000. */
  readonly graceMs?: number
}

export interface Served {
  /** `http://127.0.0.1:4470`. */
  readonly url: string
  /** Takes nothing new, ends requests that wait, lets the others finish within `graceMs`. */
  close(): Promise<void>
}

const limits = {
  requestTimeout: 60_000,
  headersTimeout: 15_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
  connectionsCheckingInterval: 5_000,
}

/** Listens. Throws `Rejected` with code `api/listen` where the address cannot be had. */
export async function serveApi(api: Api, options: ServeOptions): Promise<Served> {
  const stopping = new AbortController()
  const listener = getRequestListener((request, env) => api.fetch(request, { ...env, stopping: stopping.signal }))
  const server = createServer(limits, (incoming, outgoing) => void listener(incoming, outgoing))
  server.maxHeadersCount = 100
  server.maxConnections = 1_000
  await listen(server, options)
  return {
    url: urlOf(server.address() as AddressInfo),
    close: () => {
      stopping.abort()
      return closeWithin(server, options.graceMs ?? 5_000)
    },
  }
}

function listen(server: Server, { host, port }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException): void => {
      const taken = cause.code === 'EADDRINUSE'
      reject(
        new Rejected(taken ? `${host}:${port} is taken by another program.` : `Cannot listen on ${host}:${port}: ${cause.message}.`, {
          code: 'api/listen',
          hint: taken
            ? 'Perhaps an agent is running already. Else choose another address with --listen.'
            : 'Choose another address with --listen.',
          cause,
        }),
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
function urlOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
