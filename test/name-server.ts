// A real name server of one's own, in small: answers A questions over UDP (RFC 1035) in turn, each to be forgotten at
// once.
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns'
import type { ResolveHost } from '../src/source/network/address-policy.js'

export interface NameServer extends AsyncDisposable {
  /** Asks it, each time. */
  readonly lookUp: ResolveHost
  /** Questions so far. */
  readonly queries: () => number
}

/** The first question gets the first address, and so on; the last is kept. */
export async function startNameServer(...addresses: readonly string[]): Promise<NameServer> {
  let queries = 0
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const address = addresses[Math.min(queries++, addresses.length - 1)]!
    const end = question.indexOf(0, 12) + 5
    const header = Buffer.concat([question.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])])
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
    socket.send(Buffer.concat([header, question.subarray(12, end), record]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    lookUp: (host, _options, done) =>
      resolver.resolve4(host, (error, found) =>
        done(
          error,
          (found ?? []).map((address) => ({ address, family: 4 })),
        ),
      ),
    queries: () => queries,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}
