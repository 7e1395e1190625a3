// A small HTTP server in place of InfluxDB, and a client of it: for answers that a real one seldom gives.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiClient, type ApiClientOptions } from '../../../src/influxdb/driver/server/api-client.js'
import { systemClock } from '../../../src/lib/clock.js'
import { Redactor } from '../../../src/secrets/redact/redact.js'
import { HttpClient } from '../../../src/source/network/http-client.js'
import { sendWhole } from '../../../src/source/network/whole-request.js'
import { startFileServer, type FileServer } from '../../file-server.js'

export interface HttpApi extends AsyncDisposable {
  readonly server: FileServer
  readonly client: ApiClient
  /** Milliseconds of each pause before a request was repeated. None of them takes time. */
  readonly pauses: number[]
}

/** `answer`: to each request, with the number of those before it. */
export async function openHttpApi(
  answer: (request: IncomingMessage, response: ServerResponse, before: number) => void,
  options: Partial<Pick<ApiClientOptions, 'requestMs' | 'requestsPerSecond' | 'concurrency'>> = {},
): Promise<HttpApi> {
  const server = await startFileServer()
  server.answer((request, response) => answer(request, response, server.seen.length - 1))
  const lookup = { directory: '.', environment: () => undefined }
  const http = new HttpClient({ entries: [], networks: [], proxies: {}, lookup, redactor: new Redactor() })
  const pauses: number[] = []
  const client = new ApiClient({
    url: server.url,
    token: () => 'the-token',
    target: 'prod',
    concurrency: 4,
    requestsPerSecond: 0,
    requestMs: 10_000,
    ...options,
    send: (request, signal) => sendWhole(http, request, signal),
    clock: {
      ...systemClock,
      sleep: async (ms) => {
        pauses.push(ms)
      },
    },
  })
  return {
    server,
    client,
    pauses,
    [Symbol.asyncDispose]: async () => {
      await http[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
