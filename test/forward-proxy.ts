// A forward proxy for tests: CONNECT for https, absolute addresses for http. Names are looked up by it alone, as
// `hosts` says.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { secured, type ServerCertificate } from './certificates.js'

export interface ForwardProxyOptions {
  /** Name → address; other names are addresses. */
  readonly hosts?: Readonly<Record<string, string>>
  /** Whom it lets through; default: everybody. */
  readonly user?: { readonly name: string; readonly password: string }
  /** It is reached by https itself. */
  readonly tls?: ServerCertificate
  /** What it answers instead of letting through. */
  readonly answer?: number
}

export interface ForwardProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** `CONNECT host:port`, `GET http://host:port/path`, in order. */
  readonly seen: readonly string[]
  /** Headers of those. */
  readonly headers: readonly IncomingMessage['headers'][]
}

export async function startForwardProxy({
  hosts = {},
  user,
  tls,
  answer,
}: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const seen: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const sockets = new Set<Duplex>()
  const desired = user && `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`
  const statusFor = (incoming: IncomingMessage): number | undefined => {
    seen.push(`${incoming.method} ${incoming.url}`)
    headers.push(incoming.headers)
    return desired !== undefined && incoming.headers['proxy-authorization'] !== desired ? 407 : answer
  }
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const status = statusFor(incoming)
    if (status !== undefined) return void response.writeHead(status).end()
    const { hostname, port, pathname, search } = new URL(incoming.url!)
    const { 'proxy-authorization': _, ...passed } = incoming.headers
    const onward = request(
      { host: hosts[hostname] ?? hostname, port, path: pathname + search, method: incoming.method, headers: passed },
      (back) => {
        response.writeHead(back.statusCode!, back.headers)
        back.pipe(response)
      },
    )
    onward.on('error', () => response.writeHead(502).end())
    incoming.pipe(onward)
  }
  const tunnel = (incoming: IncomingMessage, socket: Duplex): void => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    const status = statusFor(incoming)
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const { hostname, port } = new URL(`http://${incoming.url}`)
    const onward = connect(Number(port || 443), hosts[hostname] ?? hostname, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    sockets.add(onward)
    onward.on('error', () => socket.end('HTTP/1.1 502 No\r\n\r\n'))
  }
  const server = tls === undefined ? createServer(pass) : secured(tls, pass)
  server.on('connect', tunnel)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    headers,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
