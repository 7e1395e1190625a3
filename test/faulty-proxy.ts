// A proxy between an agent and a server of tests, over TCP: it passes all http and ssh traffic, until a test
// breaks it.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** From the so-manieth byte that the server sends: nothing more comes, or the connection ends. */
export interface Fault {
  readonly after: number
  readonly how: 'silence' | 'end'
}

export interface FaultyProxy extends AsyncDisposable {
  readonly port: number
  /** Bytes from the server to clients since the last `fault`, over all connections. */
  readonly passed: number
  /** Connections that came since the last `fault`. */
  readonly connections: number
  /** What befalls the bytes from now on; undefined: nothing. */
  fault(fault?: Fault): void
  /** Nobody listens at the port, and what was open is closed. */
  leave(): Promise<void>
  /** Somebody listens there again. */
  comeBack(): Promise<void>
}

/** In front of a port of the loopback interface. */
export async function startFaultyProxy(serverPort: number): Promise<FaultyProxy> {
  const open = new Set<Socket>()
  let fault: Fault | undefined
  let passed = 0
  let connections = 0
  const pass = (client: Socket, bytes: Buffer): void => {
    const left = fault === undefined ? bytes.length : Math.max(0, fault.after - passed)
    passed += Math.min(left, bytes.length)
    if (left >= bytes.length) return void client.write(bytes)
    if (left > 0) client.write(bytes.subarray(0, left))
    if (fault?.how === 'end') client.end(() => client.destroy())
  }
  const proxy: Server = createServer({ noDelay: true }, (client) => {
    connections++
    const server = connect({ port: serverPort, host: '127.0.0.1', noDelay: true })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one)
      one
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
    }
    client.pipe(server)
    server.on('data', (bytes: Buffer) => pass(client, bytes))
    server.on('end', () => void (fault?.how !== 'silence' && client.end()))
  })
  const listen = (port: number): Promise<void> => new Promise((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  const leave = async (): Promise<void> => {
    const closed = new Promise((resolve) => proxy.close(resolve))
    for (const socket of open) socket.destroy()
    await closed
  }
  await listen(0)
  const { port } = proxy.address() as AddressInfo
  return {
    port,
    get passed() {
      return passed
    },
    get connections() {
      return connections
    },
    fault(next) {
      fault = next
      passed = 0
      connections = 0
    },
    leave,
    comeBack: () => listen(port),
    [Symbol.asyncDispose]: () => (proxy.listening ? leave() : Promise.resolve()),
  }
}
