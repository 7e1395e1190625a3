// An HTTP server that records requests, for receivers of tests.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface RecordingServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** How the next requests are answered. Default: 200. */
  answer: (request: ReceivedRequest, response: ServerResponse) => void
  json(at?: number): Record<string, unknown>
}

export async function recordingServer(): Promise<RecordingServer> {
  const requests: ReceivedRequest[] = []
  const recording = {
    requests,
    answer: (_: ReceivedRequest, response: ServerResponse): void => void response.end('ok'),
    json: (at = requests.length - 1) => JSON.parse(requests[at]!.body) as Record<string, unknown>,
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const received = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(received)
      recording.answer(received, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return Object.assign(recording, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: close,
  })
}
