// A server that writes its answers byte by byte, also such as no HTTP library would write: framed in any way, and
// cut off anywhere.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import type { Certificate } from '../certificates.js'
import type { Dice } from '../random/dice.js'

export const framings = ['length', 'length, then closed', 'chunked', 'chunked, then closed', 'closed'] as const
export type Framing = (typeof framings)[number]

/** A request, whole. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Body {
  readonly type: string
  readonly bytes: Buffer
}

export interface RawServer extends AsyncDisposable {
  readonly url: string
  /** Ends the connection below a socket with a reset. */
  reset(socket: Socket): void
}

/** `answer` writes to the socket what it likes, and ends it or not. */
export async function startRawServer(
  answer: (request: RawRequest, socket: Socket) => Promise<void> | void,
  tls?: Certificate,
): Promise<RawServer> {
  const sockets = new Map<number, Socket>()
  const listener = (socket: Socket): void => {
    let waiting = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk])
      const request = requestIn(waiting)
      if (request === undefined) return
      waiting = Buffer.alloc(0)
      void answer(request, socket)
    })
  }
  const server: Server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener)
  server.on('connection', (below: Socket) => {
    const port = below.remotePort!
    sockets.set(port, below)
    below.on('error', () => undefined).on('close', () => sockets.delete(port))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reset: (socket) => void sockets.get(socket.remotePort ?? 0)?.resetAndDestroy(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets.values()) socket.destroy()
      await closed
    },
  }
}

function requestIn(bytes: Buffer): RawRequest | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(
    fields.map((field) => [field.replace(/:.*/, '').toLowerCase(), field.replace(/^[^:]*: */, '')]),
  )
  const body = bytes.subarray(end + 4)
  if (body.length < Number(headers['content-length'] ?? 0)) return undefined
  const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers
  return { method, path, headers: rest, body }
}

/** An answer of 200 with a body, in pieces. */
export function framed(framing: Framing, { type, bytes: body }: Body, dice: Dice): Buffer {
  const isChunked = framing.startsWith('chunked')
  const head = [
    'HTTP/1.1 200 OK',
    `Content-Type: ${type}`,
    ...(isChunked ? ['Transfer-Encoding: chunked'] : []),
    ...(framing.startsWith('length') ? [`Content-Length: ${body.length}`] : []),
    ...(framing.endsWith('closed') ? ['Connection: close'] : []),
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), ...(isChunked ? chunksOf(body, dice) : [body])])
}

function chunksOf(body: Buffer, dice: Dice): readonly Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length;) {
    const part = body.subarray(at, at + 1 + dice.below(200_000))
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
    at += part.length
  }
  return [...parts, Buffer.from('0\r\n\r\n')]
}

/** Writes in pieces of random sizes, as fast as the other side reads. */
export async function writePieces(socket: Socket, bytes: Buffer, dice: Dice): Promise<void> {
  for (let at = 0; at < bytes.length && !socket.destroyed;) {
    const piece = bytes.subarray(at, at + 1 + dice.below(300_000))
    at += piece.length
    if (!socket.write(piece)) await drained(socket)
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off('drain', end).off('close', end)
      resolve()
    }
    socket.on('drain', end).on('close', end)
  })
}
